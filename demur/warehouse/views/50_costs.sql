-- Costs of rounds by model, stage, stratum and item, beside estimates and caps. A request of unknown cost counts like
-- similar requests, because the provider may bill it. If the price of a request is unknown, the sums with the request
-- are null.

CREATE OR REPLACE VIEW cost_shares AS
SELECT
    round_id, role, fingerprint,
    count(share) AS known_calls,
    count(*) FILTER (cost_usd IS NULL) AS unknown_calls,
    sum(share * share) / nullif(sum(share), 0) AS usual_share,
    max(share) AS dearest_share
FROM (
    SELECT
        round_id, role, fingerprint, cost_usd,
        CASE WHEN input_tokens IS NOT NULL AND reserved_usd > 0 THEN cost_usd / reserved_usd END AS share
    FROM calls
)
GROUP BY ALL
ORDER BY ALL;
COMMENT ON VIEW cost_shares IS 'One row per round, role and model: cost of requests as a share of their upper bound. The share decides how much a request of unknown cost counts.';
COMMENT ON COLUMN cost_shares.fingerprint IS 'hash of the model and its parameters';
COMMENT ON COLUMN cost_shares.known_calls IS 'number of requests with known tokens, known cost and an upper bound above 0';
COMMENT ON COLUMN cost_shares.unknown_calls IS 'number of requests with an unknown cost';
COMMENT ON COLUMN cost_shares.usual_share IS 'mean of the shares, each weighted with itself, since long replies are lost more often than short ones; null if no share is known';
COMMENT ON COLUMN cost_shares.dearest_share IS 'highest share; null if no share is known';

-- If fewer than twenty costs were known when an answer was lost, the request counted at its worst case. With each
-- further known cost, it counts for less; from twenty on, it counts like later requests. The numbers are those of
-- `CostShares` in demur/lanes/costs.py.
CREATE OR REPLACE VIEW call_costs AS
WITH likened AS (
    SELECT
        call_id, cost_usd, charged_usd, reserved_usd,
        CASE
            WHEN reply IS NOT NULL OR error_class IN ('connection', 'protocol')
            THEN (known_calls * usual_share + unknown_calls * dearest_share) / (known_calls + unknown_calls)
            WHEN error_class IN ('timeout', 'server', 'unanswered') THEN dearest_share
        END AS share,
        least(1, known_calls / 20) AS certainty
    FROM calls
    LEFT JOIN cost_shares USING (round_id, role, fingerprint)
), revised AS (
    SELECT
        call_id,
        CASE
            WHEN cost_usd IS NOT NULL THEN 0
            WHEN charged_usd < reserved_usd OR share IS NULL THEN coalesce(charged_usd, reserved_usd)
            WHEN charged_usd IS NULL THEN reserved_usd
            ELSE reserved_usd * (certainty * least(1, 1.25 * share) + 1 - certainty)
        END AS unsure_usd
    FROM likened
)
SELECT
    call_id, round_id, stage, unit_id, role, model, provider, provider_model, attempt, status,
    input_tokens, output_tokens, cached_tokens, cost_usd,
    unsure_usd,
    coalesce(cost_usd, unsure_usd) AS counted_usd,
    cost_usd IS NULL AND reserved_usd IS NULL AS unpriced,
    latency_seconds
FROM calls
JOIN revised USING (call_id);
COMMENT ON VIEW call_costs IS 'One row per request that was sent: known dollars, estimated dollars if the cost is unknown, and the sum, which counts.';
COMMENT ON COLUMN call_costs.unsure_usd IS 'dollars that count for a request of unknown cost; 0 if the cost is known, null if the price is unknown';
COMMENT ON COLUMN call_costs.counted_usd IS 'dollars that count against caps: known and unsure dollars together; null if the price is unknown';
COMMENT ON COLUMN call_costs.unpriced IS 'whether the price of the request is unknown';

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
    count(*) FILTER (unpriced) AS unpriced_calls,
    round(avg(latency_seconds), 4) AS mean_latency_seconds
