-- Respondents of an evaluation with their providers, and the versions given for systems. `before` is the previous evaluation of the same respondent and
-- judge on the same board.
SELECT
    e.round_id, e.respondent, e.judge, b.release_name || '/' || b.release_version AS release, e.prompts, m.provider, m.version, e.state,
    (
        SELECT arg_max(o.round_id, o.evaluated_at)
        FROM board_entries o
        WHERE o.board_id = e.board_id AND o.respondent = e.respondent AND o.judge = e.judge
            AND o.round_id <> e.round_id AND o.evaluated_at < e.evaluated_at
    ) AS before,
    b.prompts_digest
FROM board_entries e
JOIN evaluation_boards b
    ON b.board_id = e.board_id AND b.round_id = e.round_id AND b.respondent = e.respondent AND b.judge = e.judge
LEFT JOIN (
    SELECT round_id, model ->> '$.name' AS name, model ->> '$.provider' AS provider,
        CASE WHEN NOT starts_with(model ->> '$.version', 'unversioned-') THEN model ->> '$.version' END AS version
    FROM rounds, unnest(CAST(config -> '$.models' AS JSON[])) AS listed(model)
) m ON m.round_id = e.round_id AND m.name = split_part(e.respondent, ' ', 1)
WHERE e.round_id = ?
ORDER BY e.prompts, e.judge, e.respondent;
