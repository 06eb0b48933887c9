-- Expectations of the stage agree for the verification statistics of a round.

-- cells_beyond_seen: cells, cells_seen
-- The number of matched cells is at most the number of all cells.
SELECT unit_id, cells, cells_seen
FROM live_verifications
WHERE round_id = $round_id AND cells > cells_seen;

-- without_cells_and_remark: cells, remark
-- If no cell is matched, a remark says why.
SELECT unit_id, cells, remark
FROM live_verifications
WHERE round_id = $round_id AND cells = 0 AND coalesce(remark, '') = '';
