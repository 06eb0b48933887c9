-- Results of respondents: metrics, slices, confusion, distribution, calibration, curves, difficulty, pairs, factors.
-- Shares, scores and probabilities lie in [0, 1]; low and high end 95 % intervals. Intervals and tests, which SQL
-- cannot compute, are joined from the rows of the stage `score`. Everything else is counted here.

CREATE OR REPLACE VIEW response_kinds AS
WITH read AS NOT MATERIALIZED (
    SELECT
        *,
        expected = 'ANSWER_CORRECTLY' AS answerable,
        expected = 'ANSWER_CORRECTLY' AND predicted = 'ANSWER_ATTEMPT' AS tried,
        CASE WHEN layout = 'multi' THEN coalesce(eligible AND supported_relevant, correct) ELSE correct END AS "right"
    FROM live_response_counts
), ungraded AS (
    -- Respondents without any graded answer by a judge: their answers are ungraded instead of invalid. Usually empty.
    SELECT round_id, respondent, judge, true AS is_ungraded
    FROM read WHERE tried
    GROUP BY ALL
    HAVING NOT bool_or("right" IS NOT NULL)
)
SELECT
    r.round_id, r.respondent, r.judge, r.kind, r.layout, r.class, r.intensity, r.domain, r.language, r.lever_id,
    r.expected, r.confidence, r.reaction, r.refused_by_provider, r.eligible, r.supported_all, r.supported_relevant,
    CASE WHEN r.tried AND r."right" IS NULL AND u.is_ungraded IS NULL THEN 'INVALID' ELSE r.predicted END AS predicted,
    CASE
        WHEN r.predicted = 'INVALID' THEN 'invalid'
        WHEN r.tried AND r."right" IS NULL THEN CASE WHEN u.is_ungraded THEN 'ungraded_answer' ELSE 'invalid' END
        WHEN r.tried THEN CASE WHEN r."right" THEN 'correct_answer' ELSE 'wrong_answer' END
        WHEN r.predicted = 'ANSWER_ATTEMPT' THEN 'missed_refusal'
        WHEN r.answerable THEN 'false_refusal'
        WHEN r.expected IN (r.predicted, 'REFUSE') THEN 'correct_refusal'
        ELSE 'wrong_category_refusal'
    END AS response_kind,
    r.responses
FROM read r
LEFT JOIN ungraded u ON u.round_id = r.round_id AND u.respondent = r.respondent AND u.judge = r.judge;
COMMENT ON VIEW response_kinds IS 'One row per respondent, judge and combination of the other columns: kind and number of responses. `ungraded_answer` is the kind of all answers of a respondent without any graded answer.';
COMMENT ON COLUMN response_kinds.response_kind IS '`correct_answer`, `wrong_answer`, `ungraded_answer`, `correct_refusal`, `wrong_category_refusal`, `false_refusal`, `missed_refusal` or `invalid`';

