-- What probes answer without passages, and whether an item's base instance is one whose answer they know.
CREATE TABLE raw.recalls (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    base_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    probe VARCHAR NOT NULL,
    response VARCHAR NOT NULL,
    is_right BOOLEAN NOT NULL
);
ALTER TABLE raw.items ADD COLUMN is_known BOOLEAN;
