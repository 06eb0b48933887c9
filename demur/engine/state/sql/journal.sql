-- name: record
-- Store a group of calls. A group that is already stored is the same group.
INSERT INTO journal (home, round_id, stage, shard, opened, number, lines)
VALUES (:home, :round_id, :stage, :shard, :opened, :number, :lines)
ON CONFLICT (home, round_id, stage, shard, opened, number) DO NOTHING

-- name: recorded
SELECT opened, number, lines FROM journal
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard
ORDER BY opened, number

-- name: journals
-- Shards of a stage that have a journal.
SELECT DISTINCT shard FROM journal
WHERE home = :home AND round_id = :round_id AND stage = :stage
ORDER BY shard

-- name: forget_group
DELETE FROM journal
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard
  AND opened = :opened AND number = :number

-- name: stages
-- Stages of a round with journals or leases.
SELECT stage FROM journal WHERE home = :home AND round_id = :round_id
UNION
SELECT stage FROM leases WHERE home = :home AND round_id = :round_id
ORDER BY stage

-- name: journalled_rounds
-- Rounds of a home that have a journal.
SELECT DISTINCT round_id FROM journal WHERE home = :home ORDER BY round_id

-- name: journalled
-- All calls in the journals of a round.
SELECT lines FROM journal WHERE home = :home AND round_id = :round_id ORDER BY stage, shard, opened, number
