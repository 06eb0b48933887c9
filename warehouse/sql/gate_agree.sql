-- What verification of a round adds up to: rows, units, and rows that break what later readers rely on.
WITH landed AS (
    SELECT
        v.*,
        u.round_id <> v.round_id AS of_another_round,
        row_number() OVER (PARTITION BY v.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY v.round_id) AS row_of_key
    FROM units u JOIN verifications v USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'agree'
)
SELECT
    count(*) AS rows,
    count(*) FILTER (row_of_unit = 1) AS units,
    count(*) FILTER (of_another_round) AS rows_of_another_round,
    count(*) FILTER (row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (remark)) AS keys_blank,
    count(*) FILTER (cells > cells_seen) AS cells_beyond_seen,
    count(*) FILTER (cells = 0 AND coalesce(remark, '') = '') AS without_cells_and_remark
FROM landed;
