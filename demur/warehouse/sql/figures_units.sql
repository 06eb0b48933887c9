-- Numbers of planned, landed and failed units, by round and stage. In a finished round, every unit that did not fail
-- has landed.
WITH planned AS (
    SELECT u.round_id, u.stage, u.unit_id, r.status FROM units u
    JOIN rounds r USING (round_id) WHERE list_contains($rounds, u.round_id)
), failed AS (
    SELECT round_id, stage, reason, count(*) AS units FROM live_failures
    WHERE list_contains($rounds, round_id) GROUP BY ALL
), landed AS (
    SELECT round_id, stage, count(*) AS units FROM (
        SELECT round_id, stage, unit_id FROM planned
        SEMI JOIN (${every_unit}) AS there USING (unit_id) WHERE status = 'open'
    ) GROUP BY ALL
    UNION ALL
    SELECT p.round_id, p.stage, count(*) - coalesce(any_value(f.units), 0)
    FROM planned p
    LEFT JOIN (SELECT round_id, stage, sum(units) AS units FROM failed GROUP BY ALL) f USING (round_id, stage)
    WHERE p.status <> 'open' GROUP BY ALL
)
SELECT round_id, stage, 'planned' AS outcome, NULL AS reason, count(*) AS units FROM planned GROUP BY ALL
UNION ALL SELECT round_id, stage, 'landed', NULL, CAST(units AS BIGINT) FROM landed
UNION ALL SELECT round_id, stage, 'failed', reason, units FROM failed
ORDER BY ALL
