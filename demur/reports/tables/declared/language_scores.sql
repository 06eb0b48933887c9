-- Headline metrics by language; no rows if a round has one language.
SELECT
    slice_value AS language, respondent, judge, responses, calibrated_refusal_score, crs_low, crs_high, answer_accuracy,
    refusal_accuracy, invalid_rate
FROM score_rollups
WHERE round_id = $round AND slice = 'language'
ORDER BY judge, respondent, language;
