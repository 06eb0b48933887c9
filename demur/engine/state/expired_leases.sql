-- Leases of processes that have not renewed for too long.
SELECT lease_id, home, round_id, stage, shard, in_flight_usd FROM demur.leases AS lease
WHERE process IS NOT NULL AND NOT EXISTS (
    SELECT FROM demur.processes AS living
    WHERE living.process = lease.process AND living.renewed_at > now() - make_interval(secs => %(lease_seconds)s)
)
