-- Requests that were sent in batches: which batch brought an answer, and what became of each batch.

ALTER TABLE calls ADD COLUMN batch_id VARCHAR;

CREATE TABLE batches (
    batch_id           VARCHAR PRIMARY KEY,
    round_id           VARCHAR NOT NULL,
    stage              VARCHAR NOT NULL,
    model              VARCHAR NOT NULL,
    provider           VARCHAR NOT NULL,
    provider_model     VARCHAR NOT NULL,
    provider_batch_id  VARCHAR,
    status             VARCHAR NOT NULL CHECK (status IN ('intended', 'running', 'cancelling', 'ended', 'collected', 'void')),
    requests           BIGINT NOT NULL,
    done               BIGINT NOT NULL,
    failed             BIGINT NOT NULL,
    problem            VARCHAR,
    intended_at        TIMESTAMP NOT NULL,
    submitted_at       TIMESTAMP,
    ended_at           TIMESTAMP
);
COMMENT ON TABLE batches IS 'One row per batch that a stage submitted to a provider.';