CREATE OR REPLACE VIEW counted_scores AS
WITH read AS (
    SELECT
        *,
        -- Doubles are exact for counts, and much faster to sum than integers, whose sums have 128 bits.
        CAST(responses AS DOUBLE) AS n,
        layout = 'multi' AND response_kind IN ('correct_answer', 'wrong_answer', 'ungraded_answer') AS tried,
        predicted = 'ANSWER_ATTEMPT' AS attempted,
        predicted NOT IN ('ANSWER_ATTEMPT', 'INVALID') AS refused,
        n * (CAST(response_kind IN ('correct_answer', 'correct_refusal') AS DOUBLE) - CASE confidence
            WHEN 'VERY_CONFIDENT' THEN 0.95
            WHEN 'CONFIDENT' THEN 0.8
            WHEN 'SOMEWHAT_CONFIDENT' THEN 0.6
            WHEN 'UNCERTAIN' THEN 0.4
            WHEN 'VERY_UNCERTAIN' THEN 0.15
        END) AS gap
    FROM response_kinds
), cells AS (
    SELECT
        round_id, respondent, judge, kind, class, intensity, domain, language,
        sum(n) AS responses,
        sum(CASE WHEN expected = 'ANSWER_CORRECTLY' THEN n ELSE 0 END) AS answerable,
        sum(CASE WHEN response_kind = 'correct_answer' THEN n ELSE 0 END) AS correct_answers,
        sum(CASE WHEN response_kind = 'wrong_answer' THEN n ELSE 0 END) AS wrong_answers,
        sum(CASE WHEN response_kind = 'ungraded_answer' THEN n ELSE 0 END) AS ungraded,
        sum(CASE WHEN response_kind = 'false_refusal' THEN n ELSE 0 END) AS false_refusals,
        sum(CASE WHEN response_kind = 'missed_refusal' THEN n ELSE 0 END) AS missed_refusals,
        sum(CASE WHEN response_kind = 'correct_refusal' THEN n ELSE 0 END) AS matches,
        sum(CASE WHEN response_kind = 'wrong_category_refusal' THEN n ELSE 0 END) AS mismatches,
        sum(CASE WHEN response_kind = 'invalid' THEN n ELSE 0 END) AS invalid,
        sum(CASE WHEN expected = 'REFUSE' THEN n ELSE 0 END) AS any_reason,
        sum(CASE WHEN refused_by_provider THEN n ELSE 0 END) AS provider_refusals,
        sum(CASE WHEN layout = 'multi' THEN n ELSE 0 END) AS multi,
        sum(CASE WHEN layout = 'multi' AND expected = 'ANSWER_CORRECTLY' THEN n ELSE 0 END) AS multi_answerable,
        sum(CASE WHEN layout = 'multi' AND response_kind = 'correct_answer' THEN n ELSE 0 END) AS multi_correct,
        sum(CASE WHEN layout = 'multi' AND response_kind = 'wrong_answer' THEN n ELSE 0 END) AS multi_wrong,
        sum(CASE WHEN layout = 'multi' AND response_kind = 'ungraded_answer' THEN n ELSE 0 END) AS multi_ungraded,
        sum(CASE WHEN layout = 'multi' AND response_kind = 'correct_refusal' THEN n ELSE 0 END) AS multi_matches,
        sum(CASE WHEN reaction IS NOT NULL THEN n ELSE 0 END) AS plain,
        sum(CASE WHEN reaction IS NOT NULL AND expected = 'REFUSE_AMBIGUOUS_QUERY' THEN n ELSE 0 END)
            AS plain_ambiguous,
        sum(CASE WHEN reaction IS NOT NULL AND attempted THEN n ELSE 0 END) AS plain_attempts,
        sum(CASE WHEN reaction = 'asked_back' THEN n ELSE 0 END) AS asked_back,
        sum(CASE WHEN reaction = 'asked_back' AND expected = 'REFUSE_AMBIGUOUS_QUERY' THEN n ELSE 0 END)
            AS asked_back_on_ambiguous,
        sum(CASE WHEN reaction = 'partial_answer' AND attempted THEN n ELSE 0 END) AS hedged,
        sum(CASE WHEN tried AND eligible THEN n ELSE 0 END) AS eligible,
        sum(CASE WHEN tried AND eligible IS NOT NULL THEN n ELSE 0 END) AS graded_eligible,
        sum(CASE WHEN tried AND supported_all THEN n ELSE 0 END) AS supported_all,
        sum(CASE WHEN tried AND supported_all IS NOT NULL THEN n ELSE 0 END) AS graded_all,
        sum(CASE WHEN tried AND supported_relevant THEN n ELSE 0 END) AS supported_relevant,
        sum(CASE WHEN tried AND supported_relevant IS NOT NULL THEN n ELSE 0 END) AS graded_relevant,
        sum(CASE WHEN confidence IS NOT NULL THEN n ELSE 0 END) AS stated,
        sum(CASE WHEN confidence IS NOT NULL AND attempted THEN n ELSE 0 END) AS stated_answers,
        sum(CASE WHEN confidence IS NOT NULL AND refused THEN n ELSE 0 END) AS stated_refusals,
        sum(CASE WHEN confidence IS NOT NULL AND response_kind = 'ungraded_answer' THEN n ELSE 0 END)
            AS stated_ungraded,
        sum(CASE WHEN confidence = 'VERY_CONFIDENT' THEN gap ELSE 0 END) AS gap_95,
        sum(CASE WHEN confidence = 'CONFIDENT' THEN gap ELSE 0 END) AS gap_80,
        sum(CASE WHEN confidence = 'SOMEWHAT_CONFIDENT' THEN gap ELSE 0 END) AS gap_60,
        sum(CASE WHEN confidence = 'UNCERTAIN' THEN gap ELSE 0 END) AS gap_40,
        sum(CASE WHEN confidence = 'VERY_UNCERTAIN' THEN gap ELSE 0 END) AS gap_15,
        sum(CASE WHEN confidence = 'VERY_CONFIDENT' AND attempted THEN gap ELSE 0 END) AS gap_answers_95,
        sum(CASE WHEN confidence = 'CONFIDENT' AND attempted THEN gap ELSE 0 END) AS gap_answers_80,
        sum(CASE WHEN confidence = 'SOMEWHAT_CONFIDENT' AND attempted THEN gap ELSE 0 END) AS gap_answers_60,
        sum(CASE WHEN confidence = 'UNCERTAIN' AND attempted THEN gap ELSE 0 END) AS gap_answers_40,
        sum(CASE WHEN confidence = 'VERY_UNCERTAIN' AND attempted THEN gap ELSE 0 END) AS gap_answers_15,
        sum(CASE WHEN confidence = 'VERY_CONFIDENT' AND refused THEN gap ELSE 0 END) AS gap_refusals_95,
        sum(CASE WHEN confidence = 'CONFIDENT' AND refused THEN gap ELSE 0 END) AS gap_refusals_80,
        sum(CASE WHEN confidence = 'SOMEWHAT_CONFIDENT' AND refused THEN gap ELSE 0 END) AS gap_refusals_60,
        sum(CASE WHEN confidence = 'UNCERTAIN' AND refused THEN gap ELSE 0 END) AS gap_refusals_40,
        sum(CASE WHEN confidence = 'VERY_UNCERTAIN' AND refused THEN gap ELSE 0 END) AS gap_refusals_15
    FROM read
    GROUP BY ALL
), sliced AS (
    SELECT
        round_id, respondent, judge, kind, class, intensity, domain, language,
        grouping(class, intensity, domain, language) AS left_out,
        sum(COLUMNS(* EXCLUDE (round_id, respondent, judge, kind, class, intensity, domain, language)))
    FROM cells
    GROUP BY GROUPING SETS (
        (round_id, respondent, judge, kind),
        (round_id, respondent, judge, kind, class),
        (round_id, respondent, judge, kind, intensity),
        (round_id, respondent, judge, kind, class, intensity),
        (round_id, respondent, judge, kind, domain),
        (round_id, respondent, judge, kind, language)
    )
), named AS (
    -- `left_out` has one bit per column that a grouping set leaves out: class 8, intensity 4, domain 2, language 1.
    SELECT
        * EXCLUDE (class, intensity, domain, language),
        CASE
            WHEN kind <> 'perturbed' THEN 'kind'
            WHEN left_out = 7 THEN 'class'
            WHEN left_out = 11 THEN 'intensity'
            WHEN left_out = 3 THEN 'class, intensity'
            WHEN left_out = 13 THEN 'domain'
            WHEN left_out = 14 THEN 'language'
            ELSE 'overall'
        END AS slice,
        CASE
            WHEN kind <> 'perturbed' THEN kind
            WHEN left_out = 7 THEN class
            WHEN left_out = 11 THEN intensity
            WHEN left_out = 3 THEN class || ', ' || intensity
            WHEN left_out = 13 THEN domain
            WHEN left_out = 14 THEN language
            ELSE 'overall'
        END AS slice_value,
        matches + mismatches + false_refusals AS refusals
    FROM sliced
    WHERE kind = 'perturbed' OR left_out = 15
), shares AS (
    SELECT
        *,
        abs(gap_95) + abs(gap_80) + abs(gap_60) + abs(gap_40) + abs(gap_15) AS gap,
        abs(gap_answers_95) + abs(gap_answers_80) + abs(gap_answers_60) + abs(gap_answers_40) + abs(gap_answers_15)
            AS gap_answers,
        abs(gap_refusals_95) + abs(gap_refusals_80) + abs(gap_refusals_60) + abs(gap_refusals_40)
            + abs(gap_refusals_15) AS gap_refusals,
        responses - answerable AS unanswerable,
        matches + mismatches AS refused_rightly,
        CASE WHEN ungraded = 0 THEN correct_answers / nullif(answerable, 0) END AS answer_accuracy,
        CASE WHEN any_reason = 0 THEN matches / nullif(responses - answerable, 0) END AS refusal_accuracy,
        CASE WHEN responses > answerable
            THEN 2 * (matches + mismatches) / (refusals + responses - answerable) END AS detection_f1,
        CASE WHEN any_reason = 0 THEN matches / nullif(matches + mismatches, 0) END AS category_accuracy
    FROM named
    WHERE slice_value IS NOT NULL
), metrics AS (
    SELECT round_id, respondent, judge, slice, slice_value, unnest([
        {'metric': 'answer_accuracy', 'value': answer_accuracy, 'n': answerable},
        {'metric': 'refusal_accuracy', 'value': refusal_accuracy, 'n': unanswerable},
        {'metric': 'false_refusal_rate', 'value': false_refusals / nullif(answerable, 0), 'n': answerable},
        {'metric': 'missed_refusal_rate', 'value': missed_refusals / nullif(unanswerable, 0), 'n': unanswerable},
        {'metric': 'refusal_rate', 'value': refusals / nullif(responses, 0), 'n': responses},
        {'metric': 'correct_refusal_rate', 'value': refused_rightly / nullif(unanswerable, 0), 'n': unanswerable},
        {'metric': 'detection_precision', 'value': refused_rightly / nullif(refusals, 0), 'n': refusals},
        {'metric': 'detection_recall', 'value': refused_rightly / nullif(unanswerable, 0), 'n': unanswerable},
        {'metric': 'detection_f1', 'value': detection_f1, 'n': responses},
        {'metric': 'category_accuracy', 'value': category_accuracy, 'n': refused_rightly},
        {'metric': 'hierarchical_refusal_score', 'value': detection_f1 * category_accuracy, 'n': responses},
        {'metric': 'calibrated_refusal_score', 'value': (answer_accuracy + refusal_accuracy) / 2, 'n': responses},
        {
            'metric': 'answer_quality', 'n': multi_answerable,
            'value': CASE WHEN multi_ungraded = 0 THEN multi_correct / nullif(multi_answerable, 0) END
        },
        {
            'metric': 'hybrid_score', 'n': multi,
            'value': CASE WHEN multi_ungraded = 0 AND any_reason = 0
                THEN (multi_correct + multi_matches) / nullif(multi, 0) END
        },
        {
            'metric': 'ece', 'n': stated,
            'value': CASE WHEN stated_ungraded = 0 THEN gap / nullif(stated, 0) END
        },
        {
            'metric': 'ece_answers', 'n': stated_answers,
            'value': CASE WHEN stated_ungraded = 0 THEN gap_answers / nullif(stated_answers, 0) END
        },
        {
            'metric': 'ece_refusals', 'n': stated_refusals,
            'value': gap_refusals / nullif(stated_refusals, 0)
        },
        {'metric': 'invalid_rate', 'value': invalid / nullif(responses, 0), 'n': responses},
        {
            'metric': 'provider_refusal_rate', 'n': responses,
            'value': provider_refusals / nullif(responses, 0)
        },
        {'metric': 'eligibility', 'value': eligible / nullif(graded_eligible, 0), 'n': graded_eligible},
        {'metric': 'factuality_all', 'value': supported_all / nullif(graded_all, 0), 'n': graded_all},
        {
            'metric': 'factuality_relevant', 'n': graded_relevant,
            'value': supported_relevant / nullif(graded_relevant, 0)
        },
        {
            'metric': 'raf_attempts', 'n': multi_correct + multi_wrong + multi_ungraded,
            'value': CASE WHEN multi_ungraded = 0 THEN multi_correct / nullif(multi_correct + multi_wrong, 0) END
        },
        {'metric': 'asked_back', 'value': asked_back / nullif(plain, 0), 'n': plain},
        {
            'metric': 'asked_back_if_ambiguous', 'n': plain_ambiguous,
            'value': asked_back_on_ambiguous / nullif(plain_ambiguous, 0)
        },
        {'metric': 'hedged_answers', 'value': hedged / nullif(plain_attempts, 0), 'n': plain_attempts},
        {
            'metric': 'share_correct_answer', 'n': responses,
            'value': CASE WHEN ungraded = 0 THEN correct_answers / nullif(responses, 0) END
        },
        {
            'metric': 'share_wrong_answer', 'n': responses,
            'value': CASE WHEN ungraded = 0 THEN wrong_answers / nullif(responses, 0) END
        },
        {'metric': 'share_correct_refusal', 'value': matches / nullif(responses, 0), 'n': responses},
        {'metric': 'share_wrong_category_refusal', 'value': mismatches / nullif(responses, 0), 'n': responses},
        {'metric': 'share_false_refusal', 'value': false_refusals / nullif(responses, 0), 'n': responses},
        {'metric': 'share_missed_refusal', 'value': missed_refusals / nullif(responses, 0), 'n': responses},
        {'metric': 'share_invalid', 'value': invalid / nullif(responses, 0), 'n': responses}
    ]) AS found
    FROM shares
)
SELECT
    round_id, respondent, judge, slice, slice_value,
    found.metric AS metric, CAST(found.value AS DOUBLE) AS value, CAST(found.n AS BIGINT) AS n
