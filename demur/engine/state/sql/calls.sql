-- name: record
-- Store a call. A call that is already stored is the same call.
INSERT INTO calls (home, round_id, stage, shard, call_id, unit_id, answered, record, prompt, sent_usd)
VALUES (:home, :round_id, :stage, :shard, :call_id, :unit_id, :answered, :record, :prompt, :sent_usd)
ON CONFLICT (home, round_id, stage, shard, call_id) DO NOTHING

-- name: sent
-- What a call counts in the budget of its stage; null if its outcome is stored.
SELECT sent_usd FROM calls
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard AND call_id = :call_id

-- name: end_call
-- Store the outcome of a call that was stored before its request left.
UPDATE calls SET answered = :answered, record = :record, prompt = coalesce(:prompt, prompt), sent_usd = NULL
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard AND call_id = :call_id

-- name: price_sent
UPDATE calls SET sent_usd = :usd
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard AND call_id = :call_id
    AND sent_usd IS NOT NULL

-- name: unsend
-- Delete a call whose request never left.
DELETE FROM calls
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard AND call_id = :call_id
    AND sent_usd IS NOT NULL
RETURNING sent_usd

-- name: keep_text
INSERT INTO texts (home, round_id, digest, content) VALUES (:home, :round_id, :digest, :content)
ON CONFLICT (home, round_id, digest) DO NOTHING

-- name: recorded
-- The calls of a shard.
SELECT record FROM calls
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard
ORDER BY call_id

-- name: calls_of_unit
-- The answered calls of a unit, and those whose outcome was never stored.
SELECT record, answered, shard FROM calls
WHERE home = :home AND unit_id = :unit_id AND (answered OR sent_usd IS NOT NULL)

-- name: counted
-- Numbers of calls, and of those whose outcome is not stored, by stage and shard.
SELECT stage, shard, count(*), count(sent_usd) FROM calls
WHERE home = :home AND round_id = :round_id
GROUP BY stage, shard
ORDER BY stage, shard

-- name: counted_of_shard
-- The same of one shard, by the primary key: a round loads hundreds of shards, and counting all its calls each time would
-- cost more with each.
SELECT stage, shard, count(*), count(sent_usd) FROM calls
WHERE home = :home AND round_id = :round_id AND stage = :stage AND shard = :shard
GROUP BY stage, shard

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
