SELECT base_id, question, answers, passages FROM round_bases WHERE round_id = ?;
