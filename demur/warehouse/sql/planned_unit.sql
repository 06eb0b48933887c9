-- One unit of a plan.
SELECT unit_id, payload, class, intensity FROM read_parquet($1) WHERE unit_id = $2;
