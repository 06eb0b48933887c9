SELECT
    r.layout,
    (SELECT count(*) FROM round_bases b WHERE b.round_id = r.round_id) AS bases,
    (SELECT count(*) FROM live_items i WHERE i.round_id = r.round_id AND i.kind = 'perturbed') AS items,
    (SELECT count(*) FROM live_items i WHERE i.round_id = r.round_id AND i.kind = 'control') AS controls,
    (SELECT coalesce(sum(e.judged), 0) FROM evaluation_progress e WHERE e.round_id = r.round_id) AS judged,
    (SELECT coalesce(sum(e.planned), 0) FROM evaluation_progress e WHERE e.round_id = r.round_id) AS judgements_planned
FROM rounds r WHERE r.round_id = ?;
