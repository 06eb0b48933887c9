-- The newest round with documents.
SELECT r.round_id FROM rounds r
SEMI JOIN live_documents USING (round_id)
ORDER BY r.started_at DESC, r.round_id LIMIT 1;
