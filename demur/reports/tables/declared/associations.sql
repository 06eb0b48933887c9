SELECT * EXCLUDE (round_id, unit_id) FROM live_associations WHERE round_id = $round ORDER BY judge, statistic, factor, metric, first, second;
