-- Batches of all rounds, newest first.
SELECT
    batch_id, round_id, stage, model, status, requests, done, failed, submitted_at, ended_at, provider_batch_id
FROM batches
ORDER BY intended_at DESC, batch_id
