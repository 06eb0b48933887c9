-- Scores on items whose answers the probes know without passages, beside scores on other items.

CREATE OR REPLACE VIEW known_scores AS
WITH sliced AS (
    SELECT
        *,
        CASE slice WHEN 'memory' THEN 'overall' ELSE split_part(slice_value, ', ', 1) END AS class,
        split_part(slice_value, ', ', -1) = 'known' AS is_known
    FROM live_scores
    WHERE slice IN ('memory', 'class, memory') AND metric = 'missed_refusal_rate' AND n > 0
)
SELECT
    round_id, respondent, judge, class,
    coalesce(max(n) FILTER (is_known), 0) AS known_n,
    max(value) FILTER (is_known) AS known,
    max(low) FILTER (is_known) AS known_low,
    max(high) FILTER (is_known) AS known_high,
    coalesce(max(n) FILTER (NOT is_known), 0) AS unknown_n,
    max(value) FILTER (NOT is_known) AS "unknown",
    max(low) FILTER (NOT is_known) AS unknown_low,
    max(high) FILTER (NOT is_known) AS unknown_high,
    known - "unknown" AS difference
FROM sliced
GROUP BY round_id, respondent, judge, class
ORDER BY round_id, judge, respondent, class <> 'overall', class;
COMMENT ON VIEW known_scores IS 'One row per respondent, judge and class, and one row for all classes: `missed_refusal_rate` on items with known answers (all probes of the round know the answer without passages) and on other items.';
COMMENT ON COLUMN known_scores.class IS 'class of the stratum; `overall` for all classes';
COMMENT ON COLUMN known_scores.known_n IS 'number of responses to items with known answers';
COMMENT ON COLUMN known_scores.known IS '`missed_refusal_rate` on items with known answers; null without such items';
COMMENT ON COLUMN known_scores.known_low IS 'lower end of the 95 % interval of `known`; null if there is no interval';
COMMENT ON COLUMN known_scores.known_high IS 'upper end of the 95 % interval of `known`; null if there is no interval';
COMMENT ON COLUMN known_scores.unknown_n IS 'number of responses to items without known answers';
COMMENT ON COLUMN known_scores."unknown" IS '`missed_refusal_rate` on items without known answers; null without such items';
COMMENT ON COLUMN known_scores.unknown_low IS 'lower end of the 95 % interval of `unknown`; null if there is no interval';
COMMENT ON COLUMN known_scores.unknown_high IS 'upper end of the 95 % interval of `unknown`; null if there is no interval';
COMMENT ON COLUMN known_scores.difference IS '`known` minus `unknown`; above 0 if the respondent trusts memory more than the passages; null if one of the rates is null';
