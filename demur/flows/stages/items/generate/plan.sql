-- The base instances that are perturbed.
SELECT base_id, question, answers, draw, passages, language FROM round_bases WHERE round_id = ? ORDER BY draw;
