-- name: beat
-- Renew a process, or add it.
INSERT INTO processes (process, machine, pid, began, host, renewed_at)
VALUES (:process, :machine, :pid, :began, :host, now_seconds())
ON CONFLICT (process) DO UPDATE SET renewed_at = excluded.renewed_at

-- name: neighbours
-- Processes of a machine.
SELECT process, pid, began FROM processes WHERE machine = :machine

-- name: elsewhere
-- Living processes of other machines.
SELECT machine, host FROM processes WHERE machine <> :machine AND renewed_at > now_seconds() - :lease_seconds

-- name: end_process
DELETE FROM processes WHERE process = :process

-- name: end_old_processes
-- Delete processes that have not renewed for a day.
DELETE FROM processes WHERE renewed_at < now_seconds() - 86400
