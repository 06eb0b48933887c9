-- Audits by people. A reading passes if all five criteria pass. An item with several readings passes if more than half
-- of its finished readings pass. Intervals are Wilson's, 95 %, over items.

CREATE OR REPLACE VIEW live_audits AS
SELECT a.* FROM audits a
SEMI JOIN (SELECT round_id, item_id FROM live_items WHERE kind = 'perturbed') USING (round_id, item_id);
COMMENT ON VIEW live_audits IS 'One row per reader and perturbed item that is still in the round.';

CREATE OR REPLACE VIEW audit_readings AS
WITH marked AS (
    SELECT
        *,
        [lever_fidelity, intensity_achieved, uncertainty_induced, linguistic_soundness, ground_truth_alignment] AS marks
    FROM live_audits
)
SELECT
    round_id, item_id, reader, class, intensity,
    -- Readings with fewer than five marks do not count: they can already FAIL, but not yet PASS.
    CASE WHEN len(list_filter(marks, lambda x: x IS NOT NULL)) = 5 THEN NOT list_contains(marks, false) END AS passed,
    CAST(len(list_filter(marks, lambda x: x IS NOT NULL)) AS BIGINT) AS criteria_marked,
    note
FROM marked;
COMMENT ON VIEW audit_readings IS 'One row per item and reader: whether all five criteria passed; null until all criteria are marked.';
COMMENT ON COLUMN audit_readings.item_id IS 'id of the item';
COMMENT ON COLUMN audit_readings.passed IS 'whether all five criteria passed; null until all criteria are marked';
COMMENT ON COLUMN audit_readings.criteria_marked IS 'number of marked criteria, from 0 to 5';

CREATE OR REPLACE VIEW audit_marks AS
SELECT round_id, item_id, reader, class, intensity, criterion, passed
FROM live_audits
UNPIVOT (passed FOR criterion IN (
    lever_fidelity, intensity_achieved, uncertainty_induced, linguistic_soundness, ground_truth_alignment
))
UNION ALL BY NAME
SELECT round_id, item_id, reader, class, intensity, 'overall' AS criterion, passed
FROM audit_readings WHERE passed IS NOT NULL;
COMMENT ON VIEW audit_marks IS 'One row per item, reader and marked criterion, and one row for all five criteria together (`overall`).';
COMMENT ON COLUMN audit_marks.item_id IS 'id of the item';
COMMENT ON COLUMN audit_marks.criterion IS 'name of the criterion, or `overall`';
COMMENT ON COLUMN audit_marks.passed IS 'true for PASS, false for FAIL';

-- The adjudicator decides between readers after seeing their marks, so an adjudication is not another reading.
CREATE OR REPLACE MACRO is_adjudication(reader) AS ends_with(reader, ' (adjudication)');

CREATE OR REPLACE VIEW audit_items AS
SELECT
    round_id, item_id, class, intensity, criterion,
    count(*) FILTER (NOT is_adjudication(reader)) AS readers,
    count(*) FILTER (passed AND NOT is_adjudication(reader)) AS passes,
    CASE
        WHEN count(*) FILTER (is_adjudication(reader)) > 0
            THEN count(*) FILTER (passed AND is_adjudication(reader)) * 2 > count(*) FILTER (is_adjudication(reader))
        ELSE count(*) FILTER (passed) * 2 > count(*)
    END AS passed
FROM audit_marks
GROUP BY ALL;
COMMENT ON VIEW audit_items IS 'One row per read item and criterion (or `overall`): whether the item passes, by the adjudication or, without one, by more than half of the readers.';
COMMENT ON COLUMN audit_items.readers IS 'number of readers who marked the item, without adjudications';
COMMENT ON COLUMN audit_items.passes IS 'number of readers whose mark is PASS, without adjudications';
COMMENT ON COLUMN audit_items.passed IS 'whether the adjudication is PASS or, without one, whether more than half of the marks are PASS';

-- One end of Wilson's interval of a share; `z` is the normal quantile, below 0 for the lower end.
CREATE OR REPLACE MACRO wilson_limit(passes, items, z) AS
    (passes + z * z / 2 + z * sqrt(passes * (items - passes) / items + z * z / 4)) / (items + z * z);

