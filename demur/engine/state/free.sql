-- Delete holds that were waited for, and processes that ended long ago.
WITH ended AS (
    DELETE FROM demur.processes WHERE renewed_at < now() - interval '1 day'
)
DELETE FROM demur.holds WHERE starts_with(name, %(prefix)s)
