-- Responses that were made elsewhere, and what the score stage finds beside the metrics. All intervals are 95 %
-- intervals from a bootstrap over source questions unless a comment says otherwise; `reason` says what is missing and why.

CREATE TABLE imported_responses (
    round_id            VARCHAR NOT NULL,
    unit_id             VARCHAR NOT NULL,
    response_id         VARCHAR NOT NULL,
    source_id           VARCHAR NOT NULL,
    item_id             VARCHAR NOT NULL,
    kind                VARCHAR NOT NULL,
    class               VARCHAR,
    intensity           VARCHAR,
    expected            VARCHAR NOT NULL,
    respondent          VARCHAR NOT NULL,
    language            VARCHAR,
    layout              VARCHAR,
    replicate           BIGINT NOT NULL,
    judge               VARCHAR NOT NULL,
    predicted           VARCHAR NOT NULL,
    response            VARCHAR,
    quality             DOUBLE,
    eligible            BOOLEAN,
    supported_all       BOOLEAN,
    supported_relevant  BOOLEAN,
    correct             BOOLEAN,
    confidence          VARCHAR
);
COMMENT ON TABLE imported_responses IS 'One row per response read from a file: item, respondent, language, replicate and judge, as the file gives them.';
COMMENT ON COLUMN imported_responses.quality IS '1 to 5, correct from 4; null where the file has none';
COMMENT ON COLUMN imported_responses.response IS 'the text as it came; null where the file gives the classification alone';

CREATE TABLE response_counts (
    round_id            VARCHAR NOT NULL,
    unit_id             VARCHAR NOT NULL,
    respondent          VARCHAR NOT NULL,
    judge               VARCHAR NOT NULL,
    kind                VARCHAR NOT NULL,
    layout              VARCHAR NOT NULL,
    class               VARCHAR,
    intensity           VARCHAR,
    domain              VARCHAR,
    language            VARCHAR,
    lever_id            VARCHAR,
    expected            VARCHAR NOT NULL,
    predicted           VARCHAR NOT NULL,
    correct             BOOLEAN,
    eligible            BOOLEAN,
    supported_all       BOOLEAN,
    supported_relevant  BOOLEAN,
    confidence          VARCHAR,
    responses           BIGINT NOT NULL
);
COMMENT ON TABLE response_counts IS 'One row per respondent, judge and combination of the other columns: how many responses there are, for counting without joins.';

CREATE TABLE paired_tests (
    round_id              VARCHAR NOT NULL,
    unit_id               VARCHAR NOT NULL,
    judge                 VARCHAR NOT NULL,
    first                 VARCHAR NOT NULL,
    second                VARCHAR NOT NULL,
    metric                VARCHAR NOT NULL,
    items                 BIGINT NOT NULL,
    sources               BIGINT NOT NULL,
    difference            DOUBLE,
    se                    DOUBLE,
    low                   DOUBLE,
    high                  DOUBLE,
    p_value               DOUBLE,
    p_value_holm          DOUBLE,
    minimum_detectable    DOUBLE,
    only_first            BIGINT NOT NULL,
    only_second           BIGINT NOT NULL,
    mcnemar_p_value       DOUBLE,
    mcnemar_p_value_holm  DOUBLE,
    reason                VARCHAR
);
COMMENT ON TABLE paired_tests IS 'One row per judge, pair of respondents and metric, over the items that both answered: first less second.';
COMMENT ON COLUMN paired_tests.minimum_detectable IS 'difference that this many source questions find with a power of 0.8';
COMMENT ON COLUMN paired_tests.only_first IS 'items that only the first got right: correct answer or expected code; McNemar compares these with only_second';

