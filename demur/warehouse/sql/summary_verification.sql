-- What asking about a candidate costs, one row per way to ask: every verifier, or none after the first failing verdict,
-- with the verifiers in a random order or in the best one.
SELECT
    unnest(['all', 'until one fails it, any order', 'until one fails it, best order']) AS asked,
    unnest([round(full_verdicts, 2), round(random_verdicts, 2), round(ordered_verdicts, 2)]) AS verdicts,
    unnest([round(full_usd, 4), round(random_usd, 4), round(ordered_usd, 4)]) AS usd,
    unnest(['', '', array_to_string(stop_order, ', ')]) AS "order",
    format('{} of {}', cells, cells_seen) AS "matched cells",
    remark
FROM verification_cost WHERE round_id = ?;
