-- What the responses of respondents are answers to, and what judged and counted them: only like is put beside like.

CREATE TABLE raw.evaluations (
    round_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    prompts VARCHAR NOT NULL,
    release_name VARCHAR NOT NULL,
    release_version VARCHAR NOT NULL,
    release_digest VARCHAR NOT NULL,
    prompts_digest VARCHAR NOT NULL,
    judge_digest VARCHAR NOT NULL,
    metrics_version VARCHAR NOT NULL,
    respondent_fingerprint VARCHAR NOT NULL,
    replicates BIGINT NOT NULL,
    occasion VARCHAR,
    evaluated_at TIMESTAMP NOT NULL,
    PRIMARY KEY (round_id, respondent, judge, prompts)
);
