SELECT policy, behaviour, feature, kind, value, low, high
FROM live_weights WHERE round_id = $round
ORDER BY policy, behaviour, kind DESC, feature;
