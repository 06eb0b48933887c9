-- name: say_progress
INSERT INTO progress (home, round_id, said) VALUES (:home, :round_id, :said)
ON CONFLICT (home, round_id) DO UPDATE SET said = excluded.said

-- name: progress
-- The last written progress of the rounds of a home, also of killed processes.
SELECT round_id, said FROM progress WHERE home = :home ORDER BY round_id

-- name: end_progress
DELETE FROM progress WHERE home = :home AND round_id = :round_id
