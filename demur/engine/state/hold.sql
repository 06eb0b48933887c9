-- Hold a name that is free, or whose holder's process has ended or not renewed for too long.
INSERT INTO demur.holds AS held (name, holder, process)
VALUES (%(name)s, %(holder)s, %(process)s)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, process = excluded.process
WHERE held.holder = excluded.holder
   OR NOT EXISTS (
       SELECT FROM demur.processes AS living
       WHERE living.process = held.process AND living.renewed_at > now() - make_interval(secs => %(lease_seconds)s)
   )
RETURNING withdrawn