CREATE TABLE code_use (
    round_id                           VARCHAR NOT NULL,
    unit_id                            VARCHAR NOT NULL,
    respondent                         VARCHAR NOT NULL,
    judge                              VARCHAR NOT NULL,
    refusals                           BIGINT NOT NULL,
    entropy_bits                       DOUBLE,
    entropy_bits_low                   DOUBLE,
    entropy_bits_high                  DOUBLE,
    expected_entropy_bits              DOUBLE,
    top_code                           VARCHAR,
    top_share                          DOUBLE,
    top_share_low                      DOUBLE,
    top_share_high                     DOUBLE,
    never_given                        VARCHAR[] NOT NULL,
    constant_code                      VARCHAR,
    constant_refusal_accuracy          DOUBLE,
    constant_calibrated_refusal_score  DOUBLE,
    reason                             VARCHAR
);
COMMENT ON TABLE code_use IS 'One row per respondent and judge: how refusals of perturbed items spread over the codes, and what the best constant code would score.';

CREATE TABLE calibration (
    round_id    VARCHAR NOT NULL,
    unit_id     VARCHAR NOT NULL,
    respondent  VARCHAR NOT NULL,
    judge       VARCHAR NOT NULL,
    part        VARCHAR NOT NULL,
    confidence  VARCHAR NOT NULL,
    midpoint    DOUBLE NOT NULL,
    n           BIGINT NOT NULL,
    accuracy    DOUBLE,
    se          DOUBLE,
    low         DOUBLE,
    high        DOUBLE,
    reason      VARCHAR
);
COMMENT ON TABLE calibration IS 'One row per respondent, judge, part (all, answers, refusals) and verbal level of confidence: how often such responses are accurate.';

CREATE TABLE difficulties (
    round_id      VARCHAR NOT NULL,
    unit_id       VARCHAR NOT NULL,
    judge         VARCHAR NOT NULL,
    factor        VARCHAR NOT NULL,
    factor_value  VARCHAR NOT NULL,
    items         BIGINT NOT NULL,
    sources       BIGINT NOT NULL,
    responses     BIGINT NOT NULL,
    difficulty    DOUBLE,
    se            DOUBLE,
    low           DOUBLE,
    high          DOUBLE,
    reason        VARCHAR
);
COMMENT ON TABLE difficulties IS 'One row per judge, factor (lever_id or domain) and value: share of all respondents'' responses that are not accurate.';

CREATE TABLE associations (
    round_id   VARCHAR NOT NULL,
    unit_id    VARCHAR NOT NULL,
    judge      VARCHAR NOT NULL,
    statistic  VARCHAR NOT NULL,
    factor     VARCHAR NOT NULL,
    first      VARCHAR,
    second     VARCHAR,
    metric     VARCHAR NOT NULL,
    value      DOUBLE,
    low        DOUBLE,
    high       DOUBLE,
    models     BIGINT NOT NULL,
    reason     VARCHAR
);
COMMENT ON TABLE associations IS 'One row per judge, statistic over respondents, factor and metric; respondents are the units of its 95 % interval.';
COMMENT ON COLUMN associations.statistic IS 'correlation (of metric with the metric in factor), slope (per tenfold parameters_billion, per 1,000 thinking_tokens) or difference (first group less second)';

CREATE TABLE noise_floors (
    round_id      VARCHAR NOT NULL,
    unit_id       VARCHAR NOT NULL,
    respondent    VARCHAR NOT NULL,
    metric        VARCHAR NOT NULL,
    first_judge   VARCHAR NOT NULL,
    second_judge  VARCHAR NOT NULL,
    responses     BIGINT NOT NULL,
    difference    DOUBLE,
    se            DOUBLE,
    low           DOUBLE,
    high          DOUBLE,
    same_class    DOUBLE,
    alpha         DOUBLE,
    reason        VARCHAR
);
COMMENT ON TABLE noise_floors IS 'One row per respondent and metric of a round with several judgings: the two judgings that differ most, and by how much.';
COMMENT ON COLUMN noise_floors.alpha IS 'Krippendorff''s alpha of the classes that the judgings gave; null where they never vary';
