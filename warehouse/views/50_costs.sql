-- What rounds cost: by model, stage, stratum and item, against what was estimated and what may be spent.
-- What counts is the cost where it is known, else the worst case: a request whose answer never came may be billed.

CREATE OR REPLACE VIEW call_costs AS
SELECT
    call_id, round_id, stage, unit_id, role, model, provider, provider_model, attempt, status,
    input_tokens, output_tokens, cached_tokens, cost_usd,
    CASE WHEN cost_usd IS NULL THEN coalesce(reserved_usd, 0) ELSE 0 END AS unsure_usd,
    coalesce(cost_usd, reserved_usd, 0) AS counted_usd,
    cost_usd IS NULL AND reserved_usd IS NULL AS unpriced,
    lease_id, latency_seconds
FROM calls;
COMMENT ON VIEW call_costs IS 'One row per request: dollars that are known, dollars that are not, and their sum, which counts.';

CREATE OR REPLACE VIEW costs_by_model AS
SELECT
    round_id, stage, role, model, provider, provider_model,
    count(*) AS calls,
    count(*) FILTER (status <> 'ok') AS failed_calls,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cached_tokens) AS cached_tokens,
    sum(cost_usd) AS cost_usd,
    sum(unsure_usd) AS unsure_usd,
    round(avg(latency_seconds), 4) AS mean_latency_seconds
FROM call_costs
GROUP BY ALL
ORDER BY round_id, stage, model;
COMMENT ON VIEW costs_by_model IS 'One row per round, stage, role and model: calls, tokens, dollars, seconds.';

CREATE OR REPLACE VIEW costs_by_stage AS
SELECT
    round_id, stage,
    count(DISTINCT unit_id) AS units,
    count(*) AS calls,
    count(*) FILTER (attempt > 1) AS retries,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    sum(cost_usd) AS cost_usd,
    sum(unsure_usd) AS unsure_usd,
    round(sum(counted_usd) FILTER (attempt > 1) / nullif(sum(counted_usd), 0), 4) AS retries_share,
    round(sum(cached_tokens) / nullif(sum(input_tokens), 0), 4) AS cached_share,
    count(*) FILTER (unpriced) AS unpriced_calls
FROM call_costs
GROUP BY ALL
ORDER BY round_id, stage;
COMMENT ON VIEW costs_by_stage IS 'One row per round and stage: dollars, the share of them that retries cost, the share of input tokens from caches.';

CREATE OR REPLACE VIEW costs_by_stratum AS
WITH strata AS (
    SELECT unit_id, class, intensity FROM perturbations
    UNION SELECT unit_id, class, intensity FROM verdicts
    UNION SELECT unit_id, class, intensity FROM responses
    UNION SELECT unit_id, class, intensity FROM judgements
    UNION SELECT unit_id, class, intensity FROM failures
), paid AS (
    SELECT
        c.round_id, s.class, s.intensity,
        sum(c.counted_usd) FILTER (c.stage = 'generate') AS generate_usd,
        sum(c.counted_usd) FILTER (c.stage = 'verify') AS verify_usd,
        sum(c.counted_usd) FILTER (c.stage NOT IN ('generate', 'verify')) AS measure_usd,
        sum(c.counted_usd) AS counted_usd
    FROM call_costs c
    JOIN strata s USING (unit_id)
    WHERE s.class IS NOT NULL
    GROUP BY ALL
), kept AS (
    SELECT round_id, class, intensity, count(*) AS items FROM live_items WHERE kind = 'perturbed' GROUP BY ALL
)
SELECT
    p.round_id, p.class, p.intensity,
    coalesce(p.generate_usd, 0) AS generate_usd,
    coalesce(p.verify_usd, 0) AS verify_usd,
    coalesce(p.measure_usd, 0) AS measure_usd,
    p.counted_usd,
    coalesce(k.items, 0) AS items,
    (coalesce(p.generate_usd, 0) + coalesce(p.verify_usd, 0)) / k.items AS usd_per_item
FROM paid p
LEFT JOIN kept k USING (round_id, class, intensity)
ORDER BY p.round_id, p.class, CASE p.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
COMMENT ON VIEW costs_by_stratum IS 'One row per round and stratum: dollars of generating, verifying and measuring, and what making one item cost.';

