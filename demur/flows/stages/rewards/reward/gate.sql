-- Expectations of the stage reward for rewards.

-- without_response: response_id
-- Every reward belongs to a response.
SELECT unit_id, policy, behaviour, response_id
FROM live_rewards
ANTI JOIN live_responses USING (round_id, response_id)
WHERE round_id = $round_id;

-- without_fit: policy, behaviour
-- Every reward has a fit of its policy and behaviour.
SELECT unit_id, policy, behaviour, response_id
FROM live_rewards
ANTI JOIN live_fits USING (round_id, policy, behaviour)
WHERE round_id = $round_id;

-- not_finite: reward
-- Every reward is finite.
SELECT unit_id, policy, behaviour, response_id, reward
FROM live_rewards
WHERE round_id = $round_id AND NOT isfinite(reward);
