-- name: begin_work
INSERT INTO runs (home, round_id, part, process, run) VALUES (:home, :round_id, :part, :process, '')
ON CONFLICT (home, round_id, part) DO UPDATE SET process = excluded.process, run = ''

-- name: end_work
DELETE FROM runs WHERE home = :home AND round_id = :round_id AND part = :part AND process = :process

-- name: begin_run
INSERT INTO runs (home, round_id, part, process, run) VALUES (:home, :round_id, '', :process, :run)
ON CONFLICT (home, round_id, part) DO UPDATE SET run = excluded.run WHERE runs.process = excluded.process

-- name: run
SELECT process, run FROM runs WHERE home = :home AND round_id = :round_id AND part = :part
