SELECT total_usd, total_usd - leased_usd FROM demur.budgets
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
