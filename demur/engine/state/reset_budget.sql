WITH folded AS (
    DELETE FROM demur.leases WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
)
INSERT INTO demur.budgets (home, round_id, stage, total_usd)
VALUES (%(home)s, %(round_id)s, %(stage)s, %(total_usd)s)
ON CONFLICT (home, round_id, stage) DO UPDATE SET total_usd = excluded.total_usd, leased_usd = 0
