-- Unused replies to units that the round no longer plans, by unit, oldest first. Such units exist because a change of
-- code gives new ids to the same work. If a reply is reused, the unit that gets it has a call of its own, which names
-- the paid call. Several calls may therefore have the same reply. Only the newest of these calls counts, and no call if
-- a planned unit has one of them: no reply goes to two units of a plan. `heir` is the planned unit that already has
-- other replies to the orphaned unit, and gets the rest too. Replies of rules, recordings and probes are left out, and
-- so are unreadable replies.
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
