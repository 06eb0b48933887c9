-- Expectations of the stage rate for base rewards.

-- rows_of_another_round: round_id
-- No base reward of a response was made in another round.
SELECT t.round_id, t.unit_id
FROM units u
JOIN base_rewards t USING (unit_id)
WHERE u.round_id = $round_id AND u.stage = 'rate' AND t.round_id <> u.round_id AND t.subject_kind = 'response';

-- base_reward_in_range: base_reward
-- Every base reward lies between 0 and 1.
SELECT unit_id, subject_kind, subject_id, rater, base_reward
FROM live_base_rewards
WHERE round_id = $round_id AND NOT coalesce(base_reward BETWEEN 0 AND 1, false);

-- without_subject: subject_kind, subject_id
-- Every base reward belongs to a completion or a response.
WITH subjects AS (
    SELECT 'completion' AS subject_kind, completion_id AS subject_id FROM live_completions WHERE round_id = $round_id
    UNION ALL
    SELECT 'response', response_id FROM live_responses WHERE round_id = $round_id
)
SELECT unit_id, subject_kind, subject_id, rater
FROM live_base_rewards
ANTI JOIN subjects USING (subject_kind, subject_id)
WHERE round_id = $round_id;
