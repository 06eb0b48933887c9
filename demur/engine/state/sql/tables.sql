-- Processes that work on rounds. `machine` is where a PID means something; `began` tells a process from a later one
-- with the same PID. What a process holds is free again when it has ended, or has not renewed for a while.
CREATE TABLE IF NOT EXISTS processes (
    process text PRIMARY KEY,
    machine text NOT NULL,
    pid bigint NOT NULL,
    began text NOT NULL,
    host text NOT NULL,
    renewed_at double precision NOT NULL
);

-- Who works on an order, or on a round.
CREATE TABLE IF NOT EXISTS holds (
    name text PRIMARY KEY,
    holder text NOT NULL,
    process text NOT NULL,
    withdrawn boolean NOT NULL DEFAULT false
);
CREATE INDEX IF NOT EXISTS holds_of_process ON holds (process);

-- Calls as JSON lines, as many in a row as became durable together, until the loader has them. `opened` tells one
-- opening of a journal from those before and after it, `number` counts the groups of one.
CREATE TABLE IF NOT EXISTS journal (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    shard text NOT NULL,
    opened text NOT NULL,
    number bigint NOT NULL,
    lines bytea NOT NULL,
    PRIMARY KEY (home, round_id, stage, shard, opened, number)
);

-- What a stage under a cap may spend; `last_usd` is what was granted last.
CREATE TABLE IF NOT EXISTS budgets (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    total_usd double precision NOT NULL,
    leased_usd double precision NOT NULL DEFAULT 0,
    last_usd double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (home, round_id, stage)
);

-- What shards were granted of it; `in_flight_usd` is the most that one may have under way, `process` null where it has
-- ended. `opened_at` is ISO 8601 in UTC.
CREATE TABLE IF NOT EXISTS leases (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    lease_id text NOT NULL,
    shard text NOT NULL,
    process text,
    granted_usd double precision NOT NULL,
    in_flight_usd double precision NOT NULL,
    opened_at text NOT NULL,
    PRIMARY KEY (home, round_id, stage, lease_id)
);

-- Models that processes ask; who changes what follows locks the row of its model first.
CREATE TABLE IF NOT EXISTS models (
    model text PRIMARY KEY
);

-- Processes that ask a model; `outage`, `kind` and `because` say that one has found that it does not answer.
CREATE TABLE IF NOT EXISTS registrations (
    registration text PRIMARY KEY,
    model text NOT NULL,
    process text NOT NULL,
    outage text,
    kind text,
    because text
);
CREATE INDEX IF NOT EXISTS registrations_of_model ON registrations (model);

-- What may be asked of a model by all processes together: a bucket for requests and one for tokens.
CREATE TABLE IF NOT EXISTS buckets (
    model text NOT NULL,
    rate text NOT NULL,
    level double precision NOT NULL,
    filled_at double precision NOT NULL,
    PRIMARY KEY (model, rate)
);

-- Batches: `record` is what is known of one, as JSON, `request_ids` what was asked in it, one id a line, and
-- `results_bytes` the length of its results, null until all of them are kept.
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

-- Results of batches, one line each, in parts of whole lines from byte `start` on.
CREATE TABLE IF NOT EXISTS batch_results (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    batch_id text NOT NULL,
    start bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (home, round_id, stage, batch_id, start)
);

-- Requests of batches that may have been paid for and brought nothing; they outlive their batches.
CREATE TABLE IF NOT EXISTS lost_requests (
    home text NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    request_id text NOT NULL,
    PRIMARY KEY (home, round_id, stage, request_id)
);

-- How far the rounds are that run, as JSON, said by the process of each about once a second.
CREATE TABLE IF NOT EXISTS progress (
    home text NOT NULL,
    round_id text NOT NULL,
    said text NOT NULL,
    PRIMARY KEY (home, round_id)
);
