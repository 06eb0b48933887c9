-- Numbers of responses of two respondents, by expected and given code.
SELECT respondent, expected, predicted, count(*) AS responses
FROM response_outcomes
WHERE round_id = $round AND judge = $judge AND kind = 'perturbed' AND respondent IN ($a, $b)
GROUP BY ALL
ORDER BY respondent, expected, predicted;