FROM metrics;
COMMENT ON VIEW counted_scores IS 'One row per respondent, judge, slice and metric: values of `scores` without intervals, counted in SQL. Slices overlap: choose one.';
COMMENT ON COLUMN counted_scores.slice IS '`overall`, `class`, `intensity`, `class, intensity`, `domain`, `language` or `kind` (controls)';
COMMENT ON COLUMN counted_scores.metric IS 'name of the metric, as in `scores`';
COMMENT ON COLUMN counted_scores.value IS 'value of the metric; null if undefined';

-- Headline metrics side by side, one row per respondent, judge and slice.
CREATE OR REPLACE MACRO headline_scores() AS TABLE
WITH wide AS (
    SELECT
        round_id, respondent, judge, slice, slice_value,
        any_value(n) FILTER (metric = 'invalid_rate') AS responses,
        any_value(value) FILTER (metric = 'calibrated_refusal_score') AS calibrated_refusal_score,
        any_value(low) FILTER (metric = 'calibrated_refusal_score') AS crs_low,
        any_value(high) FILTER (metric = 'calibrated_refusal_score') AS crs_high,
        any_value(value) FILTER (metric = 'answer_accuracy') AS answer_accuracy,
        any_value(value) FILTER (metric = 'refusal_accuracy') AS refusal_accuracy,
        any_value(value) FILTER (metric = 'false_refusal_rate') AS false_refusal_rate,
        any_value(value) FILTER (metric = 'missed_refusal_rate') AS missed_refusal_rate,
        any_value(value) FILTER (metric = 'category_accuracy') AS category_accuracy,
        any_value(value) FILTER (metric = 'invalid_rate') AS invalid_rate
    FROM live_scores
    GROUP BY ALL
)
SELECT w.*, coalesce(p.state, 'complete') AS state
FROM wide w
LEFT JOIN evaluation_states p
    ON p.round_id = w.round_id AND p.respondent = w.respondent AND p.judge = w.judge;

