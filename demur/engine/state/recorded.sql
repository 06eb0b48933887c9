SELECT group_id, lines FROM demur.journal
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s AND shard = %(shard)s
ORDER BY ordinal
