-- Renew a process, and return which of its holds were withdrawn.
WITH renewed AS (
    INSERT INTO demur.processes (process, host, renewed_at)
    VALUES (%(process)s, %(host)s, now())
    ON CONFLICT (process) DO UPDATE SET renewed_at = excluded.renewed_at
)
SELECT name FROM demur.holds WHERE process = %(process)s AND withdrawn
