-- Who works on a round, or on a shard of it (`part`), or has stopped without saying so; and of a round, the run of a
-- stage for which workers may work.
CREATE TABLE IF NOT EXISTS runs (
    home text NOT NULL,
    round_id text NOT NULL,
    part text NOT NULL,
    process text NOT NULL,
    run text NOT NULL,
    PRIMARY KEY (home, round_id, part)
);

-- Calls: each attempt at a request, kept for ever. `record` is the call as JSON without its prompt; `prompt` is JSON with
-- digests of texts. `answered` is true if the model answered. Under a cap, a call is stored before its request leaves;
-- `sent_usd` is what the request then counts in the budget, and null once its outcome is stored.
CREATE TABLE IF NOT EXISTS calls (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    shard text NOT NULL,
    call_id text NOT NULL,
    unit_id text NOT NULL,
    answered boolean NOT NULL,
    record text NOT NULL,
    prompt text,
    sent_usd double precision,
    PRIMARY KEY (home, round_id, stage, shard, call_id)
);
CREATE INDEX IF NOT EXISTS calls_of_unit ON calls (home, unit_id);

-- Texts of prompts. Most texts are the same in many calls.
CREATE TABLE IF NOT EXISTS texts (
    home text NOT NULL,
    round_id text NOT NULL,
    digest text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (home, round_id, digest)
);

-- Budgets of stages with a cap: what their further requests may cost.
CREATE TABLE IF NOT EXISTS budgets (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    left_usd double precision NOT NULL,
    PRIMARY KEY (home, round_id, stage)
);

-- Batches. `record` is the state of a batch as JSON. `request_ids` are the ids of its requests, one per line.
-- `results_bytes` is the length of its results, null until all results are stored.
CREATE TABLE IF NOT EXISTS batches (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    batch_id text NOT NULL,
    record text NOT NULL,
    request_ids text NOT NULL DEFAULT '',
    results_bytes bigint,
    PRIMARY KEY (home, round_id, stage, batch_id)
);

-- Results of batches, one line per result. Each row has whole lines, which begin at byte `start` of the results.
CREATE TABLE IF NOT EXISTS batch_results (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    batch_id text NOT NULL,
    start bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (home, round_id, stage, batch_id, start)
);

-- Lost requests: requests of batches without an answer that the provider may have billed. The rows outlive the batches.
CREATE TABLE IF NOT EXISTS lost_requests (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    request_id text NOT NULL,
    PRIMARY KEY (home, round_id, stage, request_id)
);

-- Progress of running rounds as JSON. The process of a round writes it about once a second.
CREATE TABLE IF NOT EXISTS progress (
    home text NOT NULL,
    round_id text NOT NULL,
    said text NOT NULL,
    PRIMARY KEY (home, round_id)
);
