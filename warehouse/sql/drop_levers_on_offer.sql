DELETE FROM levers_on_offer WHERE round_id = ?;