FROM call_costs
GROUP BY ALL
ORDER BY round_id, stage, model;
COMMENT ON VIEW costs_by_model IS 'One row per round, stage, role and model: calls, tokens, dollars, seconds.';
COMMENT ON COLUMN costs_by_model.calls IS 'number of requests';
COMMENT ON COLUMN costs_by_model.failed_calls IS 'number of requests without an answer';
COMMENT ON COLUMN costs_by_model.input_tokens IS 'sum of input tokens over requests with a known number';
COMMENT ON COLUMN costs_by_model.output_tokens IS 'sum of output tokens over requests with a known number';
COMMENT ON COLUMN costs_by_model.cached_tokens IS 'sum of input tokens from caches over requests with a known number';
COMMENT ON COLUMN costs_by_model.cost_usd IS 'known dollars; null if no cost is known';
COMMENT ON COLUMN costs_by_model.unsure_usd IS 'further dollars that may have been billed';
COMMENT ON COLUMN costs_by_model.unpriced_calls IS 'number of requests whose price is unknown';
COMMENT ON COLUMN costs_by_model.mean_latency_seconds IS 'mean seconds from sending to the last byte, over requests';

CREATE OR REPLACE VIEW costs_by_stage AS
SELECT
    round_id, stage,
    count(DISTINCT unit_id) AS units,
    count(*) AS calls,
    count(*) FILTER (attempt > 1) AS retries,
    sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    CASE WHEN bool_or(unpriced) THEN nullif(sum(cost_usd), 0) ELSE sum(cost_usd) END AS cost_usd,
    sum(unsure_usd) AS unsure_usd,
    round(sum(counted_usd) FILTER (attempt > 1) / nullif(sum(counted_usd), 0), 4) AS retries_share,
    round(sum(cached_tokens) / nullif(sum(input_tokens), 0), 4) AS cached_share,
    count(*) FILTER (unpriced) AS unpriced_calls
FROM call_costs
GROUP BY ALL
ORDER BY round_id, stage;
COMMENT ON VIEW costs_by_stage IS 'One row per round and stage: dollars, share of dollars for retries, and share of input tokens from caches.';
COMMENT ON COLUMN costs_by_stage.units IS 'number of units with requests';
COMMENT ON COLUMN costs_by_stage.calls IS 'number of requests';
COMMENT ON COLUMN costs_by_stage.retries IS 'number of requests that are not a first attempt';
COMMENT ON COLUMN costs_by_stage.input_tokens IS 'sum of input tokens over requests with a known number';
COMMENT ON COLUMN costs_by_stage.output_tokens IS 'sum of output tokens over requests with a known number';
COMMENT ON COLUMN costs_by_stage.cost_usd IS 'known dollars; null if no cost is known, or if only free requests have a price';
COMMENT ON COLUMN costs_by_stage.unsure_usd IS 'further dollars that may have been billed';
COMMENT ON COLUMN costs_by_stage.retries_share IS 'share of retries in the dollars that count; null if no dollars count';
COMMENT ON COLUMN costs_by_stage.cached_share IS 'share of cached tokens in input tokens; null if no input tokens are known';
COMMENT ON COLUMN costs_by_stage.unpriced_calls IS 'number of requests to models without prices';

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
        sum(c.counted_usd) AS counted_usd,
        count(*) FILTER (c.unpriced AND c.stage = 'generate') > 0 AS generate_unpriced,
        count(*) FILTER (c.unpriced AND c.stage = 'verify') > 0 AS verify_unpriced,
        count(*) FILTER (c.unpriced AND c.stage NOT IN ('generate', 'verify')) > 0 AS measure_unpriced
    FROM call_costs c
    JOIN strata s USING (unit_id)
    WHERE s.class IS NOT NULL
    GROUP BY ALL
), kept AS (
    SELECT round_id, class, intensity, count(*) AS items FROM live_items WHERE kind = 'perturbed' GROUP BY ALL
)
SELECT
    p.round_id, p.class, p.intensity,
    CASE WHEN NOT p.generate_unpriced THEN coalesce(p.generate_usd, 0) END AS generate_usd,
    CASE WHEN NOT p.verify_unpriced THEN coalesce(p.verify_usd, 0) END AS verify_usd,
    CASE WHEN NOT p.measure_unpriced THEN coalesce(p.measure_usd, 0) END AS measure_usd,
    CASE WHEN NOT (p.generate_unpriced OR p.verify_unpriced OR p.measure_unpriced) THEN p.counted_usd END AS counted_usd,
    coalesce(k.items, 0) AS items,
    CASE WHEN NOT (p.generate_unpriced OR p.verify_unpriced)
        THEN (coalesce(p.generate_usd, 0) + coalesce(p.verify_usd, 0)) / k.items END AS usd_per_item
