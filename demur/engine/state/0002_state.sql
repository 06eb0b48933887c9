-- Processes that work on rounds; what one holds is free again when it has not renewed for a while.
CREATE TABLE demur.processes (
    process uuid PRIMARY KEY,
    host text NOT NULL,
    renewed_at timestamptz NOT NULL
);

-- Who works on an order, or on a round.
CREATE TABLE demur.holds (
    name text PRIMARY KEY,
    holder uuid NOT NULL,
    process uuid NOT NULL,
    withdrawn boolean NOT NULL DEFAULT false
);

-- Calls as JSON lines, as many in a row as became durable together, until the loader has them.
CREATE TABLE demur.journal (
    group_id uuid PRIMARY KEY,
    ordinal bigint GENERATED ALWAYS AS IDENTITY,
    home uuid NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    shard text NOT NULL,
    lines bytea NOT NULL
);
CREATE INDEX journal_of_shard ON demur.journal (home, round_id, stage, shard);

-- What a stage under a cap may spend; `last_usd` is what was granted last.
CREATE TABLE demur.budgets (
    home uuid NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    total_usd double precision NOT NULL,
    leased_usd double precision NOT NULL DEFAULT 0,
    last_usd double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (home, round_id, stage)
);

-- What shards were granted of it; `in_flight_usd` is the most that one may have under way, `process` null where it has
-- ended.
CREATE TABLE demur.leases (
    lease_id text PRIMARY KEY,
    home uuid NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    shard text NOT NULL,
    process uuid,
    granted_usd double precision NOT NULL,
    in_flight_usd double precision NOT NULL,
    opened_at timestamptz NOT NULL
);
CREATE INDEX leases_of_stage ON demur.leases (home, round_id, stage);
