-- Numbers of a stage's units: planned units, and among these the landed and the failed units.
WITH planned AS (
    SELECT unit_id FROM units WHERE round_id = $round_id AND stage = $stage
), landed AS (
    SELECT unit_id FROM planned SEMI JOIN ${table} USING (unit_id)
), failed AS (
    SELECT unit_id FROM planned
    SEMI JOIN (SELECT unit_id FROM failures WHERE round_id = $round_id AND stage = $stage) AS gone USING (unit_id)
    ANTI JOIN landed USING (unit_id)
)
SELECT (SELECT count(*) FROM planned), (SELECT count(*) FROM landed), (SELECT count(*) FROM failed)