FROM paid p
LEFT JOIN kept k USING (round_id, class, intensity)
ORDER BY p.round_id, p.class, CASE p.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
COMMENT ON VIEW costs_by_stratum IS 'One row per round and stratum: dollars for generation, verification and evaluation, and dollars per item.';
COMMENT ON COLUMN costs_by_stratum.round_id IS 'id of the round that paid';
COMMENT ON COLUMN costs_by_stratum.generate_usd IS 'dollars that count for generation';
COMMENT ON COLUMN costs_by_stratum.verify_usd IS 'dollars that count for verification';
COMMENT ON COLUMN costs_by_stratum.measure_usd IS 'dollars that count for other stages, such as responses and judgements';
COMMENT ON COLUMN costs_by_stratum.counted_usd IS 'dollars that count for all stages';
COMMENT ON COLUMN costs_by_stratum.items IS 'number of perturbed items of the round';
COMMENT ON COLUMN costs_by_stratum.usd_per_item IS 'dollars for generation and verification per item; null without items, or if a price is unknown';

CREATE OR REPLACE VIEW cost_per_item AS
WITH paid AS (
    SELECT
        round_id,
        sum(counted_usd) FILTER (stage IN ('screen', 'generate', 'verify')) AS make_usd,
        sum(counted_usd) FILTER (stage NOT IN ('screen', 'generate', 'verify')) AS measure_usd,
        count(*) FILTER (unpriced AND stage IN ('screen', 'generate', 'verify')) > 0 AS make_unpriced,
        count(*) FILTER (unpriced AND stage NOT IN ('screen', 'generate', 'verify')) > 0 AS measure_unpriced
    FROM call_costs GROUP BY ALL
), priced AS (
    SELECT
        round_id,
        CASE WHEN NOT make_unpriced THEN coalesce(make_usd, 0) END AS make_usd,
        CASE WHEN NOT measure_unpriced THEN coalesce(measure_usd, 0) END AS measure_usd
    FROM paid
), accepted AS (
    SELECT round_id, count(*) AS accepted FROM accepted_perturbations GROUP BY ALL
), kept AS (
    SELECT round_id, count(*) AS items FROM live_items WHERE kind = 'perturbed' GROUP BY ALL
)
SELECT
    p.round_id,
    coalesce(a.accepted, 0) AS accepted,
    coalesce(k.items, 0) AS items,
    p.make_usd,
    p.measure_usd,
    p.make_usd + p.measure_usd AS counted_usd,
    p.make_usd / a.accepted AS make_usd_per_accepted,
    p.make_usd / k.items AS make_usd_per_item,
    (p.make_usd + p.measure_usd) / k.items AS usd_per_item
