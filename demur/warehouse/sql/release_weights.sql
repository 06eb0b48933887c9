SELECT policy, behaviour, feature, kind, value, low, high
FROM live_weights WHERE round_id = ?
ORDER BY policy, behaviour, kind DESC, feature;
