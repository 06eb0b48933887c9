-- Take back what a lease cannot have spent, once; its budget is locked.
WITH before AS (
    SELECT granted_usd FROM demur.leases WHERE lease_id = %(lease_id)s AND process IS NOT NULL
), ended AS (
    UPDATE demur.leases SET granted_usd = least(granted_usd, %(used_usd)s), process = NULL
    WHERE lease_id = %(lease_id)s AND process IS NOT NULL
)
UPDATE demur.budgets SET leased_usd = leased_usd - greatest(before.granted_usd - %(used_usd)s, 0)
FROM before
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
