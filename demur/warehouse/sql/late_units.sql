-- Units of a landed file that are planned with another stamp. Their rows were made by code, programs or models of before.
SELECT DISTINCT landed.unit_id
FROM read_parquet($file) AS landed
JOIN units
    ON units.round_id = $round_id
    AND units.stage = $stage
    AND units.unit_id = landed.unit_id
    AND units.stamp IS DISTINCT FROM landed.stamp
