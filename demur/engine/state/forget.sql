-- Delete what the loader has of a journal; leases of its shard stay at what they were granted from then on.
WITH ended AS (
    UPDATE demur.leases SET process = NULL
    WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s AND shard = %(shard)s
)
DELETE FROM demur.journal WHERE group_id = ANY(%(groups)s)