FROM priced p
LEFT JOIN accepted a USING (round_id)
LEFT JOIN kept k USING (round_id)
ORDER BY p.round_id;
COMMENT ON VIEW cost_per_item IS 'One row per round: dollars per accepted perturbation and per item, for making items and for all stages. Dollars are null if a price is unknown.';
COMMENT ON COLUMN cost_per_item.accepted IS 'number of accepted perturbations';
COMMENT ON COLUMN cost_per_item.items IS 'number of perturbed items';
COMMENT ON COLUMN cost_per_item.make_usd IS 'dollars that count for screening, generation and verification';
COMMENT ON COLUMN cost_per_item.measure_usd IS 'dollars that count for all other stages';
COMMENT ON COLUMN cost_per_item.counted_usd IS 'dollars that count for all stages';
COMMENT ON COLUMN cost_per_item.make_usd_per_accepted IS '`make_usd` per accepted perturbation; null if no perturbation was accepted';
COMMENT ON COLUMN cost_per_item.make_usd_per_item IS '`make_usd` per item; null without items';
COMMENT ON COLUMN cost_per_item.usd_per_item IS '`counted_usd` per item; null without items';

CREATE OR REPLACE VIEW spending AS
SELECT
    k.round_id, k.stage,
    count(*) AS calls,
    count(DISTINCT k.unit_id) AS units,
    count(*) FILTER (k.unpriced) AS unpriced_calls,
    coalesce(sum(k.cost_usd), 0) AS cost_usd,
    coalesce(sum(k.unsure_usd), 0) AS unsure_usd,
    coalesce(sum(k.counted_usd), 0) AS counted_usd,
    CAST(json_extract_string(any_value(r.config), '$.budget.stages.' || k.stage) AS DOUBLE) AS stage_max_usd,
    CAST(json_extract_string(any_value(r.config), '$.budget.max_usd') AS DOUBLE) AS round_max_usd
FROM call_costs k
LEFT JOIN rounds r USING (round_id)
GROUP BY k.round_id, k.stage
ORDER BY k.round_id, k.stage;
COMMENT ON VIEW spending IS 'One row per round and stage: known dollars, dollars that may have been billed, their sum, and the caps. Requests whose price is unknown add nothing.';
COMMENT ON COLUMN spending.unpriced_calls IS 'number of requests whose price is unknown';
COMMENT ON COLUMN spending.calls IS 'number of requests';
COMMENT ON COLUMN spending.units IS 'number of units with requests';
COMMENT ON COLUMN spending.cost_usd IS 'known dollars';
COMMENT ON COLUMN spending.unsure_usd IS 'dollars that may have been billed: for requests of unknown cost, and for requests of killed processes';
COMMENT ON COLUMN spending.stage_max_usd IS 'cost limit of the stage in dollars (`budget.stages`), as last given; null if there is no limit';
COMMENT ON COLUMN spending.round_max_usd IS 'cost limit of the round in dollars (`budget.max_usd`), as last given; null if there is no limit';

CREATE OR REPLACE VIEW round_spending AS
SELECT
    round_id,
    sum(calls)::BIGINT AS calls,
    sum(unpriced_calls)::BIGINT AS unpriced_calls,
    CASE WHEN sum(unpriced_calls) > 0 THEN nullif(round(sum(cost_usd), 6), 0) ELSE round(sum(cost_usd), 6) END AS cost_usd,
    CASE WHEN sum(unpriced_calls) = 0 THEN round(sum(unsure_usd), 6) END AS unsure_usd,
    CASE WHEN sum(unpriced_calls) = 0 THEN round(sum(counted_usd), 6) END AS counted_usd,
    any_value(round_max_usd) AS max_usd,
    CASE WHEN sum(calls) > 0 THEN 'price not known' ELSE 'nothing asked' END AS why_unknown
