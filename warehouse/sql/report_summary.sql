SELECT
    r.layout,
    (SELECT count(*) FROM round_bases b WHERE b.round_id = r.round_id) AS bases,
    (SELECT count(*) FROM live_items i WHERE i.round_id = r.round_id AND i.kind = 'perturbed') AS items,
    (SELECT count(*) FROM live_items i WHERE i.round_id = r.round_id AND i.kind = 'control') AS controls
FROM rounds r WHERE r.round_id = ?;
