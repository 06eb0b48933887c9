SELECT
    respondent, judge, kind, n AS responses, refusal_accuracy, low, high, planted,
    replace(reason, ' in this slice', '') AS reason
FROM organic_scores
WHERE round_id = $round
ORDER BY judge, respondent, kind;