FROM spending
GROUP BY ALL
ORDER BY ALL;
COMMENT ON VIEW round_spending IS 'One row per round: known dollars, dollars that may have been billed, their sum, and the cap. Sums are null if the price of a request is unknown.';
COMMENT ON COLUMN round_spending.calls IS 'number of requests';
COMMENT ON COLUMN round_spending.unpriced_calls IS 'number of requests whose price is unknown';
COMMENT ON COLUMN round_spending.cost_usd IS 'known dollars; null if only free requests have a price';
COMMENT ON COLUMN round_spending.unsure_usd IS 'dollars that may have been billed; null if a price is unknown';
COMMENT ON COLUMN round_spending.counted_usd IS 'dollars that count: known dollars, and dollars that may have been billed; null if a price is unknown';
COMMENT ON COLUMN round_spending.max_usd IS 'cost limit of the round in dollars; null if there is no limit';
COMMENT ON COLUMN round_spending.why_unknown IS 'why the dollars are unknown, if they are';

CREATE OR REPLACE VIEW estimates_against_actuals AS
WITH actual AS (
    SELECT
        round_id, stage, role, model,
        count(DISTINCT unit_id) AS units,
        count(*) AS calls,
        sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens,
        CASE WHEN NOT bool_or(unpriced) THEN sum(counted_usd) END AS counted_usd
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
ORDER BY round_id, list_position([${every_stage}], stage), model;
COMMENT ON VIEW estimates_against_actuals IS 'One row per round, stage, role and model: the estimate at the start, and the actual numbers.';
COMMENT ON COLUMN estimates_against_actuals.estimated_units IS 'expected number of units';
COMMENT ON COLUMN estimates_against_actuals.units IS 'number of units with requests';
COMMENT ON COLUMN estimates_against_actuals.estimated_calls IS 'expected number of requests';
COMMENT ON COLUMN estimates_against_actuals.calls IS 'number of requests';
COMMENT ON COLUMN estimates_against_actuals.estimated_input_tokens IS 'expected input tokens; null for rules';
COMMENT ON COLUMN estimates_against_actuals.input_tokens IS 'sum of input tokens over requests with a known number';
COMMENT ON COLUMN estimates_against_actuals.estimated_output_tokens IS 'expected output tokens; null for rules';
COMMENT ON COLUMN estimates_against_actuals.output_tokens IS 'sum of output tokens over requests with a known number';
COMMENT ON COLUMN estimates_against_actuals.estimated_usd IS 'expected dollars; null if prices are unknown';
COMMENT ON COLUMN estimates_against_actuals.counted_usd IS 'dollars that count: known dollars, and dollars for requests of unknown cost';
COMMENT ON COLUMN estimates_against_actuals.ratio IS '`counted_usd` / `estimated_usd`; null if one of them is null, or if the estimate is 0';

CREATE OR REPLACE VIEW judge_savings AS
WITH judged AS (
    SELECT u.round_id, t.judge, t.judged_by, t.unit_id
    FROM judgements t JOIN units u ON u.stage = 'judge' AND u.unit_id = t.unit_id
), asked AS (
    SELECT unit_id, sum(counted_usd) AS usd, bool_or(unpriced) AS unpriced
    FROM call_costs WHERE stage = 'judge'
    GROUP BY unit_id
)
SELECT
    j.round_id, j.judge,
    count(*) AS judgements,
    count(*) FILTER (j.judged_by = 'code') AS by_code,
    CASE WHEN NOT bool_or(a.unpriced) THEN by_code * avg(a.usd) FILTER (j.judged_by = 'judge') END AS saved_usd
FROM judged j
LEFT JOIN asked a USING (unit_id)
GROUP BY j.round_id, j.judge
HAVING by_code > 0;
COMMENT ON VIEW judge_savings IS 'One row per round and judge with responses that needed no judge: number of judgements, and what the missing requests would have cost.';
COMMENT ON COLUMN judge_savings.judgements IS 'number of judgements under the label of the judge';
COMMENT ON COLUMN judge_savings.by_code IS 'number of these for which the judge was not asked, since the response is exactly one refusal code';
COMMENT ON COLUMN judge_savings.saved_usd IS '`by_code` times the mean cost of a judgement by the judge, in dollars; null if it is not known';
