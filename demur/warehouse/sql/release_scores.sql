SELECT respondent, judge, slice, slice_value, metric, value, se, low, high, n, scoring_version, reason
FROM live_scores WHERE round_id = ?
ORDER BY respondent, judge, slice, slice_value, metric;
