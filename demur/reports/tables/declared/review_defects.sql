-- Rates of a respondent by class, with intervals, and the wrong code that the respondent gives most often.
WITH wrong AS (
    SELECT j.class, j.predicted, count(*) AS times
    FROM live_judgements j
    JOIN live_items i USING (round_id, item_id)
    WHERE j.round_id = $round AND j.respondent = $respondent AND j.judge = $judge AND i.kind = 'perturbed'
        AND i.expected NOT IN ('ANSWER_CORRECTLY', 'REFUSE') AND j.predicted LIKE 'REFUSE_%' AND j.predicted <> i.expected
    GROUP BY ALL
), by_class AS (
    SELECT slice_value AS class, metric, value, low, high, n, reason
    FROM live_scores
    WHERE round_id = $round AND respondent = $respondent AND judge = $judge AND slice = 'class'
)
SELECT
    class,
    any_value(n) FILTER (metric = 'missed_refusal_rate') AS unanswerable,
    any_value(value) FILTER (metric = 'missed_refusal_rate') AS answered,
    any_value(low) FILTER (metric = 'missed_refusal_rate') AS answered_low,
    any_value(high) FILTER (metric = 'missed_refusal_rate') AS answered_high,
    any_value(value) FILTER (metric = 'correct_refusal_rate') AS refused,
    any_value(low) FILTER (metric = 'correct_refusal_rate') AS refused_low,
    any_value(high) FILTER (metric = 'correct_refusal_rate') AS refused_high,
    any_value(value) FILTER (metric = 'false_refusal_rate') AS answerable_refused,
    any_value(low) FILTER (metric = 'false_refusal_rate') AS answerable_refused_low,
    any_value(high) FILTER (metric = 'false_refusal_rate') AS answerable_refused_high,
    any_value(value) FILTER (metric = 'category_accuracy') AS reason_right,
    any_value(low) FILTER (metric = 'category_accuracy') AS reason_right_low,
    any_value(high) FILTER (metric = 'category_accuracy') AS reason_right_high,
    any_value(reason) FILTER (metric = 'category_accuracy') AS reason_reason,
    (SELECT arg_max(predicted, (times, predicted)) FROM wrong WHERE wrong.class = by_class.class) AS given_instead,
    any_value(value) FILTER (metric = 'asked_back') AS asked_back,
    any_value(value) FILTER (metric = 'hedged_answers') AS hedged
FROM by_class
GROUP BY class
ORDER BY answered DESC NULLS LAST, class;
