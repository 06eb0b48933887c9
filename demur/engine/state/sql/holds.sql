-- name: hold
-- Hold a name if nobody else holds it, or if the process of its holder has ended or has not renewed for too long. Ended
-- processes of this machine are deleted before this statement.
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
-- The living process that holds a name.
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

-- name: release
DELETE FROM holds WHERE name = :name AND holder = :holder

-- name: begin_run
INSERT INTO runs (home, round_id, run) VALUES (:home, :round_id, :run)
ON CONFLICT (home, round_id) DO UPDATE SET run = excluded.run

-- name: run
SELECT run FROM runs WHERE home = :home AND round_id = :round_id
