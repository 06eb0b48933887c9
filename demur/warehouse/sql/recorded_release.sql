-- What was recorded of a release when it was frozen.
SELECT manifest_digest FROM releases WHERE name = ? AND version = ?;
