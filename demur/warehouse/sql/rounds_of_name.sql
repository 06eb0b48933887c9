-- Rounds with a name, alone or with part of a hash, with the identity of their corpus and the base instances that they drew; oldest first.
SELECT
    r.round_id, r.name,
    CAST(r.config -> '$.corpus_identity' AS STRUCT("name" VARCHAR, place VARCHAR, "content" VARCHAR)) AS corpus,
    (SELECT list(b.base_id) FROM live_base_instances b WHERE b.round_id = r.round_id) AS bases
FROM rounds r
WHERE r.name = ? OR regexp_full_match(r.name, regexp_escape(?) || '-[0-9a-f]{6}')
ORDER BY r.started_at, r.round_id;
