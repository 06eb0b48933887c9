-- Items chosen by how hard they are: what probes respond, what adjudicators say of what all probes miss, and how likely
-- each item was to be drawn.
CREATE TABLE raw.pretests (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    perturbation_id VARCHAR NOT NULL,
    class VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    probe VARCHAR NOT NULL,
    response VARCHAR,
    predicted VARCHAR NOT NULL,
    is_right BOOLEAN
);
CREATE TABLE raw.adjudications (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    perturbation_id VARCHAR NOT NULL,
    class VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    generator VARCHAR NOT NULL,
    adjudicator VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    right_behaviour VARCHAR,
    reading VARCHAR,
    issues VARCHAR[] NOT NULL
);
ALTER TABLE raw.items ADD COLUMN drawn_by VARCHAR;
ALTER TABLE raw.items ADD COLUMN inclusion DOUBLE;
ALTER TABLE raw.items ADD COLUMN weight DOUBLE;