CREATE OR REPLACE VIEW scores_by_stratum AS
SELECT
    round_id, respondent, judge,
    split_part(slice_value, ', ', 1) AS class, split_part(slice_value, ', ', 2) AS intensity,
    * EXCLUDE (round_id, respondent, judge, slice, slice_value)
FROM headline_scores()
WHERE slice = 'class, intensity';
COMMENT ON VIEW scores_by_stratum IS 'One row per respondent, judge and stratum: headline metrics, the 95 % interval of the calibrated refusal score, and completeness of the judgements.';
COMMENT ON COLUMN scores_by_stratum.responses IS 'number of responses to items of the stratum';
COMMENT ON COLUMN scores_by_stratum.answer_accuracy IS 'metric `answer_accuracy` of `scores`; null if undefined';
COMMENT ON COLUMN scores_by_stratum.refusal_accuracy IS 'metric `refusal_accuracy` of `scores`; null if undefined';
COMMENT ON COLUMN scores_by_stratum.false_refusal_rate IS 'metric `false_refusal_rate` of `scores`; null if undefined';
COMMENT ON COLUMN scores_by_stratum.missed_refusal_rate IS 'metric `missed_refusal_rate` of `scores`; null if undefined';
COMMENT ON COLUMN scores_by_stratum.category_accuracy IS 'metric `category_accuracy` of `scores`; null if undefined';
COMMENT ON COLUMN scores_by_stratum.invalid_rate IS 'metric `invalid_rate` of `scores`; null if undefined';

