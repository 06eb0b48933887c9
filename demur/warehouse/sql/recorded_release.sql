-- What was recorded of a release when it was frozen; all columns, because an older warehouse has fewer.
SELECT * FROM releases WHERE name = ? AND version = ?;
