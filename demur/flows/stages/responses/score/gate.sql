-- Expectations of the stage score for scores.

-- values_in_range: value, low, high
-- Every value and both ends of its interval lie between 0 and 1.
SELECT unit_id, respondent, judge, slice, slice_value, metric, value, low, high
FROM live_scores
WHERE round_id = $round_id
    AND (least(value, low) < 0 OR greatest(value, high) > 1 OR isnan(value) OR isnan(low) OR isnan(high));

-- respondents_unknown: respondent
-- Every score belongs to a respondent of the round.
SELECT unit_id, respondent, judge, slice, slice_value, metric
FROM live_scores
WHERE round_id = $round_id
    AND respondent NOT IN (SELECT unnest(respondents) FROM rounds WHERE round_id = $round_id);

-- judges_unknown: judge
-- Every score belongs to a judge of the round, or to the majority of its judges.
SELECT unit_id, respondent, judge, slice, slice_value, metric
FROM live_scores
WHERE round_id = $round_id
    AND judge <> 'majority' AND judge NOT IN (SELECT unnest(judges) FROM rounds WHERE round_id = $round_id);

-- without_value_and_reason: value, reason
-- Every score without a value has a reason.
SELECT unit_id, respondent, judge, slice, slice_value, metric
FROM live_scores
WHERE round_id = $round_id AND value IS NULL AND reason IS NULL;

-- intervals_reversed: low, high
-- No interval has a lower end above its upper end.
SELECT unit_id, respondent, judge, slice, slice_value, metric, low, high
FROM live_scores
WHERE round_id = $round_id AND low > high;
