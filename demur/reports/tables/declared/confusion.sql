-- Responses to perturbed items by expected code and judged code, with their share of the expected code's responses.
SELECT *, responses / sum(responses) OVER (PARTITION BY respondent, judge, expected) AS share
FROM (
    SELECT j.respondent, j.judge, i.expected, j.predicted, count(*) AS responses
    FROM live_judgements j
    JOIN live_items i USING (round_id, item_id)
    WHERE j.round_id = $round AND i.kind = 'perturbed'
    GROUP BY ALL
)
ORDER BY respondent, judge, expected, predicted;
