-- Delete the rows of a round before its archived rows are inserted.
DELETE FROM ${table} WHERE round_id = ?;