CREATE OR REPLACE VIEW cost_per_item AS
WITH paid AS (
    SELECT
        round_id,
        sum(counted_usd) FILTER (stage IN ('screen', 'generate', 'verify')) AS make_usd,
        sum(counted_usd) FILTER (stage NOT IN ('screen', 'generate', 'verify')) AS measure_usd,
        sum(counted_usd) AS counted_usd
    FROM call_costs GROUP BY ALL
), accepted AS (
    SELECT round_id, count(*) AS accepted FROM accepted_perturbations GROUP BY ALL
), kept AS (
    SELECT round_id, count(*) AS items FROM live_items WHERE kind = 'perturbed' GROUP BY ALL
)
SELECT
    p.round_id,
    coalesce(a.accepted, 0) AS accepted,
    coalesce(k.items, 0) AS items,
    coalesce(p.make_usd, 0) AS make_usd,
    coalesce(p.measure_usd, 0) AS measure_usd,
    p.counted_usd,
    p.make_usd / a.accepted AS make_usd_per_accepted,
    p.make_usd / k.items AS make_usd_per_item,
    p.counted_usd / k.items AS usd_per_item
FROM paid p
LEFT JOIN accepted a USING (round_id)
LEFT JOIN kept k USING (round_id)
ORDER BY p.round_id;
COMMENT ON VIEW cost_per_item IS 'One row per round: dollars per accepted perturbation and per item, of making them and of everything.';

CREATE OR REPLACE VIEW spending AS
WITH asked AS (
    SELECT
        round_id, stage,
        count(*) AS calls,
        count(DISTINCT unit_id) AS units,
        coalesce(sum(cost_usd), 0) AS cost_usd,
        sum(unsure_usd) AS unanswered_usd
    FROM call_costs GROUP BY ALL
), accounted AS (
    -- A request of a batch that was sent before this run asked for it was set aside by the run that sent it, and that
    -- run died: its answer takes its whole worst case off what that run had under way.
    SELECT
        c.lease_id,
        sum(CASE WHEN c.started_at > b.intended_at THEN greatest(c.reserved_usd, k.counted_usd) ELSE k.counted_usd END)
            AS accounted_usd
    FROM calls c
    JOIN call_costs k USING (call_id)
    LEFT JOIN batches b ON b.batch_id = c.batch_id
    WHERE c.lease_id IS NOT NULL
    GROUP BY ALL
), adrift AS (
    -- What a shard held and its calls do not account for was under way when it died. Less than a millionth of a dollar
    -- is how floating-point sums differ.
    SELECT
        l.round_id, l.stage,
        sum(CASE WHEN l.granted_usd - coalesce(a.accounted_usd, 0) > 1e-6
            THEN l.granted_usd - coalesce(a.accounted_usd, 0) ELSE 0 END) AS lost_usd
    FROM leases l
    LEFT JOIN accounted a USING (lease_id)
    GROUP BY ALL
)
SELECT
    round_id, stage,
    coalesce(k.calls, 0) AS calls,
    coalesce(k.units, 0) AS units,
    coalesce(k.cost_usd, 0) AS cost_usd,
    coalesce(k.unanswered_usd, 0) + coalesce(a.lost_usd, 0) AS unsure_usd,
    coalesce(k.cost_usd, 0) + coalesce(k.unanswered_usd, 0) + coalesce(a.lost_usd, 0) AS counted_usd,
    CAST(json_extract_string(r.config, '$.budget.stages.' || stage) AS DOUBLE) AS stage_max_usd,
    CAST(json_extract_string(r.config, '$.budget.max_usd') AS DOUBLE) AS round_max_usd
FROM asked k
FULL JOIN adrift a USING (round_id, stage)
LEFT JOIN rounds r USING (round_id)
ORDER BY round_id, stage;
COMMENT ON VIEW spending IS 'One row per round and stage: dollars known, dollars that may have been billed, their sum, and the caps it counts against.';

CREATE OR REPLACE VIEW estimates_against_actuals AS
WITH actual AS (
    SELECT
        round_id, stage, role, model,
        count(DISTINCT unit_id) AS units,
        count(*) AS calls,
        sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens,
        sum(counted_usd) AS counted_usd
    FROM call_costs
    WHERE round_id IN (SELECT round_id FROM estimates) AND stage <> 'probe'
    GROUP BY ALL
)
SELECT
    round_id, stage, role, model,
    coalesce(e.units, 0) AS estimated_units,
    coalesce(a.units, 0) AS units,
    coalesce(e.calls, 0) AS estimated_calls,
    coalesce(a.calls, 0) AS calls,
    e.input_tokens AS estimated_input_tokens,
    a.input_tokens,
    e.output_tokens AS estimated_output_tokens,
    a.output_tokens,
    e.cost_usd AS estimated_usd,
    e.ceiling_usd,
    a.counted_usd,
    round(a.counted_usd / nullif(e.cost_usd, 0), 3) AS ratio
FROM estimates e
FULL JOIN actual a USING (round_id, stage, role, model)
ORDER BY round_id, list_position(['screen', 'generate', 'verify', 'respond', 'judge', 'write', 'grade'], stage), model;
COMMENT ON VIEW estimates_against_actuals IS 'One row per round, stage, role and model: the plan made at the start beside what was asked and counted.';
