-- Item response theory: how able respondents are, how hard items are, and how well they tell respondents apart.

CREATE TABLE raw.item_fits (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    respondents BIGINT NOT NULL,
    items BIGINT NOT NULL,
    sources BIGINT NOT NULL,
    difficulty_spread DOUBLE,
    discrimination_spread DOUBLE,
    log_likelihood DOUBLE,
    gradient DOUBLE,
    curvature DOUBLE,
    is_certified BOOLEAN,
    reason VARCHAR
);

CREATE TABLE raw.abilities (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    responses BIGINT NOT NULL,
    ability DOUBLE NOT NULL,
    se DOUBLE NOT NULL,
    low DOUBLE NOT NULL,
    high DOUBLE NOT NULL
);

CREATE TABLE raw.item_parameters (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    factor VARCHAR NOT NULL,
    factor_value VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    difficulty DOUBLE NOT NULL,
    difficulty_low DOUBLE NOT NULL,
    difficulty_high DOUBLE NOT NULL,
    discrimination DOUBLE NOT NULL,
    discrimination_low DOUBLE NOT NULL,
    discrimination_high DOUBLE NOT NULL,
    information DOUBLE NOT NULL,
    information_low DOUBLE NOT NULL,
    information_high DOUBLE NOT NULL,
    suspicion DOUBLE
);

CREATE TABLE raw.information_curves (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    slice VARCHAR NOT NULL,
    slice_value VARCHAR NOT NULL,
    ability DOUBLE NOT NULL,
    information DOUBLE NOT NULL
);
