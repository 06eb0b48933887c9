SELECT DISTINCT round_id FROM evaluation_boards WHERE board_id = ?;
