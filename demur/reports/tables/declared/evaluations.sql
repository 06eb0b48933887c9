-- Evaluations and released rounds, the newest first, with release, models, prompts and cost.
SELECT
    e.round_id AS evaluation, e.kind, e.status, e.started_at, e.release, e.release_digest, e.items, e.controls, e.respondents, e.judges,
    e.prompts, e.replicates, e.metrics_version, e.sample, e.occasion, e.benchmark, e.boards, s.counted_usd AS usd,
    coalesce(s.why_unknown, 'nothing asked') AS why_unknown
FROM evaluation_rounds e
LEFT JOIN round_spending s USING (round_id)
WHERE true
    AND e.round_id = $round -- if round
ORDER BY e.started_at DESC, e.round_id;
