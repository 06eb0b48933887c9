-- How far judges agree with people on the same responses; it holds for a judge wherever it judges.
CREATE TABLE raw.judge_calibrations (
    round_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    judge_digest VARCHAR NOT NULL,
    aspect VARCHAR NOT NULL,
    labels_digest VARCHAR NOT NULL,
    responses BIGINT NOT NULL,
    sources BIGINT NOT NULL,
    observed DOUBLE NOT NULL,
    kappa DOUBLE,
    low DOUBLE,
    high DOUBLE,
    reason VARCHAR,
    calibrated_at TIMESTAMP NOT NULL,
    PRIMARY KEY (round_id, judge, aspect, labels_digest)
);
