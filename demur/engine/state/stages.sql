-- Stages of a round of which something is kept.
SELECT stage FROM demur.journal WHERE home = %(home)s AND round_id = %(round_id)s
UNION
SELECT stage FROM demur.leases WHERE home = %(home)s AND round_id = %(round_id)s
ORDER BY stage
