-- Results of the check for duplicates of a round by stratum and outcome: rows, units, and rows that break what later
-- stages rely on. Perturbations that were not compared stand in a row without outcome.
WITH landed AS (
    SELECT
        c.*,
        u.round_id <> c.round_id AS of_another_round,
        row_number() OVER (PARTITION BY c.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY c.perturbation_id, c.check_name) AS row_of_key
    FROM units u JOIN checks c USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'deduplicate'
), passing AS (
    SELECT DISTINCT perturbation_id FROM live_perturbations WHERE round_id = $round_id AND status = 'candidate'
)
SELECT
    c.class, c.intensity, c.outcome,
    count(c.unit_id) AS rows,
    count(*) FILTER (c.row_of_unit = 1) AS units,
    count(*) FILTER (c.of_another_round) AS rows_of_another_round,
    count(*) FILTER (c.row_of_key > 1) AS keys_repeated,
    count(*) FILTER (c.perturbation_id = '') AS keys_blank,
    count(*) FILTER (c.unit_id IS NOT NULL AND p.perturbation_id IS NULL) AS without_perturbation,
    count(*) FILTER (c.unit_id IS NULL) AS not_compared
FROM landed c
FULL JOIN passing p USING (perturbation_id)
GROUP BY ALL
ORDER BY ALL;
