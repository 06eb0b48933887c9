-- Share of each class's items to be refused that a respondent refuses with the expected code, and their number.
SELECT
    respondent, judge,
    any_value(value) FILTER (slice_value = 'P-MissingInfo') AS missing_info,
    any_value(value) FILTER (slice_value = 'P-FalsePremise') AS false_premise,
    any_value(value) FILTER (slice_value = 'P-Contradiction') AS contradiction,
    any_value(value) FILTER (slice_value = 'P-Ambiguity') AS ambiguity,
    any_value(value) FILTER (slice_value = 'P-GranularityMismatch') AS granularity,
    any_value(value) FILTER (slice_value = 'P-EpistemicMismatch') AS epistemic,
    any_value(n) FILTER (slice_value = 'P-MissingInfo') AS missing_info_items,
    any_value(n) FILTER (slice_value = 'P-FalsePremise') AS false_premise_items,
    any_value(n) FILTER (slice_value = 'P-Contradiction') AS contradiction_items,
    any_value(n) FILTER (slice_value = 'P-Ambiguity') AS ambiguity_items,
    any_value(n) FILTER (slice_value = 'P-GranularityMismatch') AS granularity_items,
    any_value(n) FILTER (slice_value = 'P-EpistemicMismatch') AS epistemic_items
FROM live_scores
WHERE round_id = $round AND slice = 'class' AND metric = 'refusal_accuracy'
GROUP BY ALL
ORDER BY respondent, judge;
