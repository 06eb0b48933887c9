-- Base rewards of a round's completions and responses.
SELECT subject_id, base_reward FROM live_base_rewards WHERE round_id = ?;
