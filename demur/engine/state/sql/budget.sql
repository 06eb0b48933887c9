-- name: reset_budget
INSERT INTO budgets (home, round_id, stage, total_usd)
VALUES (:home, :round_id, :stage, :total_usd)
ON CONFLICT (home, round_id, stage) DO UPDATE SET total_usd = excluded.total_usd, leased_usd = 0

-- name: delete_leases
DELETE FROM leases WHERE home = :home AND round_id = :round_id AND stage = :stage

-- name: left
SELECT total_usd - leased_usd FROM budgets WHERE home = :home AND round_id = :round_id AND stage = :stage

-- name: grant
-- Grant at most an eighth of the remaining dollars, but never less than `least_usd`; no row if less remains.
UPDATE budgets
SET
    leased_usd = leased_usd + greatest(:least_usd, least(:most_usd, (total_usd - leased_usd) / 8)),
    last_usd = greatest(:least_usd, least(:most_usd, (total_usd - leased_usd) / 8))
WHERE home = :home AND round_id = :round_id AND stage = :stage
  AND leased_usd + :least_usd <= total_usd
RETURNING last_usd

-- name: grant_lease
INSERT INTO leases (lease_id, home, round_id, stage, shard, process, granted_usd, in_flight_usd, opened_at)
VALUES (:lease_id, :home, :round_id, :stage, :shard, :process, :granted_usd, :in_flight_usd, :opened_at)
ON CONFLICT (home, round_id, stage, lease_id) DO UPDATE
SET process = excluded.process,
    granted_usd = leases.granted_usd + excluded.granted_usd,
    in_flight_usd = greatest(leases.in_flight_usd, excluded.in_flight_usd)
RETURNING granted_usd

-- name: lock_budget
UPDATE budgets SET leased_usd = leased_usd WHERE home = :home AND round_id = :round_id AND stage = :stage

-- name: granted
-- The granted dollars of a lease that has not ended.
SELECT granted_usd FROM leases
WHERE home = :home AND round_id = :round_id AND stage = :stage AND lease_id = :lease_id AND process IS NOT NULL

-- name: end_lease
UPDATE leases SET granted_usd = :granted_usd, process = NULL
WHERE home = :home AND round_id = :round_id AND stage = :stage AND lease_id = :lease_id

-- name: give_back
UPDATE budgets SET leased_usd = leased_usd - :usd WHERE home = :home AND round_id = :round_id AND stage = :stage

-- name: expired_leases
-- Leases of processes that have ended or have not renewed for too long.
SELECT lease_id, home, round_id, stage, shard, in_flight_usd FROM leases
WHERE process IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM processes AS living
    WHERE living.process = leases.process
      AND (living.machine = :machine OR living.renewed_at > now_seconds() - :lease_seconds)
)

-- name: leases
SELECT lease_id, shard, granted_usd, opened_at FROM leases
WHERE home = :home AND round_id = :round_id AND stage = :stage
ORDER BY opened_at, lease_id
