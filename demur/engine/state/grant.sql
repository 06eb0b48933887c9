-- Grant a lease more, at most an eighth of what is left unless the least is more; no row where so much is not left.
WITH budget AS (
    UPDATE demur.budgets
    SET
        leased_usd = leased_usd + greatest(%(least_usd)s, least(%(most_usd)s, (total_usd - leased_usd) / 8)),
        last_usd = greatest(%(least_usd)s, least(%(most_usd)s, (total_usd - leased_usd) / 8))
    WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
      AND leased_usd + %(least_usd)s <= total_usd
    RETURNING last_usd
)
INSERT INTO demur.leases AS lease
    (lease_id, home, round_id, stage, shard, process, granted_usd, in_flight_usd, opened_at)
SELECT
    %(lease_id)s, %(home)s, %(round_id)s, %(stage)s, %(shard)s, %(process)s, last_usd, %(in_flight_usd)s, %(opened_at)s
FROM budget
ON CONFLICT (lease_id) DO UPDATE
SET granted_usd = lease.granted_usd + excluded.granted_usd,
    in_flight_usd = greatest(lease.in_flight_usd, excluded.in_flight_usd)
RETURNING granted_usd
