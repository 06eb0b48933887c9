-- Responses with each of their judgements and their rewards.
SELECT
    r.response_id, r.item_id, r.respondent, r.replicate, r.response, r.reasoning, r.invalid_reason,
    r.refused_by_provider, r.confidence, j.judge, j.predicted, j.several_codes, j.is_mixed, j.quality, j.eligible, j.supported_all, j.supported_relevant, j.correct,
    w.policy AS reward_policy, w.reward
FROM live_responses r
LEFT JOIN live_judgements j USING (round_id, response_id)
LEFT JOIN live_rewards w USING (round_id, response_id)
WHERE r.round_id = ?
ORDER BY r.response_id, j.judge;