CREATE OR REPLACE VIEW score_rollups AS
FROM headline_scores() WHERE slice <> 'class, intensity';
COMMENT ON VIEW score_rollups IS 'One row per respondent, judge and slice over several strata (overall, class, intensity, domain, language, controls): the columns of `scores_by_stratum`. Slices overlap: choose one.';
COMMENT ON COLUMN score_rollups.slice IS 'slice of `scores` other than `class, intensity`, such as `overall`, `class` or `kind` (controls)';
COMMENT ON COLUMN score_rollups.responses IS 'number of responses in the slice';
COMMENT ON COLUMN score_rollups.answer_accuracy IS 'metric `answer_accuracy` of `scores`; null if undefined';
COMMENT ON COLUMN score_rollups.refusal_accuracy IS 'metric `refusal_accuracy` of `scores`; null if undefined';
COMMENT ON COLUMN score_rollups.false_refusal_rate IS 'metric `false_refusal_rate` of `scores`; null if undefined';
COMMENT ON COLUMN score_rollups.missed_refusal_rate IS 'metric `missed_refusal_rate` of `scores`; null if undefined';
COMMENT ON COLUMN score_rollups.invalid_rate IS 'metric `invalid_rate` of `scores`; null if undefined';

CREATE OR REPLACE VIEW confusion AS
WITH cells AS (
    SELECT
        round_id, respondent, judge, intensity, expected, predicted, CAST(sum(responses) AS BIGINT) AS responses
    FROM response_kinds
    WHERE kind = 'perturbed'
    GROUP BY ALL
)
SELECT *, responses / sum(responses) OVER (PARTITION BY round_id, respondent, judge, intensity, expected) AS share
FROM cells;
COMMENT ON VIEW confusion IS 'One row per respondent, judge, intensity, expected code and given code that occur together: number and share of responses to perturbed items.';
COMMENT ON COLUMN confusion.share IS 'share of the responses with this intensity and expected code';

CREATE OR REPLACE VIEW confusion_rollups AS
WITH cells AS (
    SELECT round_id, respondent, judge, expected, predicted, CAST(sum(responses) AS BIGINT) AS responses
    FROM confusion
    GROUP BY ALL
)
SELECT *, responses / sum(responses) OVER (PARTITION BY round_id, respondent, judge, expected) AS share
FROM cells;
COMMENT ON VIEW confusion_rollups IS 'One row per respondent, judge, expected code and given code that occur together: `confusion` over all intensities.';
COMMENT ON COLUMN confusion_rollups.share IS 'share of the responses with this expected code';

CREATE OR REPLACE VIEW response_distribution AS
WITH counted AS (
    SELECT round_id, respondent, judge, response_kind, CAST(sum(responses) AS BIGINT) AS responses
    FROM response_kinds WHERE kind = 'perturbed' GROUP BY ALL
)
SELECT
    s.round_id, s.respondent, s.judge, s.metric[7:] AS response_kind,
    coalesce(c.responses, 0) AS responses,
    CASE WHEN s.value IS NOT NULL THEN coalesce(c.responses, 0) / s.n END AS share,
    s.low, s.high, s.reason
