SELECT * EXCLUDE (round_id) FROM scores_by_factor
WHERE round_id = $round AND NOT (family IS NULL AND alignment IS NULL AND parameters_billion IS NULL AND thinking_tokens IS NULL)
ORDER BY judge, metric, respondent;
