-- One row per round for lists of rounds. In the published copy, a table replaces this view: the view sums over all
-- rounds, and would become slower with every round.

CREATE OR REPLACE VIEW round_summaries AS
WITH yields AS (
    SELECT
        round_id,
        sum(asked)::BIGINT AS asked,
        sum(declined)::BIGINT AS declined,
        sum(rejected)::BIGINT AS rejected,
        sum(duplicates)::BIGINT AS duplicates,
        sum(rejected_by_verifiers)::BIGINT AS rejected_by_verifiers,
        sum(candidates)::BIGINT AS candidates,
        sum(accepted)::BIGINT AS accepted,
        sum(items)::BIGINT AS items,
        sum(wanted)::BIGINT AS wanted,
        count(*) FILTER (shortfall > 0) AS short_strata,
        count(*) AS strata
    FROM yield_by_stratum GROUP BY ALL
), controls AS (
    SELECT round_id, count(*) AS controls FROM live_items WHERE kind = 'control' GROUP BY ALL
), drawn AS (
    SELECT round_id, count(*) AS bases FROM round_bases GROUP BY ALL
), planned AS (
    SELECT round_id, round(sum(cost_usd), 6) AS estimated_usd FROM estimates GROUP BY ALL
), best AS (
    SELECT
        round_id, string_agg(DISTINCT respondent, ', ' ORDER BY respondent) AS respondent, any_value(value) AS calibrated_refusal_score,
        min(low) AS crs_low, max(high) AS crs_high
    FROM (
        FROM live_scores
        WHERE metric = 'calibrated_refusal_score' AND slice = 'overall' AND value IS NOT NULL
        QUALIFY rank() OVER (PARTITION BY round_id ORDER BY value DESC) = 1
    ) GROUP BY round_id
), released AS (
    SELECT round_id, arg_max(name || '/' || version, created_at) AS release FROM releases GROUP BY ALL
), kept AS (
    SELECT i.round_id, count(*) AS items
    FROM released_items i JOIN released f ON f.round_id = i.round_id AND f.release = i.name || '/' || i.version
    GROUP BY ALL
)
SELECT
    r.round_id, r.name AS configuration,
    concat(
        CASE o.kind WHEN 'imported' THEN o.kind WHEN 'round' THEN r.status ELSE concat(o.kind, ', ', r.status) END,
        CASE WHEN r.pruned_at IS NOT NULL THEN ', pruned' END
    ) AS status,
    r.started_at, r.started_by, r.finished_at, coalesce(d.bases, r.bases_wanted) AS bases,
    y.* EXCLUDE (round_id) REPLACE (CASE WHEN r.pruned_at IS NULL THEN y.items ELSE k.items END AS items),
    c.controls, m.unpriced_calls, m.counted_usd, m.max_usd, coalesce(m.why_unknown, 'nothing asked') AS why_unknown, p.estimated_usd, b.* EXCLUDE (round_id), f.release
FROM rounds r
JOIN round_origins o USING (round_id)
LEFT JOIN yields y ON y.round_id = r.round_id AND NOT o.is_imported AND r.pruned_at IS NULL
LEFT JOIN kept k ON k.round_id = r.round_id
LEFT JOIN controls c ON c.round_id = r.round_id
LEFT JOIN drawn d ON d.round_id = r.round_id
LEFT JOIN round_spending m ON m.round_id = r.round_id
LEFT JOIN planned p ON p.round_id = r.round_id
LEFT JOIN best b ON b.round_id = r.round_id
LEFT JOIN released f ON f.round_id = r.round_id
ORDER BY r.started_at DESC, r.round_id;
COMMENT ON VIEW round_summaries IS 'One row per round: status, numbers of results, costs, best score and release.';
COMMENT ON COLUMN round_summaries.configuration IS 'name of the round''s configuration';
COMMENT ON COLUMN round_summaries.status IS '`open`, `finished` or `imported`, after the kind for other kinds of rounds, such as `evaluation, open`; with `, pruned` at the end if the texts were deleted';
COMMENT ON COLUMN round_summaries.bases IS 'number of base instances that the round works on or, before the draw, that the round wants';
COMMENT ON COLUMN round_summaries.asked IS 'number of perturbations that generators were asked for; this column and all columns up to `strata` are null for imported rounds and, except `items`, for pruned rounds';
COMMENT ON COLUMN round_summaries.declined IS 'number of perturbations that generators declined';
COMMENT ON COLUMN round_summaries.rejected IS 'number of perturbations that code checks rejected';
COMMENT ON COLUMN round_summaries.duplicates IS 'number of duplicates';
COMMENT ON COLUMN round_summaries.rejected_by_verifiers IS 'number of candidates that verifiers rejected';
COMMENT ON COLUMN round_summaries.candidates IS 'number of candidates, which go to the verifiers';
COMMENT ON COLUMN round_summaries.accepted IS 'number of candidates that the verifiers accepted';
COMMENT ON COLUMN round_summaries.items IS 'number of perturbed items; for a pruned round, number of perturbed items of its newest release';
COMMENT ON COLUMN round_summaries.wanted IS 'number of wanted items';
COMMENT ON COLUMN round_summaries.short_strata IS 'number of strata with fewer items than wanted';
COMMENT ON COLUMN round_summaries.strata IS 'number of strata';
COMMENT ON COLUMN round_summaries.controls IS 'number of controls; null if there are none';
COMMENT ON COLUMN round_summaries.counted_usd IS 'dollars that count: known dollars, and dollars that may have been billed; null without requests, or if a price is unknown';
COMMENT ON COLUMN round_summaries.unpriced_calls IS 'number of requests whose price is unknown; null without requests';
COMMENT ON COLUMN round_summaries.why_unknown IS 'why `counted_usd` is null, if it is';
COMMENT ON COLUMN round_summaries.max_usd IS 'cost limit of the round in dollars (`budget.max_usd`); null if there is no limit';
COMMENT ON COLUMN round_summaries.estimated_usd IS 'estimated cost in dollars at the start; null if prices are unknown';
COMMENT ON COLUMN round_summaries.respondent IS 'respondents with the best score; null if there are no scores';
COMMENT ON COLUMN round_summaries.calibrated_refusal_score IS 'best score; null if there are no scores';
COMMENT ON COLUMN round_summaries.crs_low IS 'lower end of the 95 % interval of the best score; null if there is no interval';
COMMENT ON COLUMN round_summaries.crs_high IS 'upper end of the 95 % interval of the best score; null if there is no interval';
COMMENT ON COLUMN round_summaries.release IS 'name and version of the newest release, as `name/version`; null if there is no release';
