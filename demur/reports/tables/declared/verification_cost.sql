-- Verdicts and dollars per candidate, one row per way to ask: all verifiers; until the first failing verdict in random
-- order; until the first failing verdict in the best order.
SELECT
    unnest(['all', 'until one fails it, any order', 'until one fails it, best order']) AS asked,
    unnest([full_verdicts, random_verdicts, ordered_verdicts]) AS verdicts,
    unnest([full_usd, random_usd, ordered_usd]) AS usd,
    unnest([NULL, NULL, stop_order]) AS stop_order,
    cells, cells_seen, remark,
    CASE WHEN full_verdicts IS NULL THEN 'no matched verdicts' ELSE 'price not known' END AS why_unknown
FROM verification_cost
WHERE round_id = $round;
