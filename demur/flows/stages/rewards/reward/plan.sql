-- One row per policy, behaviour and graded response of a round: its grades, as a map from proposition to probability.
SELECT
    g.policy, g.behaviour, g.subject_id AS response_id, a.respondent,
    map_from_entries(list((g.proposition, g.probability) ORDER BY g.proposition)) AS grades
FROM live_grades g
JOIN live_responses a ON a.round_id = g.round_id AND a.response_id = g.subject_id
WHERE g.round_id = ? AND g.subject_kind = 'response'
GROUP BY ALL
ORDER BY g.policy, g.behaviour, response_id;
