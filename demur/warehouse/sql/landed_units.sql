-- The units of a round's stage that have landed.
SELECT unit_id FROM units WHERE round_id = ? AND stage = ?;
