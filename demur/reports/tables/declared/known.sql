SELECT respondent, judge, class, known_n, known, known_low, known_high, unknown_n, "unknown", unknown_low, unknown_high
FROM known_scores
WHERE round_id = $round
ORDER BY judge, respondent, class <> 'overall', class;
