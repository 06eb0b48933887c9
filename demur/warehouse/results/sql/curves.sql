-- Shares of refusals of two respondents, by class and intensity.
SELECT respondent, class, intensity, refusal_rate, low, high, responses
FROM intensity_curves
WHERE round_id = $round AND judge = $judge AND respondent IN ($a, $b)
ORDER BY respondent, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
