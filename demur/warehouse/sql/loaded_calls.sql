SELECT stage, shard, count(*) FROM calls WHERE round_id = ? GROUP BY stage, shard
