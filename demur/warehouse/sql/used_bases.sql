-- Base instances of other rounds. If a number is given, only this number of newest rounds counts.
WITH others AS (
    SELECT round_id, row_number() OVER (ORDER BY started_at DESC, round_id) AS age
    FROM round_origins WHERE round_id <> ? AND kind = 'round'
)
SELECT DISTINCT b.base_id
FROM round_bases b
JOIN others o USING (round_id)
WHERE b.round_id <> ? AND (CAST(? AS BIGINT) IS NULL OR o.age <= CAST(? AS BIGINT));
