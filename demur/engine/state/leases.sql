SELECT lease_id, shard, granted_usd, opened_at FROM demur.leases
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
ORDER BY opened_at, lease_id
