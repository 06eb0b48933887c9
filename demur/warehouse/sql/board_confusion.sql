-- Numbers of responses to perturbed items, by respondent, expected code and predicted code.
SELECT e.round_id, e.respondent, c.expected, c.predicted, sum(c.responses)::BIGINT AS responses
FROM board_entries e
JOIN confusion c ON c.round_id = e.round_id AND c.respondent = e.respondent AND c.judge = e.judge
WHERE e.board_id = ? AND e.is_newest
GROUP BY ALL
ORDER BY ALL;