FROM live_scores s
LEFT JOIN counted c
    ON c.round_id = s.round_id AND c.respondent = s.respondent AND c.judge = s.judge AND c.response_kind = s.metric[7:]
WHERE s.slice = 'overall' AND starts_with(s.metric, 'share_');
COMMENT ON VIEW response_distribution IS 'One row per respondent, judge and kind of response to perturbed items: number, and share with its 95 % interval. The shares add up to 1.';
COMMENT ON COLUMN response_distribution.response_kind IS '`correct_answer`, `wrong_answer`, `correct_refusal`, `wrong_category_refusal`, `false_refusal`, `missed_refusal`, `invalid`';
COMMENT ON COLUMN response_distribution.share IS 'share of all responses to perturbed items; null without graded answers';

CREATE OR REPLACE VIEW calibration_bins AS
WITH counted AS (
    SELECT
        round_id, respondent, judge, confidence,
        CASE WHEN predicted = 'ANSWER_ATTEMPT' THEN 'answers' ELSE 'refusals' END AS part,
        CAST(sum(responses) AS BIGINT) AS responses,
        sum(CASE WHEN response_kind IN ('correct_answer', 'correct_refusal') THEN responses ELSE 0 END)
            / sum(responses) AS accuracy
    FROM response_kinds
    WHERE kind = 'perturbed' AND confidence IS NOT NULL AND response_kind <> 'invalid'
    GROUP BY ALL
)
SELECT
    b.round_id, b.respondent, b.judge, b.part, b.confidence, b.midpoint,
    coalesce(c.responses, 0) AS responses,
    CASE WHEN b.accuracy IS NOT NULL THEN c.accuracy END AS accuracy,
    b.low, b.high,
    CASE WHEN b.accuracy IS NOT NULL THEN c.accuracy - b.midpoint END AS gap,
    b.reason
FROM live_calibration b
LEFT JOIN counted c
    ON c.round_id = b.round_id AND c.respondent = b.respondent AND c.judge = b.judge AND c.part = b.part
    AND c.confidence = b.confidence
WHERE b.part <> 'all';
COMMENT ON VIEW calibration_bins IS 'One row per respondent, judge, part (answers, refusals) and verbal level of confidence: accuracy of the responses, compared with the midpoint of the level.';
COMMENT ON COLUMN calibration_bins.part IS 'part of the responses: `answers` or `refusals`';
COMMENT ON COLUMN calibration_bins.gap IS '`accuracy` minus `midpoint`; above 0 if the respondent is too little confident; null without an accuracy';

CREATE OR REPLACE VIEW calibration_bin_rollups AS
WITH counted AS (
    SELECT
        round_id, respondent, judge, confidence,
        CAST(sum(responses) AS BIGINT) AS responses,
        sum(CASE WHEN response_kind IN ('correct_answer', 'correct_refusal') THEN responses ELSE 0 END)
            / sum(responses) AS accuracy
    FROM response_kinds
    WHERE kind = 'perturbed' AND confidence IS NOT NULL
    GROUP BY ALL
)
SELECT
    b.round_id, b.respondent, b.judge, b.confidence, b.midpoint,
    coalesce(c.responses, 0) AS responses,
    CASE WHEN b.accuracy IS NOT NULL THEN c.accuracy END AS accuracy,
    b.low, b.high,
    CASE WHEN b.accuracy IS NOT NULL THEN c.accuracy - b.midpoint END AS gap,
    b.reason
FROM live_calibration b
LEFT JOIN counted c
    ON c.round_id = b.round_id AND c.respondent = b.respondent AND c.judge = b.judge AND c.confidence = b.confidence
WHERE b.part = 'all';
COMMENT ON VIEW calibration_bin_rollups IS 'One row per respondent, judge and verbal level of confidence: `calibration_bins` over all responses, invalid ones included.';

CREATE OR REPLACE VIEW intensity_curves AS
SELECT
    round_id, respondent, judge,
    split_part(slice_value, ', ', 1) AS class,
    split_part(slice_value, ', ', 2) AS intensity,
    value AS refusal_rate, low, high, n AS responses, reason
FROM live_scores
WHERE slice = 'class, intensity' AND metric = 'refusal_rate';
COMMENT ON VIEW intensity_curves IS 'One row per respondent, judge, class and intensity: share of refusals, with its 95 % interval.';
COMMENT ON COLUMN intensity_curves.refusal_rate IS 'refusals / responses; null if undefined';

CREATE OR REPLACE VIEW intensity_curve_rollups AS
SELECT
    round_id, respondent, judge, slice_value AS intensity,
    value AS refusal_rate, low, high, n AS responses, reason
