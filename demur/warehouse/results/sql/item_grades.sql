-- Grades of the responses to an item, and of completions that were written for the item.
WITH subjects AS (
    SELECT 'response' AS subject_kind, response_id AS subject_id, respondent AS who, NULL AS text
    FROM live_responses WHERE round_id = $round AND item_id = $id
    UNION ALL BY NAME
    SELECT 'completion' AS subject_kind, completion_id AS subject_id, label AS who, completion AS text
    FROM live_completions WHERE round_id = $round AND prompt_id = $id
)
SELECT
    u.subject_kind, u.subject_id, u.who, u.text, g.policy, g.behaviour, g.grader, g.proposition, g.probability,
    g.unit_id, w.reward
FROM live_grades g
JOIN subjects u USING (subject_kind, subject_id)
LEFT JOIN live_rewards w ON w.round_id = g.round_id AND w.response_id = g.subject_id AND w.policy = g.policy
WHERE g.round_id = $round
ORDER BY u.subject_kind DESC, u.who, u.subject_id, g.policy, g.grader, g.proposition;
