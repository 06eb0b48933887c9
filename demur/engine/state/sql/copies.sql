-- name: rows_calls
SELECT round_id, stage, shard, call_id, unit_id, answered, record, prompt, sent_usd FROM calls WHERE home = :home
-- name: put_calls
INSERT INTO calls (home, round_id, stage, shard, call_id, unit_id, answered, record, prompt, sent_usd)
VALUES (:home, :round_id, :stage, :shard, :call_id, :unit_id, :answered <> 0, :record, :prompt, :sent_usd)
ON CONFLICT DO NOTHING

-- name: rows_texts
SELECT round_id, digest, content FROM texts WHERE home = :home
-- name: put_texts
INSERT INTO texts (home, round_id, digest, content) VALUES (:home, :round_id, :digest, :content) ON CONFLICT DO NOTHING

-- name: rows_batches
SELECT round_id, stage, batch_id, record, request_ids, results_bytes FROM batches WHERE home = :home
-- name: put_batches
INSERT INTO batches (home, round_id, stage, batch_id, record, request_ids, results_bytes)
VALUES (:home, :round_id, :stage, :batch_id, :record, :request_ids, :results_bytes) ON CONFLICT DO NOTHING

-- name: rows_batch_results
SELECT round_id, stage, batch_id, start, content FROM batch_results WHERE home = :home
-- name: put_batch_results
INSERT INTO batch_results (home, round_id, stage, batch_id, start, content)
VALUES (:home, :round_id, :stage, :batch_id, :start, :content) ON CONFLICT DO NOTHING

-- name: rows_lost_requests
SELECT round_id, stage, request_id FROM lost_requests WHERE home = :home
-- name: put_lost_requests
INSERT INTO lost_requests (home, round_id, stage, request_id)
VALUES (:home, :round_id, :stage, :request_id) ON CONFLICT DO NOTHING

-- name: forget_budgets
DELETE FROM budgets

-- name: forget_runs
DELETE FROM runs

-- name: forget_progress
DELETE FROM progress
