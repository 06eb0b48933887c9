SELECT base_id, question, answers, passages, language FROM live_base_instances WHERE round_id = ? ORDER BY draw;
