-- What requests cost: prices as they were used, worst cases, leases of shards under a cap, and estimates of rounds.

ALTER TABLE calls ADD COLUMN cache_write_tokens BIGINT;
ALTER TABLE calls ADD COLUMN input_usd_per_million DOUBLE;
ALTER TABLE calls ADD COLUMN output_usd_per_million DOUBLE;
ALTER TABLE calls ADD COLUMN cached_usd_per_million DOUBLE;
ALTER TABLE calls ADD COLUMN cache_write_usd_per_million DOUBLE;
ALTER TABLE calls ADD COLUMN reserved_usd DOUBLE;
ALTER TABLE calls ADD COLUMN lease_id VARCHAR;
ALTER TABLE calls ADD COLUMN logprobs VARCHAR;
COMMENT ON COLUMN calls.logprobs IS 'JSON: the likeliest first tokens of the reply with their log-probabilities, likeliest first; null where not asked for';
COMMENT ON COLUMN calls.reserved_usd IS 'the most that the request could cost; what counts where cost_usd is null';

CREATE TABLE leases (
    lease_id     VARCHAR PRIMARY KEY,
    round_id     VARCHAR NOT NULL,
    stage        VARCHAR NOT NULL,
    shard        VARCHAR NOT NULL,
    granted_usd  DOUBLE NOT NULL,
    opened_at    TIMESTAMP NOT NULL
);
COMMENT ON TABLE leases IS 'One row per shard that spent under a cap: dollars granted; what exceeds its calls may have been billed when it died.';

CREATE TABLE estimates (
    round_id       VARCHAR NOT NULL,
    stage          VARCHAR NOT NULL,
    role           VARCHAR NOT NULL,
    model          VARCHAR NOT NULL,
    units          BIGINT NOT NULL,
    calls          BIGINT NOT NULL,
    input_tokens   BIGINT,
    output_tokens  BIGINT,
    cost_usd       DOUBLE,
    ceiling_usd    DOUBLE,
    basis          VARCHAR NOT NULL,
    config_digest  VARCHAR NOT NULL,
    planned_at     TIMESTAMP NOT NULL,
    PRIMARY KEY (round_id, stage, role, model)
);
COMMENT ON TABLE estimates IS 'One row per round, stage, role and model: what the plan made at the start expected of it, and the most it could come to.';
