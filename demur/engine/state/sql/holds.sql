-- name: hold
-- Hold a name that is free, is ours, or whose holder's process has ended or not renewed for too long. Processes of this
-- machine that have ended are deleted before.
INSERT INTO holds (name, holder, process)
VALUES (:name, :holder, :process)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, process = excluded.process
WHERE holds.holder = excluded.holder
   OR NOT EXISTS (
       SELECT 1 FROM processes AS living
       WHERE living.process = holds.process
         AND (living.machine = :machine OR living.renewed_at > now_seconds() - :lease_seconds)
   )
RETURNING name

-- name: hold_on
UPDATE holds SET process = :process WHERE name = :name AND holder = :holder RETURNING name

-- name: holder
-- Who holds a name, if its process renews.
SELECT living.process, living.machine, living.pid, living.began, living.host, living.renewed_at
FROM holds JOIN processes AS living ON living.process = holds.process
WHERE holds.name = :name
  AND (living.machine = :machine OR living.renewed_at > now_seconds() - :lease_seconds)

-- name: held
-- Names that living processes hold.
SELECT holds.name FROM holds JOIN processes AS living ON living.process = holds.process
WHERE substr(holds.name, 1, length(:prefix)) = :prefix
  AND (living.machine = :machine OR living.renewed_at > now_seconds() - :lease_seconds)
ORDER BY holds.name

-- name: withdrawn
-- Names that a process holds and nobody is to work on any more.
SELECT name FROM holds WHERE process = :process AND withdrawn

-- name: withdraw
UPDATE holds SET withdrawn = true WHERE substr(name, 1, length(:prefix)) = :prefix

-- name: release
DELETE FROM holds WHERE name = :name AND holder = :holder

-- name: free
-- Delete holds that were waited for.
DELETE FROM holds WHERE substr(name, 1, length(:prefix)) = :prefix