CREATE OR REPLACE VIEW audit_pass_rates AS
WITH counted AS (
    -- Only randomly drawn items count: suspected items do not show how many items of the round pass.
    SELECT round_id, criterion, class, count(*) AS items, count(*) FILTER (passed) AS passes
    FROM audit_items
    SEMI JOIN (SELECT round_id, item_id FROM live_audits WHERE NOT suspected) USING (round_id, item_id)
    GROUP BY ALL
), readers AS (
    SELECT round_id, criterion, class, count(DISTINCT reader) AS readers FROM audit_marks
    WHERE NOT is_adjudication(reader) GROUP BY ALL
), published AS (
    -- RefusalBench, human audit: all five criteria, 10 accepted items per stratum.
    SELECT unnest([
        {'class': 'P-Ambiguity', 'single': 0.883, 'multi': 0.833},
        {'class': 'P-Contradiction', 'single': 0.967, 'multi': 0.933},
        {'class': 'P-EpistemicMismatch', 'single': 0.967, 'multi': 0.900},
        {'class': 'P-FalsePremise', 'single': 0.933, 'multi': 0.900},
        {'class': 'P-GranularityMismatch', 'single': 0.900, 'multi': 0.867},
        {'class': 'P-MissingInfo', 'single': 0.933, 'multi': 0.867}
    ], recursive := true)
)
SELECT
    c.round_id, c.criterion, c.class, n.readers, c.items, c.passes,
    c.passes / c.items AS pass_rate,
    greatest(0.0, wilson_limit(c.passes, c.items, -1.959963984540054)) AS low,
    least(1.0, wilson_limit(c.passes, c.items, 1.959963984540054)) AS high,
    CAST(CASE
        WHEN c.criterion <> 'overall' THEN NULL
        WHEN r.layout = 'multi' THEN p.multi
        ELSE p.single
    END AS DOUBLE) AS published_pass_rate
FROM counted c
JOIN readers n USING (round_id, criterion, class)
JOIN rounds r USING (round_id)
LEFT JOIN published p USING (class);
COMMENT ON VIEW audit_pass_rates IS 'One row per round, criterion (or `overall`) and class: share of read items that pass, with its 95 % Wilson interval, and the published rate of RefusalBench. Items that were chosen for their suspicion are left out.';
COMMENT ON COLUMN audit_pass_rates.readers IS 'number of readers';
COMMENT ON COLUMN audit_pass_rates.items IS 'number of items that were read';
COMMENT ON COLUMN audit_pass_rates.passes IS 'number of items that pass';
COMMENT ON COLUMN audit_pass_rates.pass_rate IS '`passes / items`';
COMMENT ON COLUMN audit_pass_rates.low IS 'lower end of the 95 % Wilson interval of `pass_rate`';
COMMENT ON COLUMN audit_pass_rates.high IS 'upper end of the 95 % Wilson interval of `pass_rate`';
COMMENT ON COLUMN audit_pass_rates.published_pass_rate IS 'pass rate that RefusalBench published for the class and the round''s layout; null unless the criterion is `overall`';

CREATE OR REPLACE VIEW audit_pass_rate_rollups AS
WITH counted AS (
    SELECT round_id, criterion, CAST(sum(items) AS BIGINT) AS items, CAST(sum(passes) AS BIGINT) AS passes
    FROM audit_pass_rates
    GROUP BY ALL
), readers AS (
    SELECT round_id, criterion, count(DISTINCT reader) AS readers FROM audit_marks
    WHERE NOT is_adjudication(reader) GROUP BY ALL
)
SELECT
    c.round_id, c.criterion, n.readers, c.items, c.passes,
    c.passes / c.items AS pass_rate,
    greatest(0.0, wilson_limit(c.passes, c.items, -1.959963984540054)) AS low,
    least(1.0, wilson_limit(c.passes, c.items, 1.959963984540054)) AS high,
    -- RefusalBench, human audit: the mean over classes.
    CASE
        WHEN c.criterion <> 'overall' THEN NULL
        WHEN r.layout = 'multi' THEN CAST(0.883 AS DOUBLE)
        ELSE CAST(0.931 AS DOUBLE)
    END AS published_pass_rate
FROM counted c
JOIN readers n USING (round_id, criterion)
JOIN rounds r USING (round_id);
COMMENT ON VIEW audit_pass_rate_rollups IS 'One row per round and criterion (or `overall`): `audit_pass_rates` over all classes.';
COMMENT ON COLUMN audit_pass_rate_rollups.published_pass_rate IS 'mean pass rate over classes that RefusalBench published for the round''s layout; null unless the criterion is `overall`';

