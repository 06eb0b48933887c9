-- An object of the store that this file has, in a version.
INSERT INTO store.replayed (object, version) VALUES ($object, $version)
ON CONFLICT (object) DO UPDATE SET version = excluded.version;
