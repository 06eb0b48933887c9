-- Scores of a round by metric: rows, units, lowest and highest values, and rows that break what a release relies on.
-- A value that is not a number counts as infinite.
WITH landed AS (
    SELECT
        s.*,
        u.round_id <> s.round_id AS of_another_round,
        row_number() OVER (PARTITION BY s.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY s.respondent, s.judge, s.slice, s.slice_value, s.metric) AS row_of_key
    FROM units u JOIN scores s USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'score'
)
SELECT
    metric,
    count(*) AS rows,
    count(*) FILTER (row_of_unit = 1) AS units,
    min(least(value, low)) AS lowest_value,
    max(CASE WHEN isnan(value) OR isnan(low) OR isnan(high) THEN 'infinity' ELSE greatest(value, high) END)
        AS highest_value,
    count(*) FILTER (of_another_round) AS rows_of_another_round,
    count(*) FILTER (row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (respondent, judge, slice, slice_value, metric)) AS keys_blank,
    count(*) FILTER (respondent NOT IN (SELECT unnest(respondents) FROM rounds WHERE round_id = $round_id))
        AS respondents_unknown,
    count(*) FILTER (judge NOT IN (SELECT unnest(judges) FROM rounds WHERE round_id = $round_id)) AS judges_unknown,
    count(*) FILTER (value IS NULL AND reason IS NULL) AS without_value_and_reason,
    count(*) FILTER (low > high) AS intervals_reversed
FROM landed
GROUP BY ALL
ORDER BY ALL;
