-- name: lock_model
INSERT INTO models (model) VALUES (:model) ON CONFLICT (model) DO UPDATE SET model = excluded.model

-- name: register
INSERT INTO registrations (registration, model, process, outage, kind, because)
VALUES (:registration, :model, :process, :outage, :kind, :because)
ON CONFLICT (registration) DO UPDATE SET
    process = excluded.process, outage = excluded.outage, kind = excluded.kind, because = excluded.because

-- name: registered
-- Other registrations of a model by living processes, with the outages that they found; latest renewal first.
SELECT living.machine, living.pid, living.began, other.outage, other.kind, other.because
FROM registrations AS other JOIN processes AS living ON living.process = other.process
WHERE other.model = :model AND other.registration <> :registration
  AND (living.machine = :machine OR living.renewed_at > now_seconds() - :lease_seconds)
ORDER BY living.renewed_at DESC, other.registration

-- name: unregister
DELETE FROM registrations WHERE registration = :registration

-- name: unregister_ended
DELETE FROM registrations
WHERE model = :model AND NOT EXISTS (SELECT 1 FROM processes WHERE processes.process = registrations.process)

-- name: bucket
-- The bucket of a rate, and the time. A missing bucket is created full.
INSERT INTO buckets (model, rate, level, filled_at)
VALUES (:model, :rate, :most, now_seconds())
ON CONFLICT (model, rate) DO UPDATE SET level = buckets.level
RETURNING level, filled_at, now_seconds()

-- name: fill_bucket
UPDATE buckets SET level = :level, filled_at = :filled_at WHERE model = :model AND rate = :rate
