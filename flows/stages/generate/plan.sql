SELECT base_id, question, answers, passages, draw FROM round_bases WHERE round_id = ? ORDER BY draw;
