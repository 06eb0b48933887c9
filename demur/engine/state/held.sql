-- Names that living processes hold.
SELECT name FROM demur.holds AS held JOIN demur.processes AS living USING (process)
WHERE starts_with(name, %(prefix)s) AND living.renewed_at > now() - make_interval(secs => %(lease_seconds)s)
ORDER BY name
