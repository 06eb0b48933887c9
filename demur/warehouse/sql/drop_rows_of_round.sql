-- Rows of a round, before those of the archive take their place.
DELETE FROM ${table} WHERE round_id = ?;