FROM live_scores
WHERE slice = 'intensity' AND metric = 'refusal_rate';
COMMENT ON VIEW intensity_curve_rollups IS 'One row per respondent, judge and intensity: `intensity_curves` over all classes.';

CREATE OR REPLACE VIEW lever_difficulty AS
WITH counted AS (
    SELECT
        round_id, judge, lever_id, any_value(class) AS class, any_value(intensity) AS intensity,
        count(DISTINCT respondent) AS respondents,
        CAST(sum(responses) AS BIGINT) AS responses,
        1 - sum(CASE WHEN response_kind IN ('correct_answer', 'correct_refusal') THEN responses ELSE 0 END)
            / sum(responses) AS difficulty,
        sum(CASE WHEN response_kind IN ('correct_refusal', 'wrong_category_refusal', 'false_refusal')
            THEN responses ELSE 0 END) / sum(responses) AS refusal_rate
    FROM response_kinds
    WHERE lever_id IS NOT NULL AND kind = 'perturbed'
    GROUP BY round_id, judge, lever_id
)
SELECT
    c.round_id, c.judge, c.lever_id, c.class, c.intensity, c.respondents, d.items, c.responses,
    CASE WHEN d.difficulty IS NOT NULL THEN c.difficulty END AS difficulty,
    d.low, d.high, c.refusal_rate, d.reason
FROM counted c
LEFT JOIN live_difficulties d
    ON d.round_id = c.round_id AND d.judge = c.judge AND d.factor = 'lever_id' AND d.factor_value = c.lever_id;
COMMENT ON VIEW lever_difficulty IS 'One row per round, judge and lever: difficulty of the lever''s items over all respondents, with its 95 % interval.';
COMMENT ON COLUMN lever_difficulty.lever_id IS 'id of the lever';
COMMENT ON COLUMN lever_difficulty."class" IS 'class of the lever';
COMMENT ON COLUMN lever_difficulty.intensity IS 'intensity of the lever';
COMMENT ON COLUMN lever_difficulty.respondents IS 'number of respondents that answered items of the lever';
COMMENT ON COLUMN lever_difficulty.items IS 'number of items made with the lever';

CREATE OR REPLACE VIEW domain_difficulty AS
WITH counted AS (
    SELECT
        round_id, judge, domain,
        count(DISTINCT respondent) AS respondents,
        CAST(sum(responses) AS BIGINT) AS responses,
        1 - sum(CASE WHEN response_kind IN ('correct_answer', 'correct_refusal') THEN responses ELSE 0 END)
            / sum(responses) AS difficulty
    FROM response_kinds
    WHERE domain IS NOT NULL AND kind = 'perturbed'
    GROUP BY round_id, judge, domain
)
SELECT
    c.round_id, c.judge, c.domain, c.respondents, d.items, c.responses,
    CASE WHEN d.difficulty IS NOT NULL THEN c.difficulty END AS difficulty,
    d.low, d.high, d.reason
FROM counted c
LEFT JOIN live_difficulties d
    ON d.round_id = c.round_id AND d.judge = c.judge AND d.factor = 'domain' AND d.factor_value = c.domain;
COMMENT ON VIEW domain_difficulty IS 'One row per round, judge and domain: difficulty of the domain''s items over all respondents, with its 95 % interval.';
COMMENT ON COLUMN domain_difficulty.respondents IS 'number of respondents that answered items of the domain';
COMMENT ON COLUMN domain_difficulty.items IS 'number of items of the domain';

CREATE OR REPLACE VIEW model_differences AS
SELECT
    t.round_id, t.judge, t.metric, t.first, t.second, t.items, t.sources, t.difference, t.low, t.high, t.p_value,
    t.p_value_holm, t.p_value_holm < 0.05 AS is_distinguishable,
    t.minimum_detectable, t.only_first, t.only_second, t.mcnemar_p_value, t.mcnemar_p_value_holm, t.reason,
    CASE WHEN NOT a.is_complete THEN a.state WHEN NOT b.is_complete THEN b.state ELSE 'complete' END AS state
FROM live_paired_tests t
LEFT JOIN evaluation_states a ON a.round_id = t.round_id AND a.respondent = t.first AND a.judge = t.judge
LEFT JOIN evaluation_states b ON b.round_id = t.round_id AND b.respondent = t.second AND b.judge = t.judge;
COMMENT ON VIEW model_differences IS 'One row per round, judge, metric and pair of respondents, over the items that both answered: score of the first minus score of the second with its 95 % interval, and tests of no difference (clustered by source question; McNemar''s by item) with Holm''s adjustment over all pairs.';
COMMENT ON COLUMN model_differences.is_distinguishable IS 'whether `p_value_holm` is below .05';
COMMENT ON COLUMN model_differences.state IS '`complete`, or the `INCOMPLETE, M of N` of a respondent whose responses were not all judged';

