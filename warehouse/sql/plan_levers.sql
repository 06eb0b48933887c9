SELECT base_id, draw FROM round_bases WHERE round_id = ? ORDER BY draw;