CREATE OR REPLACE VIEW audit_readers AS
WITH counted AS (
    SELECT
        round_id, reader, criterion, count(*) AS items, count(*) FILTER (passed) AS passes
    FROM audit_marks
    GROUP BY ALL
)
SELECT
    c.round_id, c.reader, c.criterion, c.items, c.passes,
    c.passes / c.items AS pass_rate,
    greatest(0.0, wilson_limit(c.passes, c.items, -1.959963984540054)) AS low,
    least(1.0, wilson_limit(c.passes, c.items, 1.959963984540054)) AS high
FROM counted c;
COMMENT ON VIEW audit_readers IS 'One row per round, reader and criterion (or `overall`): share of the items read that pass, with its 95 % Wilson interval.';
COMMENT ON COLUMN audit_readers.items IS 'number of items that the reader marked';
COMMENT ON COLUMN audit_readers.passes IS 'number of items that the reader passes';
COMMENT ON COLUMN audit_readers.pass_rate IS '`passes / items`';
COMMENT ON COLUMN audit_readers.low IS 'lower end of the 95 % Wilson interval of `pass_rate`';
COMMENT ON COLUMN audit_readers.high IS 'upper end of the 95 % Wilson interval of `pass_rate`';

CREATE OR REPLACE VIEW audit_agreement AS
WITH per_item AS (
    SELECT
        round_id, criterion, item_id,
        count(*) AS readers, count(*) FILTER (passed) AS passes, count(*) FILTER (NOT passed) AS fails
    FROM audit_marks
    WHERE NOT is_adjudication(reader)
    GROUP BY ALL
    HAVING count(*) > 1
), summed AS (
    SELECT
        round_id, criterion,
        count(*) AS items,
        sum(passes) AS passes, sum(fails) AS fails,
        sum(2 * passes * fails / (readers - 1)) AS disagreement,
        sum((readers * (readers - 1) - 2 * passes * fails) / (readers * (readers - 1))) / count(*) AS observed
    FROM per_item
    GROUP BY ALL
), pairs AS (
    SELECT
        a.round_id, a.criterion, a.reader AS first, b.reader AS second,
        count(*) AS items,
        count(*) FILTER (a.passed = b.passed) / count(*) AS observed,
        count(*) FILTER (a.passed) / count(*) AS first_passes,
        count(*) FILTER (b.passed) / count(*) AS second_passes
    FROM audit_marks a
    JOIN audit_marks b
        ON b.round_id = a.round_id AND b.criterion = a.criterion AND b.item_id = a.item_id AND b.reader > a.reader
    WHERE NOT is_adjudication(a.reader) AND NOT is_adjudication(b.reader)
    GROUP BY ALL
)
SELECT
    round_id, criterion, 'alpha' AS coefficient, CAST(NULL AS VARCHAR) AS first, CAST(NULL AS VARCHAR) AS second,
    items, CAST(observed AS DOUBLE) AS observed,
    CAST(1 - (passes + fails - 1) * disagreement / nullif(2 * passes * fails, 0) AS DOUBLE) AS value,
    CASE WHEN passes * fails = 0 THEN 'all readings are alike: chance agreement is 1' END AS reason
FROM summed
UNION ALL BY NAME
SELECT
    round_id, criterion, 'cohen' AS coefficient, first, second, items, CAST(observed AS DOUBLE) AS observed,
    CASE WHEN first_passes NOT IN (0, 1) AND second_passes NOT IN (0, 1) THEN
        CAST((observed - first_passes * second_passes - (1 - first_passes) * (1 - second_passes))
            / (1 - first_passes * second_passes - (1 - first_passes) * (1 - second_passes)) AS DOUBLE)
    END AS value,
    CASE WHEN first_passes IN (0, 1) OR second_passes IN (0, 1) THEN 'one of the two never varies' END AS reason