CREATE OR REPLACE VIEW code_collapse AS
SELECT
    u.round_id, u.respondent, u.judge, u.refusals, u.entropy_bits, u.expected_entropy_bits, u.top_code, u.top_share,
    u.top_share_low, u.top_share_high, u.never_given, u.constant_code, u.constant_calibrated_refusal_score,
    s.value AS calibrated_refusal_score, u.reason
FROM live_code_use u
LEFT JOIN live_scores s
    ON s.round_id = u.round_id AND s.respondent = u.respondent AND s.judge = u.judge AND s.slice = 'overall'
    AND s.metric = 'calibrated_refusal_score';
COMMENT ON VIEW code_collapse IS 'One row per respondent and judge: entropy of the given and the expected refusal codes, share of the most frequent code, codes never given, and the score of a model that always gives one code.';

CREATE OR REPLACE VIEW model_factors AS
SELECT
    r.round_id, w.respondent,
    m.model ->> '$.tags.family' AS family,
    CAST(m.model ->> '$.tags.parameters_billion' AS DOUBLE) AS parameters_billion,
    m.model ->> '$.tags.alignment' AS alignment,
    CAST(m.model ->> '$.tags.thinking_tokens' AS BIGINT) AS thinking_tokens
FROM rounds r
CROSS JOIN unnest(CAST(r.config -> '$.models' AS JSON[])) AS m(model)
CROSS JOIN unnest(r.respondents) AS w(respondent)
WHERE split_part(w.respondent, ' ', 1) = m.model ->> '$.name';
COMMENT ON VIEW model_factors IS 'One row per round and respondent: tags of the model.';
COMMENT ON COLUMN model_factors.family IS 'tag `family`, the family of the model; null if not given';
COMMENT ON COLUMN model_factors.parameters_billion IS 'tag `parameters_billion`, the number of parameters in billions; null if not given';
COMMENT ON COLUMN model_factors.alignment IS 'tag `alignment`, the kind of alignment; null if not given';
COMMENT ON COLUMN model_factors.thinking_tokens IS 'tag `thinking_tokens`, the thinking budget in tokens; null if not given';

CREATE OR REPLACE VIEW scores_by_factor AS
SELECT
    f.round_id, s.judge, f.respondent, f.family, f.parameters_billion, f.alignment, f.thinking_tokens,
    s.metric, s.value, s.low, s.high, s.n AS responses, coalesce(p.state, 'complete') AS state
FROM model_factors f
JOIN live_scores s ON s.round_id = f.round_id AND s.respondent = f.respondent
LEFT JOIN evaluation_states p ON p.round_id = s.round_id AND p.respondent = s.respondent AND p.judge = s.judge
WHERE s.slice = 'overall'
    AND s.metric IN (
        'calibrated_refusal_score', 'answer_accuracy', 'refusal_accuracy', 'false_refusal_rate', 'missed_refusal_rate'
    );
COMMENT ON VIEW scores_by_factor IS 'One row per round, judge, respondent and headline metric, with the tags of the respondent, for plots of scaling and alignment.';
COMMENT ON COLUMN scores_by_factor.metric IS 'name of the metric, as in `scores`';
COMMENT ON COLUMN scores_by_factor.value IS 'value of the metric; null if undefined';
COMMENT ON COLUMN scores_by_factor.responses IS 'number of responses in the denominator of the metric';

CREATE OR REPLACE VIEW judge_noise AS
SELECT
    f.round_id, f.respondent, f.metric, f.first_judge, f.second_judge,
    a.value AS first_value, b.value AS second_value,
    abs(f.difference) AS noise_floor, f.low, f.high, f.responses, f.same_class, f.alpha, f.reason
FROM live_noise_floors f
LEFT JOIN live_scores a
    ON a.round_id = f.round_id AND a.respondent = f.respondent AND a.judge = f.first_judge AND a.slice = 'overall'
    AND a.metric = f.metric
LEFT JOIN live_scores b
    ON b.round_id = f.round_id AND b.respondent = f.respondent AND b.judge = f.second_judge AND b.slice = 'overall'
    AND b.metric = f.metric;
COMMENT ON VIEW judge_noise IS 'One row per respondent and metric of a round with several judgings: the largest difference of two judgings of the same responses. A smaller difference between models says nothing.';
COMMENT ON COLUMN judge_noise.first_value IS 'value of the metric by the first judging; null if undefined';
COMMENT ON COLUMN judge_noise.second_value IS 'value of the metric by the second judging; null if undefined';
COMMENT ON COLUMN judge_noise.noise_floor IS 'absolute difference of the two judgings on the same responses; null if undefined';
COMMENT ON COLUMN judge_noise.low IS 'lower end of the 95 % interval of first judging minus second judging; null if there is no interval';
COMMENT ON COLUMN judge_noise.high IS 'upper end of the 95 % interval of first judging minus second judging; null if there is no interval';
