-- A lease holds no more than its calls counted for and what can have been under way: the rest was granted and never set aside.
UPDATE leases
SET granted_usd = least(granted_usd, ? + (
    SELECT coalesce(sum(coalesce(c.cost_usd, c.charged_usd, c.reserved_usd, 0)), 0)
    FROM calls c WHERE c.lease_id = leases.lease_id))
WHERE lease_id = ?
