-- Record the version of an object in the store that this file has loaded.
INSERT INTO store.replayed (object, version) VALUES ($object, $version)
ON CONFLICT (object) DO UPDATE SET version = excluded.version;
