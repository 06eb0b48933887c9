SELECT lever_id, judge, class, intensity, items, responses, difficulty, low, high, reason
FROM lever_difficulty WHERE round_id = $round
ORDER BY judge, difficulty DESC NULLS LAST, lever_id
LIMIT 20;
