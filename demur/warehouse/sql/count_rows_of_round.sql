-- Rows of a round in a table.
SELECT count(*) FROM ${table} WHERE round_id = ?
