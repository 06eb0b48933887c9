-- Renew a registration, or make it; return how many processes ask the model, this one included, and the newest outage
-- that another of them has found.
WITH renewed AS (
    INSERT INTO demur.registrations (model, process, renewed_at, outage, kind, because)
    VALUES (%(model)s, %(process)s, now(), %(outage)s, %(kind)s, %(because)s)
    ON CONFLICT (model, process) DO UPDATE SET
        renewed_at = excluded.renewed_at, outage = excluded.outage, kind = excluded.kind, because = excluded.because
), others AS (
    SELECT outage, kind, because, renewed_at
    FROM demur.registrations
    WHERE model = %(model)s
      AND process <> %(process)s
      AND renewed_at > now() - make_interval(secs => %(lease_seconds)s)
)
SELECT 1 + (SELECT count(*) FROM others), newest.outage, newest.kind, newest.because
FROM (SELECT) AS one
LEFT JOIN (SELECT * FROM others WHERE outage IS NOT NULL ORDER BY renewed_at DESC, outage LIMIT 1) AS newest ON true
