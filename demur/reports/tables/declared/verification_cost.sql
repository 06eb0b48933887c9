-- What asking about a candidate costs, one row per way to ask: every verifier, or none after the first failing verdict,
-- with the verifiers in a random order or in the best one.
SELECT
    unnest(['all', 'until one fails it, any order', 'until one fails it, best order']) AS asked,
    unnest([full_verdicts, random_verdicts, ordered_verdicts]) AS verdicts,
    unnest([full_usd, random_usd, ordered_usd]) AS usd,
    unnest([NULL, NULL, stop_order]) AS stop_order,
    cells, cells_seen, remark
FROM verification_cost
WHERE round_id = $round;
