-- Shards of a stage that have a journal.
SELECT DISTINCT shard FROM demur.journal
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
ORDER BY shard
