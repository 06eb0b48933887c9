SELECT j.respondent, j.judge, i.expected, j.predicted, count(*) AS responses
FROM live_judgements j
JOIN live_items i USING (round_id, item_id)
WHERE j.round_id = ? AND i.kind = 'perturbed'
GROUP BY ALL
ORDER BY j.respondent, j.judge, i.expected, j.predicted;
