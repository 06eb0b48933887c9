-- How many of the responses that the round plans count as INVALID: not obtained, not judged, or judged so.
SELECT
    'invalid' AS measure, respondents.respondent || ', judged by ' || judges.judge AS subject,
    count(*) FILTER (coalesce(j.predicted, 'INVALID') = 'INVALID') AS successes,
    count(*) AS trials
FROM rounds r
CROSS JOIN unnest(r.judges) AS judges(judge)
CROSS JOIN unnest(r.respondents) AS respondents(respondent)
CROSS JOIN unnest(range(CAST(r.config ->> '$.response_replicates' AS BIGINT))) AS replicates(replicate)
JOIN live_items i ON i.round_id = r.round_id
LEFT JOIN live_responses a
    ON a.round_id = r.round_id AND a.item_id = i.item_id AND a.respondent = respondents.respondent
    AND a.replicate = replicates.replicate
LEFT JOIN live_judgements j
    ON j.round_id = r.round_id AND j.response_id = a.response_id AND j.judge = judges.judge
WHERE r.round_id = $round_id
GROUP BY ALL
ORDER BY subject;
