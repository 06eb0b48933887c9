SELECT count(*) AS known FROM round_bases SEMI JOIN (SELECT round_id, base_id FROM known_bases WHERE is_known) USING (round_id, base_id)
WHERE round_id = ?;
