-- The newest scored evaluation of each respondent on a board, with the tags of the respondent.
SELECT e.*, f.family, f.parameters_billion, f.alignment, m.provider
FROM board_entries e
LEFT JOIN model_factors f ON f.round_id = e.round_id AND f.respondent = e.respondent
LEFT JOIN (
    SELECT r.round_id, unnest(CAST(r.config -> '$.models' AS JSON[])) ->> '$.name' AS name,
        unnest(CAST(r.config -> '$.models' AS JSON[])) ->> '$.provider' AS provider
    FROM rounds r
) m ON m.round_id = e.round_id AND m.name = split_part(e.respondent, ' ', 1)
WHERE e.board_id = ? AND e.is_newest
ORDER BY e.respondent, e.round_id;
