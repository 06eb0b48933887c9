SELECT base_id, question, answers, passages FROM live_base_instances WHERE round_id = ? ORDER BY draw;
