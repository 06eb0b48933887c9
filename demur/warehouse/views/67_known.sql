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
COMMENT ON VIEW known_scores IS 'One row per respondent, judge and class, and one for all: attempts among items to be refused (`missed_refusal_rate`) where the round''s probes know the answer without passages, and where they do not.';
COMMENT ON COLUMN known_scores.class IS 'class of the stratum; `overall` for all together';
COMMENT ON COLUMN known_scores.known_n IS 'responses to items whose answer is known';
COMMENT ON COLUMN known_scores.known IS 'their missed_refusal_rate; may be null';
COMMENT ON COLUMN known_scores.known_low IS 'lower end of its 95 % interval; may be null';
COMMENT ON COLUMN known_scores.known_high IS 'upper end; may be null';
COMMENT ON COLUMN known_scores.unknown_n IS 'responses to items whose answer is not';
COMMENT ON COLUMN known_scores."unknown" IS 'their missed_refusal_rate; may be null';
COMMENT ON COLUMN known_scores.unknown_low IS 'lower end of its 95 % interval; may be null';
COMMENT ON COLUMN known_scores.unknown_high IS 'upper end; may be null';
COMMENT ON COLUMN known_scores.difference IS '`known` less `unknown`: above 0 where memory is trusted more than the passages';
