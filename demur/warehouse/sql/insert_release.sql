INSERT INTO releases (name, version, round_id, digest, manifest_digest, items, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;
