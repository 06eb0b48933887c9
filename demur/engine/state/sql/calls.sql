-- name: record
-- Store a call. A call that is already stored is the same call.
INSERT INTO calls (home, round_id, stage, shard, call_id, unit_id, answered, record, prompt)
VALUES (:home, :round_id, :stage, :shard, :call_id, :unit_id, :answered, :record, :prompt)
ON CONFLICT (home, round_id, stage, shard, call_id) DO NOTHING

-- name: keep_text
INSERT INTO texts (home, round_id, digest, content) VALUES (:home, :round_id, :digest, :content)
ON CONFLICT (home, round_id, digest) DO NOTHING

-- name: recorded
-- The calls of a shard.
SELECT record FROM calls
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard
ORDER BY call_id

-- name: answers
-- The answered calls of a unit.
SELECT record FROM calls WHERE home = :home AND unit_id = :unit_id AND answered

-- name: counted
-- Numbers of calls by stage and shard.
SELECT stage, shard, count(*) FROM calls WHERE home = :home AND round_id = :round_id GROUP BY stage, shard ORDER BY stage, shard

-- name: stages
-- Stages of a round with calls or leases.
SELECT stage FROM calls WHERE home = :home AND round_id = :round_id
UNION
SELECT stage FROM leases WHERE home = :home AND round_id = :round_id
ORDER BY stage

-- name: recorded_rounds
-- Rounds of a home with calls.
SELECT DISTINCT round_id FROM calls WHERE home = :home ORDER BY round_id

-- name: prompt
SELECT prompt FROM calls
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard AND call_id = :call_id

-- name: text
SELECT content FROM texts WHERE home = :home AND round_id = :round_id AND digest = :digest

-- name: forget_calls
DELETE FROM calls WHERE home = :home AND round_id = :round_id

-- name: forget_texts
DELETE FROM texts WHERE home = :home AND round_id = :round_id
