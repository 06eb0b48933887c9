-- What the gate of reward expects of rewards.

-- without_response: response_id
-- Every reward has its response.
SELECT unit_id, policy, behaviour, response_id
FROM live_rewards
ANTI JOIN live_responses USING (round_id, response_id)
WHERE round_id = $round_id;

-- without_fit: policy, behaviour
-- Every reward has the fit of its policy and behaviour.
SELECT unit_id, policy, behaviour, response_id
FROM live_rewards
ANTI JOIN live_fits USING (round_id, policy, behaviour)
WHERE round_id = $round_id;

-- not_finite: reward
-- Every reward is finite.
SELECT unit_id, policy, behaviour, response_id, reward
FROM live_rewards
WHERE round_id = $round_id AND NOT isfinite(reward);
