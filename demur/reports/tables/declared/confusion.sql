-- What was expected of responses and what they were judged to be, as shares of each expected code.
SELECT *, responses / sum(responses) OVER (PARTITION BY respondent, judge, expected) AS share
FROM (
    SELECT j.respondent, j.judge, i.expected, j.predicted, count(*) AS responses
    FROM live_judgements j
    JOIN live_items i USING (round_id, item_id)
    WHERE j.round_id = $round AND i.kind = 'perturbed'
    GROUP BY ALL
)
ORDER BY respondent, judge, expected, predicted;
