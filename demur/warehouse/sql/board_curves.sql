SELECT e.round_id, e.respondent, c.intensity, c.refusal_rate AS value, c.low, c.high, c.reason
FROM board_entries e
JOIN intensity_curve_rollups c ON c.round_id = e.round_id AND c.respondent = e.respondent AND c.judge = e.judge
WHERE e.board_id = ? AND e.is_newest
ORDER BY e.respondent, e.round_id, c.intensity;
