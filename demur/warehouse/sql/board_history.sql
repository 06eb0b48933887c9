-- Calibrated refusal scores on a board, by respondent and evaluation, oldest evaluation first.
SELECT e.respondent, e.round_id, e.occasion, e.evaluated_at, e.state, s.value, s.low, s.high, s.reason
FROM board_entries e
JOIN board_scores s
    ON s.board_id = e.board_id AND s.round_id = e.round_id AND s.respondent = e.respondent
    AND s.metric = 'calibrated_refusal_score'
WHERE e.board_id = ?
ORDER BY e.respondent, e.evaluated_at, e.round_id;
