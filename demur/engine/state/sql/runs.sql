-- name: begin_run
INSERT INTO runs (home, round_id, process, run) VALUES (:home, :round_id, :process, :run)
ON CONFLICT (home, round_id) DO UPDATE SET process = excluded.process, run = excluded.run

-- name: run
SELECT process, run FROM runs WHERE home = :home AND round_id = :round_id
