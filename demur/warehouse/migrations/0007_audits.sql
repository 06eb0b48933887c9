-- What people found when they read items: five criteria each, PASS or FAIL, by reader; and how a model's scores moved
-- from one round to a later one.

CREATE TABLE audits (
    round_id                VARCHAR NOT NULL,
    item_id                 VARCHAR NOT NULL,
    reader                  VARCHAR NOT NULL,
    class                   VARCHAR NOT NULL,
    intensity               VARCHAR NOT NULL,
    seed                    BIGINT NOT NULL,
    lever_fidelity          BOOLEAN,
    intensity_achieved      BOOLEAN,
    uncertainty_induced     BOOLEAN,
    linguistic_soundness    BOOLEAN,
    ground_truth_alignment  BOOLEAN,
    note                    VARCHAR,
    imported_at             TIMESTAMP NOT NULL,
    PRIMARY KEY (round_id, item_id, reader)
);
COMMENT ON TABLE audits IS 'One row per item and human reader: pass or fail on five criteria, null where the reader left one open.';
COMMENT ON COLUMN audits.seed IS 'seed of the sample that the item was read in';

CREATE TABLE drifts (
    round_id         VARCHAR NOT NULL,
    unit_id          VARCHAR NOT NULL,
    respondent       VARCHAR NOT NULL,
    judge            VARCHAR NOT NULL,
    metric           VARCHAR NOT NULL,
    earlier_round_id VARCHAR NOT NULL,
    difference       DOUBLE,
    se               DOUBLE,
    low              DOUBLE,
    high             DOUBLE,
    p_value          DOUBLE,
    sources          BIGINT NOT NULL,
    sources_earlier  BIGINT NOT NULL,
    sources_shared   BIGINT NOT NULL,
    reason           VARCHAR
);
COMMENT ON TABLE drifts IS 'One row per respondent, judge, metric and earlier round of the same configuration: the score in this round less that in the earlier one, with a 95 % interval from a bootstrap over source questions.';

CREATE TABLE reaches (
    round_id         VARCHAR NOT NULL,
    unit_id          VARCHAR NOT NULL,
    respondent       VARCHAR NOT NULL,
    judge            VARCHAR NOT NULL,
    items            BIGINT NOT NULL,
    sources          BIGINT NOT NULL,
    share_right      DOUBLE,
    low              DOUBLE,
    high             DOUBLE,
    design_effect    DOUBLE,
    icc              DOUBLE,
    effective_items  DOUBLE,
    reason           VARCHAR
);
COMMENT ON TABLE reaches IS 'One row per respondent and judge: the mean over source questions of the share of right responses to perturbed items with its 95 % interval, and what the correlation between items of one source question costs.';
COMMENT ON COLUMN reaches.effective_items IS 'independent items that would tell as much: items / design_effect';
