-- What asking about a candidate costs: every verifier, or none after the first failing verdict.
SELECT
    format('{} of {}', cells, cells_seen) AS "matched cells",
    full_verdicts AS "verdicts, all asked",
    round(random_verdicts, 2) AS "stopping, any order",
    round(ordered_verdicts, 2) AS "stopping, best order",
    round(full_usd, 4) AS "dollars, all asked",
    round(random_usd, 4) AS "dollars, any order",
    array_to_string(stop_order, ', ') AS "best order",
    remark
FROM verification_cost WHERE round_id = ?;
