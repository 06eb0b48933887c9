-- Graded completions of a round. `grades` maps propositions to probabilities.
SELECT
    c.policy, c.behaviour, c.prompt_id, c.label, c.completion_id, c.facts, g.grader,
    map_from_entries(list((g.proposition, g.probability) ORDER BY g.proposition)) AS grades
FROM live_completions c
JOIN live_grades g ON g.round_id = c.round_id AND g.subject_kind = 'completion' AND g.subject_id = c.completion_id
WHERE c.round_id = ?
GROUP BY ALL
ORDER BY c.policy, c.behaviour, c.completion_id;
