-- The newest scored evaluation of each respondent on a board, with the tags of the respondent and the version given for
-- a system.
SELECT e.*, f.family, f.parameters_billion, f.alignment, m.provider, m.version
FROM board_entries e
LEFT JOIN model_factors f ON f.round_id = e.round_id AND f.respondent = e.respondent
LEFT JOIN (
    SELECT round_id, model ->> '$.name' AS name, model ->> '$.provider' AS provider,
        CASE WHEN NOT starts_with(model ->> '$.version', 'unversioned-') THEN model ->> '$.version' END AS version
    FROM rounds, unnest(CAST(config -> '$.models' AS JSON[])) AS listed(model)
) m ON m.round_id = e.round_id AND m.name = split_part(e.respondent, ' ', 1)
WHERE e.board_id = ? AND e.is_newest
ORDER BY e.respondent, e.round_id;
