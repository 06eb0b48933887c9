-- The rounds, the newest first, each with its best respondent.
WITH placed AS (
    SELECT
        round_id, respondent, judge, value, low, high, rank() OVER (PARTITION BY round_id ORDER BY value DESC) AS place
    FROM live_scores
    WHERE metric = 'calibrated_refusal_score' AND slice = 'overall' AND value IS NOT NULL
), best AS (
    SELECT
        round_id, string_agg(DISTINCT respondent, ', ' ORDER BY respondent) AS respondent,
        string_agg(DISTINCT judge, ', ' ORDER BY judge) AS judge, round(any_value(value), 3) AS calibrated_refusal_score,
        round(min(low), 3) AS crs_low, round(max(high), 3) AS crs_high
    FROM placed WHERE place = 1 GROUP BY ALL
), yields AS (
    SELECT
        round_id,
        CAST(sum(asked) AS BIGINT) AS asked,
        CAST(sum(candidates) AS BIGINT) AS candidates,
        CAST(sum(accepted) AS BIGINT) AS accepted,
        CAST(sum(items) AS BIGINT) AS items,
        CAST(sum(wanted) AS BIGINT) AS wanted
    FROM yield_by_stratum GROUP BY ALL
), drawn AS (
    SELECT round_id, count(*) AS bases FROM round_bases GROUP BY ALL
), money AS (
    SELECT round_id, sum(counted_usd) AS counted_usd FROM call_costs GROUP BY ALL
), released AS (
    SELECT round_id, list(name || '/' || version ORDER BY created_at) AS releases FROM releases GROUP BY ALL
)
SELECT
    r.round_id, r.name AS configuration, CASE WHEN o.is_imported THEN 'imported' ELSE r.status END AS status,
    r.layout, r.started_at, r.finished_at, coalesce(d.bases, r.bases_wanted) AS bases,
    y.* EXCLUDE (round_id), m.counted_usd,
    CAST(json_extract_string(r.config, '$.budget.max_usd') AS DOUBLE) AS max_usd, b.* EXCLUDE (round_id), coalesce(f.releases, []) AS releases
FROM rounds r
JOIN round_origins o USING (round_id)
LEFT JOIN yields y USING (round_id)
LEFT JOIN drawn d USING (round_id)
LEFT JOIN money m USING (round_id)
LEFT JOIN best b USING (round_id)
LEFT JOIN released f USING (round_id)
WHERE true
    AND r.round_id = $round -- if round
ORDER BY r.started_at DESC, r.round_id;
