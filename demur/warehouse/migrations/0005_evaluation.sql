-- What verifiers make of generators, on matched cells: a base instance, class and intensity in which every generator's
-- candidates have a verdict of every verifier. Intervals are 95 % intervals from a bootstrap over source questions.

CREATE TABLE verifications (
    round_id    VARCHAR NOT NULL,
    unit_id     VARCHAR NOT NULL,
    cells       BIGINT NOT NULL,
    cells_seen  BIGINT NOT NULL,
    instances   BIGINT NOT NULL,
    stop_order  VARCHAR[] NOT NULL,
    asked       DOUBLE[] NOT NULL,
    remark      VARCHAR
);
COMMENT ON TABLE verifications IS 'One row per round: matched cells of those with a candidate, and the order of verifiers that finds failing candidates soonest.';
COMMENT ON COLUMN verifications.asked IS 'share of matched candidates that come to the verifier of the same place in stop_order, if asking ends at the first failing verdict';
COMMENT ON COLUMN verifications.remark IS 'why there is no statistic, or of what candidates they cannot speak';

CREATE TABLE verification_rates (
    round_id     VARCHAR NOT NULL,
    unit_id      VARCHAR NOT NULL,
    statistic    VARCHAR NOT NULL,
    generator    VARCHAR,
    verifier     VARCHAR,
    slice        VARCHAR NOT NULL,
    slice_value  VARCHAR NOT NULL,
    value        DOUBLE,
    se           DOUBLE,
    low          DOUBLE,
    high         DOUBLE,
    n            BIGINT NOT NULL,
    reason       VARCHAR
);
COMMENT ON TABLE verification_rates IS 'One row per round, statistic, generator (null: all), verifier (null: all) and slice (overall, class, intensity).';
COMMENT ON COLUMN verification_rates.statistic IS 'pass_rate, unanimous_rate, self_rate (own candidates passed by oneself), cross_rate (by the others), bias (self less cross)';

CREATE TABLE verifier_agreements (
    round_id     VARCHAR NOT NULL,
    unit_id      VARCHAR NOT NULL,
    coefficient  VARCHAR NOT NULL,
    first        VARCHAR,
    second       VARCHAR,
    value        DOUBLE,
    se           DOUBLE,
    low          DOUBLE,
    high         DOUBLE,
    n            BIGINT NOT NULL,
    reason       VARCHAR
);
COMMENT ON TABLE verifier_agreements IS 'One row per round and coefficient of agreement: cohen of a pair of verifiers, fleiss and alpha of all of them.';

ALTER TABLE judgements ADD COLUMN other_codes VARCHAR[];
COMMENT ON COLUMN judgements.several_codes IS 'whether the response states more than one code; the first stated decision counts';
COMMENT ON COLUMN judgements.other_codes IS 'codes that the response names beside the one it decides on, in their order; null where that was not looked for';
