SELECT policy, behaviour, feature, value FROM live_weights WHERE round_id = ? ORDER BY policy, behaviour, feature;
