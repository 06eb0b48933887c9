-- Answers of units that the round plans no more, by unit, oldest first: code that was changed since gives the same work
-- other ids. Whoever has an answer by way of another unit has a call of its own that names the request that was paid.
-- So of each request that was paid the newest holder counts, and none where a planned unit is among them: no two units
-- of a plan are given the same answer. Who was given one of a unit's answers, its heir, is given the others too. What
-- rules or recordings said costs nothing and is asked again, and so is what could not be read.
WITH found AS (
    SELECT
        asked_for, calls.unit_id, call_id, started_at, attempt, coalesce(reused_from, call_id) AS paid_call,
        units.unit_id IS NOT NULL AS planned,
        provider <> 'rules' AND role <> 'probe' AND earlier_prompt IS NULL AS asked
    FROM calls
    LEFT JOIN units USING (round_id, stage, unit_id)
    WHERE calls.round_id = $round_id AND calls.stage = $stage AND status = 'ok'
), heirs AS (
    SELECT orphan.unit_id, min(planned.unit_id) AS heir
    FROM found AS orphan
    JOIN found AS planned USING (paid_call)
    WHERE planned.planned AND NOT orphan.planned
    GROUP BY orphan.unit_id
), free AS (
    SELECT * FROM found
    ANTI JOIN (SELECT DISTINCT paid_call FROM found WHERE planned) AS held USING (paid_call)
    WHERE asked
    QUALIFY row_number() OVER (PARTITION BY paid_call ORDER BY started_at DESC, call_id) = 1
)
SELECT
    free.asked_for,
    any_value(heir) AS heir,
    list(free.call_id ORDER BY free.started_at, free.attempt, free.call_id) AS calls,
    coalesce(sum(counted_usd), 0) AS paid_usd
FROM free
JOIN call_costs ON call_costs.call_id = free.paid_call
LEFT JOIN heirs ON heirs.unit_id = free.unit_id
ANTI JOIN failures
    ON failures.unit_id = free.unit_id
    AND failures.stage = $stage
    AND failures.reason = 'unreadable'
    AND failures.failed_at >= free.started_at
WHERE free.asked_for IS NOT NULL
GROUP BY free.asked_for, free.unit_id
ORDER BY min(free.started_at), free.unit_id
