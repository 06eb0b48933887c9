SELECT stage, shard, count(*), count(*) FILTER (error_class = 'unanswered')
FROM calls WHERE round_id = ? GROUP BY stage, shard