FROM pairs;
COMMENT ON VIEW audit_agreement IS 'One row per round, criterion (or `overall`) and coefficient, over items with several readers: Krippendorff''s alpha of all readers, and Cohen''s kappa of each pair of readers.';
COMMENT ON COLUMN audit_agreement.coefficient IS 'name of the coefficient: `alpha` or `cohen`';
COMMENT ON COLUMN audit_agreement."first" IS 'first reader of the pair; null for `alpha`';
COMMENT ON COLUMN audit_agreement."second" IS 'second reader of the pair; null for `alpha`';
COMMENT ON COLUMN audit_agreement.items IS 'number of items that several readers marked; for `cohen`, number of items that both readers marked';
COMMENT ON COLUMN audit_agreement.observed IS 'share of pairs of marks on the same item that agree';
COMMENT ON COLUMN audit_agreement.value IS 'value of the coefficient, the agreement beyond chance; null if marks do not vary';
COMMENT ON COLUMN audit_agreement.reason IS 'reason why there is no value; null if there is a value';

CREATE OR REPLACE VIEW score_drift AS
SELECT
    d.round_id, d.earlier_round_id, d.respondent, d.judge, d.metric,
    a.value AS value, b.value AS earlier_value,
    d.difference, d.low, d.high, d.p_value, d.sources, d.sources_earlier, d.sources_shared, d.reason
FROM live_drifts d
LEFT JOIN live_scores a
    ON a.round_id = d.round_id AND a.respondent = d.respondent AND a.judge = d.judge AND a.metric = d.metric
    AND a.slice = 'overall'
LEFT JOIN live_scores b
    ON b.round_id = d.earlier_round_id AND b.respondent = d.respondent AND b.judge = d.judge AND b.metric = d.metric
    AND b.slice = 'overall'
WHERE d.levers = 'all';
COMMENT ON VIEW score_drift IS 'One row per round, earlier round of the same configuration, respondent, judge and metric: score of the round minus score of the earlier round, with its 95 % interval. The respondent and the judge are the same in both rounds.';
COMMENT ON COLUMN score_drift.value IS 'score in this round; null if undefined';
COMMENT ON COLUMN score_drift.earlier_value IS 'score in the earlier round; null if undefined';

CREATE OR REPLACE VIEW score_drift_by_lever AS
SELECT
    round_id, earlier_round_id, respondent, judge, metric, levers = 'held_out' AS is_held_out,
    difference, low, high, p_value, sources, sources_earlier, sources_shared, reason
FROM live_drifts
WHERE levers IN ('train', 'held_out');
COMMENT ON VIEW score_drift_by_lever IS 'One row as in `score_drift` for items of training levers, and one for items of held-out levers. Training on a round changes the scores on training levers; only general learning changes the scores on held-out levers.';
COMMENT ON COLUMN score_drift_by_lever.is_held_out IS 'whether the levers are held out from training';

CREATE OR REPLACE VIEW round_precision AS
WITH numbered AS (
    SELECT round_id, name, count(*) OVER (PARTITION BY name) AS rounds FROM rounds
)
SELECT
    t.round_id, t.respondent, t.judge, t.items, t.sources, t.share_right,
    sqrt(ln(2 / 0.05) / (2 * nullif(t.sources, 0))) AS half_width,
    n.rounds,
    sqrt(ln(2 * n.rounds / 0.05) / (2 * nullif(t.sources, 0))) AS half_width_all_rounds,
    (t.high - t.low) / 2 AS bootstrap_half_width,
    (s.high - s.low) / 2 AS crs_bootstrap_half_width,
    t.design_effect, t.icc, t.effective_items, t.reason
FROM live_sample_precision t
JOIN numbered n USING (round_id)
LEFT JOIN live_scores s
    ON s.round_id = t.round_id AND s.respondent = t.respondent AND s.judge = t.judge
    AND s.metric = 'calibrated_refusal_score' AND s.slice = 'overall';
COMMENT ON VIEW round_precision IS 'One row per round, respondent and judge: possible error of the mean share of right responses per source question, with 95 % confidence, by a bound (for this round, and for all rounds of the configuration at once) and by the bootstrap, and the design effect.';
COMMENT ON COLUMN round_precision.half_width IS 'bound of the error for this round alone: `sqrt(ln(2 / 0.05) / (2 sources))`';
COMMENT ON COLUMN round_precision.rounds IS 'number of rounds of the configuration';
COMMENT ON COLUMN round_precision.half_width_all_rounds IS 'bound of the error for all rounds of the configuration at once';
COMMENT ON COLUMN round_precision.bootstrap_half_width IS 'half of the width of the bootstrap interval; null if there is no interval';
COMMENT ON COLUMN round_precision.crs_bootstrap_half_width IS 'half of the width of the bootstrap interval of the calibrated refusal score; null if there is no interval';
