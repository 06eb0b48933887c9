-- What one evaluation is of.
SELECT
    e.round_id AS evaluation, e.kind, e.status, e.release, e.release_digest, e.items, e.controls, e.respondents, e.judges, e.prompts,
    e.replicates, e.metrics_version, e.occasion, e.boards, round(s.usd, 4) AS usd
FROM evaluation_rounds e
LEFT JOIN (SELECT round_id, sum(counted_usd) AS usd FROM spending GROUP BY ALL) s USING (round_id)
WHERE e.round_id = ?;
