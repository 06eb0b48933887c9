-- What earlier rounds say of levers, as a round that draws them by it found it when it began.

CREATE TABLE raw.lever_states (
    round_id VARCHAR NOT NULL,
    lever_id VARCHAR NOT NULL,
    rounds BIGINT NOT NULL,
    items BIGINT NOT NULL,
    information DOUBLE NOT NULL,
    spread DOUBLE NOT NULL
);
