-- Frozen releases.
SELECT name || '/' || version AS release, round_id, items, created_at, digest FROM releases ORDER BY created_at DESC, release;
