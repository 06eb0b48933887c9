-- Fits of a round by policy and behaviour, with their weights: rows, units, lowest and highest errors, and rows that
-- break what later stages rely on. Weights without a fit stand in a row without policy.
WITH landed AS (
    SELECT
        f.*,
        row_number() OVER (PARTITION BY f.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY f.policy, f.behaviour, f.grader) AS row_of_key
    FROM units u JOIN fits f USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'fit'
), weighed AS (
    SELECT
        unit_id,
        count(*) AS weights,
        count(*) - count(DISTINCT (policy, behaviour, feature, kind)) AS repeated,
        count(*) FILTER (kind NOT IN ('proposition', 'class')) AS kinds_unknown,
        count(*) FILTER (NOT isfinite(value) OR NOT isfinite(low) OR NOT isfinite(high)) AS not_finite,
        count(*) FILTER (low > high) AS reversed
    FROM live_weights
    WHERE round_id = $round_id
    GROUP BY unit_id
), graded AS (
    SELECT DISTINCT policy, behaviour, grader FROM live_grades WHERE round_id = $round_id AND subject_kind = 'completion'
)
SELECT
    f.policy, f.behaviour,
    count(f.unit_id) AS rows,
    count(*) FILTER (f.row_of_unit = 1) AS units,
    min(least(pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out)) AS lowest_error,
    max(greatest(pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out))
        AS highest_error,
    count(*) FILTER (f.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (f.policy, f.behaviour, f.grader)) AS keys_blank,
    count(*) FILTER (f.unit_id IS NOT NULL AND g.policy IS NULL) AS without_grades,
    count(*) FILTER (f.unit_id IS NOT NULL AND w.unit_id IS NULL) AS without_weights,
    count(*) FILTER (f.pairs_train = 0) AS without_comparisons,
    count(*) FILTER (NOT isfinite(f.objective) OR NOT isfinite(f.relative_gap)) AS not_finite,
    coalesce(sum(w.repeated), 0)::BIGINT AS weights_repeated,
    coalesce(sum(w.kinds_unknown), 0)::BIGINT AS kinds_unknown,
    coalesce(sum(w.not_finite), 0)::BIGINT AS weights_not_finite,
    coalesce(sum(w.reversed), 0)::BIGINT AS intervals_reversed,
    count(*) FILTER (f.unit_id IS NULL) AS weights_without_fit
FROM landed f
FULL JOIN weighed w USING (unit_id)
LEFT JOIN graded g ON g.policy = f.policy AND g.behaviour = f.behaviour AND g.grader = f.grader
GROUP BY ALL
ORDER BY ALL;
