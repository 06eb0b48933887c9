-- Renew a registration, or make it, and return how many processes ask the model, this one included.
WITH renewed AS (
    INSERT INTO demur.registrations (model, process, renewed_at)
    VALUES (%(model)s, %(process)s, now())
    ON CONFLICT (model, process) DO UPDATE SET renewed_at = excluded.renewed_at
)
SELECT 1 + count(*)
FROM demur.registrations
WHERE model = %(model)s
  AND process <> %(process)s
  AND renewed_at > now() - make_interval(secs => %(lease_seconds)s)
