-- Evaluations and released rounds, the newest first.
SELECT
    round_id AS evaluation, release, kind, status, date_trunc('second', started_at) AS started, respondents, judges, occasion,
    round(s.usd, 4) AS usd
FROM evaluation_rounds
LEFT JOIN (SELECT round_id, sum(counted_usd) AS usd FROM spending GROUP BY ALL) s USING (round_id)
ORDER BY started_at DESC, round_id;
