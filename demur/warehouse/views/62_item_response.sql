-- How hard items are and whether the round still separates respondents, by item response theory.

CREATE OR REPLACE VIEW item_measures AS
WITH answered AS (
    SELECT
        r.round_id, r.judge, r.item_id,
        list(DISTINCT r.respondent) FILTER (NOT coalesce(r.is_right, false)) AS missed_by,
        list(DISTINCT r.respondent) FILTER (r.is_right) AS right_for
    FROM item_responses r
    WHERE r.judge IS NOT NULL AND r.kind = 'perturbed'
    GROUP BY ALL
)
SELECT
    p.round_id, p.judge, i.item_id, i.base_id, i.class, i.intensity, i.lever_id, i.lever, i.generator, i.expected,
    i.question,
    p.difficulty, p.difficulty_low, p.difficulty_high, p.discrimination, p.discrimination_low, p.discrimination_high,
    p.information, p.suspicion,
    coalesce(list_sort(a.right_for), []) AS right_for,
    coalesce(list_sort(a.missed_by), []) AS missed_by
FROM live_item_parameters p
JOIN live_items i ON i.round_id = p.round_id AND i.item_id = p.factor_value
LEFT JOIN answered a ON a.round_id = p.round_id AND a.judge = p.judge AND a.item_id = i.item_id
WHERE p.factor = 'item_id'
ORDER BY p.round_id, p.judge, p.suspicion DESC, i.item_id;
COMMENT ON VIEW item_measures IS 'One row per judge and perturbed item: its difficulty and discrimination with 95 % intervals, what it tells of the best respondent, and how suspicious it is: those that abler respondents miss and others get come first.';
COMMENT ON COLUMN item_measures.right_for IS 'respondents with a right response to it, by name';
COMMENT ON COLUMN item_measures.missed_by IS 'respondents with another response to it, by name';

CREATE OR REPLACE VIEW saturation AS
WITH shares AS (
    SELECT
        round_id, judge, slice_value, metric, respondent, value, low, high,
        rank() OVER (PARTITION BY round_id, judge, slice_value ORDER BY value DESC) AS place
    FROM live_scores
    WHERE slice = 'class, intensity' AND metric IN ('answer_accuracy', 'refusal_accuracy') AND value IS NOT NULL
), best AS (
    SELECT
        round_id, judge, slice_value, string_agg(respondent, ', ' ORDER BY respondent) AS respondent,
        any_value(metric) AS metric, any_value(value) AS value, min(low) AS low, max(high) AS high
    FROM shares WHERE place = 1 GROUP BY ALL
)
SELECT
    s.round_id, s.judge, split_part(s.slice_value, ', ', 1) AS class, split_part(s.slice_value, ', ', 2) AS intensity,
    s.respondent, s.metric, s.value, s.low, s.high, s.high >= 0.95 AS is_saturated,
    p.difficulty, p.discrimination, p.information
FROM best s
LEFT JOIN live_item_parameters p
    ON p.round_id = s.round_id AND p.judge = s.judge AND p.factor = 'class, intensity'
    AND p.factor_value = s.slice_value
ORDER BY s.round_id, s.judge, s.high, class, intensity;
COMMENT ON VIEW saturation IS 'One row per judge and stratum: the best respondent there, and whether its interval reaches .95, so that better ones cannot be told from it.';
COMMENT ON COLUMN saturation.respondent IS 'the best respondent; all of them, by name, where several are equal';
COMMENT ON COLUMN saturation.metric IS 'the accuracy of what the stratum expects: `answer_accuracy` or `refusal_accuracy`';
COMMENT ON COLUMN saturation.value IS 'its score';
COMMENT ON COLUMN saturation.low IS 'lower end of its 95 % interval, the lowest of equals; may be null';
COMMENT ON COLUMN saturation.high IS 'upper end, the highest of equals; may be null';
COMMENT ON COLUMN saturation.is_saturated IS 'whether the upper end is .95 or more; null without an interval';

CREATE OR REPLACE VIEW saturation_rollups AS
WITH strata AS (
    SELECT
        round_id, judge, count(*) AS strata,
        list(class || ', ' || intensity ORDER BY high, class, intensity) FILTER (NOT is_saturated) AS separating
    FROM saturation
    GROUP BY ALL
), placed AS (
    SELECT
        round_id, judge, respondent, value, low, high,
        rank() OVER (PARTITION BY round_id, judge ORDER BY value DESC) AS place
    FROM live_scores
    WHERE slice = 'overall' AND metric = 'calibrated_refusal_score' AND value IS NOT NULL
), best AS (
    SELECT
        round_id, judge, string_agg(respondent, ', ' ORDER BY respondent) AS respondent,
        any_value(value) AS value, min(low) AS low, max(high) AS high
    FROM placed WHERE place = 1 GROUP BY ALL
)
SELECT
    b.round_id, b.judge, b.respondent, b.value AS calibrated_refusal_score, b.low AS crs_low, b.high AS crs_high,
    b.high >= 0.95 AS is_saturated, s.strata, coalesce(s.separating, []) AS separating
FROM best b
JOIN strata s USING (round_id, judge)
ORDER BY b.round_id, b.judge;
COMMENT ON VIEW saturation_rollups IS 'One row per round and judge: the best respondent, whether its interval reaches .95, so that the round no longer separates, and the strata that still do.';
COMMENT ON COLUMN saturation_rollups.calibrated_refusal_score IS 'its score';
COMMENT ON COLUMN saturation_rollups.crs_low IS 'lower end of its 95 % interval; may be null';
COMMENT ON COLUMN saturation_rollups.crs_high IS 'upper end; may be null';
COMMENT ON COLUMN saturation_rollups.strata IS 'strata with scores';
COMMENT ON COLUMN saturation_rollups.separating IS 'strata whose best respondent''s interval ends below .95, the lowest first';
