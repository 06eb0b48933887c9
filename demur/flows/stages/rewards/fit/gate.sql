-- Expectations of the stage fit for fits and their weights.

-- errors_in_range: pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out
-- All shares of wrongly ordered pairs, and of prompts with the ideal completion first, lie between 0 and 1.
SELECT unit_id, policy, behaviour, grader, pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out
FROM live_fits
WHERE round_id = $round_id AND (
    least(pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out) < 0
    OR greatest(pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out) > 1
);

-- without_grades: policy, behaviour, grader
-- Every fit has graded completions.
SELECT unit_id, policy, behaviour, grader
FROM live_fits
ANTI JOIN (FROM live_grades WHERE subject_kind = 'completion') USING (round_id, policy, behaviour, grader)
WHERE round_id = $round_id;

-- without_weights: unit_id
-- Every fit has weights.
SELECT unit_id, policy, behaviour, grader
FROM live_fits
ANTI JOIN live_weights USING (round_id, unit_id)
WHERE round_id = $round_id;

-- without_comparisons: pairs_train
-- Every fit has pairs of completions in its training prompts.
SELECT unit_id, policy, behaviour, grader
FROM live_fits
WHERE round_id = $round_id AND pairs_train = 0;

-- not_finite: objective, relative_gap
-- The objective and the relative gap of every fit are finite.
SELECT unit_id, policy, behaviour, grader, objective, relative_gap
FROM live_fits
WHERE round_id = $round_id AND (NOT isfinite(objective) OR NOT isfinite(relative_gap));

-- weights_repeated: weights.feature
-- No feature of a policy and behaviour has two weights.
SELECT policy, behaviour, feature, kind, count(*) AS number
FROM live_weights
WHERE round_id = $round_id
GROUP BY ALL
HAVING number > 1;

-- kinds_unknown: weights.kind
-- Every weight belongs to a proposition or a class.
SELECT unit_id, policy, behaviour, feature, kind, value, low, high
FROM live_weights
WHERE round_id = $round_id AND kind NOT IN ('proposition', 'class');

-- weights_not_finite: weights.value, low, high
-- Weights and their intervals are finite.
SELECT unit_id, policy, behaviour, feature, kind, value, low, high
FROM live_weights
WHERE round_id = $round_id AND (NOT isfinite(value) OR NOT isfinite(low) OR NOT isfinite(high));

-- intervals_reversed: weights.low, high
-- No interval has a lower end above its upper end.
SELECT unit_id, policy, behaviour, feature, kind, value, low, high
FROM live_weights
WHERE round_id = $round_id AND low > high;

-- weights_without_fit: weights.unit_id
-- Every weight belongs to a fit.
SELECT unit_id, policy, behaviour, feature
FROM live_weights
ANTI JOIN live_fits USING (round_id, unit_id)
WHERE round_id = $round_id;
