-- Scores on all items, and on items of strata whose keys are not contested.
SELECT
    respondent, judge, calibrated_refusal_score, uncontested_score, responses, contested,
    coalesce(nullif(array_to_string(contested, '; '), ''), 'none') AS left_out
FROM uncontested_scores
WHERE round_id = $round
ORDER BY judge, uncontested_score DESC NULLS LAST, respondent;
