-- How helpful a model of the round finds completions and responses, which rewards are added to.
CREATE TABLE raw.base_rewards (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    subject_kind VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    rater VARCHAR NOT NULL,
    base_reward DOUBLE NOT NULL
);
