-- The units of a stage whose units come one at a time. The plan of such a stage lists only landed units.
SELECT unit_id, stamp FROM units WHERE round_id = ? AND stage = ?;
