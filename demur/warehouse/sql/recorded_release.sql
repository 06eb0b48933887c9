-- The digest of a release's manifest, as recorded when the release was frozen.
SELECT manifest_digest FROM releases WHERE name = ? AND version = ?;
