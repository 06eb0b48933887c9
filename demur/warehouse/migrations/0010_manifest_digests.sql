-- What a release's manifest was when it was frozen, so that a manifest altered later does not pass for it.

ALTER TABLE releases ADD COLUMN manifest_digest VARCHAR;
COMMENT ON COLUMN releases.manifest_digest IS 'SHA-256 of manifest.json; null in rows from before this column';
