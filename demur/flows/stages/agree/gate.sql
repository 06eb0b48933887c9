-- What the gate of agree expects of the round's verification statistics.

-- cells_beyond_seen: cells, cells_seen
-- No more cells are matched than there are.
SELECT unit_id, cells, cells_seen
FROM live_verifications
WHERE round_id = $round_id AND cells > cells_seen;

-- without_cells_and_remark: cells, remark
-- Where no cell is matched a remark says why.
SELECT unit_id, cells, remark
FROM live_verifications
WHERE round_id = $round_id AND cells = 0 AND coalesce(remark, '') = '';
