-- By respondent, the responses that could not be obtained, and all planned responses. Responses that the rules lane
-- declined because of the language are not counted.
SELECT f.respondent, count(*) AS failed, any_value(i.items) * any_value(CAST(r.config ->> '$.response_replicates' AS BIGINT)) AS planned
FROM failed_responses f
JOIN rounds r USING (round_id)
JOIN (SELECT round_id, count(*) AS items FROM live_items GROUP BY round_id) i USING (round_id)
WHERE f.round_id = ? AND f.reason <> 'language'
GROUP BY f.respondent;
