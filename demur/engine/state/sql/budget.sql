-- name: set_budget
INSERT INTO budgets (home, round_id, stage, left_usd) VALUES (:home, :round_id, :stage, :usd)
ON CONFLICT (home, round_id, stage) DO UPDATE SET left_usd = excluded.left_usd

-- name: left
SELECT left_usd FROM budgets WHERE home = :home AND round_id = :round_id AND stage = :stage

-- name: take
-- Take dollars from a budget; no row if it has less.
UPDATE budgets SET left_usd = left_usd - :usd
WHERE home = :home AND round_id = :round_id AND stage = :stage AND left_usd >= :usd - 1e-9
RETURNING left_usd

-- name: give_back
UPDATE budgets SET left_usd = left_usd + :usd WHERE home = :home AND round_id = :round_id AND stage = :stage
