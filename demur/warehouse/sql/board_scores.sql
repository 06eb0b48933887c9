SELECT round_id, respondent, metric, value, low, high, n, reason
FROM board_scores WHERE board_id = ? AND is_newest
ORDER BY respondent, round_id, metric;
