-- name: batches
SELECT record FROM batches WHERE home = :home AND round_id = :round_id AND stage = :stage

-- name: batches_of_home
SELECT record FROM batches WHERE home = :home

-- name: batch
SELECT record, request_ids, results_bytes FROM batches
WHERE home = :home AND round_id = :round_id AND stage = :stage AND batch_id = :batch_id

-- name: intend_batch
INSERT INTO batches (home, round_id, stage, batch_id, record, request_ids)
VALUES (:home, :round_id, :stage, :batch_id, :record, :request_ids)
ON CONFLICT (home, round_id, stage, batch_id) DO UPDATE SET
    record = excluded.record, request_ids = excluded.request_ids

-- name: update_batch
INSERT INTO batches (home, round_id, stage, batch_id, record)
VALUES (:home, :round_id, :stage, :batch_id, :record)
ON CONFLICT (home, round_id, stage, batch_id) DO UPDATE SET record = excluded.record

-- name: delete_batch
DELETE FROM batches WHERE home = :home AND round_id = :round_id AND stage = :stage AND batch_id = :batch_id

-- name: keep_results
UPDATE batches SET results_bytes = :results_bytes
WHERE home = :home AND round_id = :round_id AND stage = :stage AND batch_id = :batch_id

-- name: add_results
INSERT INTO batch_results (home, round_id, stage, batch_id, start, content)
VALUES (:home, :round_id, :stage, :batch_id, :start, :content)
ON CONFLICT (home, round_id, stage, batch_id, start) DO NOTHING

-- name: delete_results
DELETE FROM batch_results WHERE home = :home AND round_id = :round_id AND stage = :stage AND batch_id = :batch_id

-- name: result_starts
-- Positions in bytes at which the parts of a batch's results begin; no rows until all results are stored.
SELECT part.start FROM batch_results AS part JOIN batches AS one
    ON one.home = part.home AND one.round_id = part.round_id AND one.stage = part.stage
    AND one.batch_id = part.batch_id AND one.results_bytes IS NOT NULL
WHERE part.home = :home AND part.round_id = :round_id AND part.stage = :stage AND part.batch_id = :batch_id
ORDER BY part.start

-- name: results_part
SELECT content FROM batch_results
WHERE home = :home AND round_id = :round_id AND stage = :stage AND batch_id = :batch_id AND start = :start

-- name: result
SELECT substr(content, CAST(:start - start + 1 AS integer), CAST(:length AS integer)) FROM batch_results
WHERE home = :home AND round_id = :round_id AND stage = :stage AND batch_id = :batch_id AND start <= :start
ORDER BY start DESC LIMIT 1

-- name: add_lost
INSERT INTO lost_requests (home, round_id, stage, request_id)
VALUES (:home, :round_id, :stage, :request_id)
ON CONFLICT (home, round_id, stage, request_id) DO NOTHING

-- name: lost
SELECT request_id FROM lost_requests WHERE home = :home AND round_id = :round_id AND stage = :stage
