-- The tables of demur. Migrations are append-only: never edit this file, add the next one.
-- Every landed table names its round and the unit of work that made its rows; rows made with a model name the call.
-- Times are UTC; units stand in the names of columns.

CREATE TABLE rounds (
    round_id          VARCHAR PRIMARY KEY,
    name              VARCHAR NOT NULL,
    seed              BIGINT NOT NULL,
    layout            VARCHAR NOT NULL,
    bases_wanted      BIGINT NOT NULL,
    screeners         VARCHAR[] NOT NULL,
    generators        VARCHAR[] NOT NULL,
    verifiers         VARCHAR[] NOT NULL,
    respondents       VARCHAR[] NOT NULL,
    judges            VARCHAR[] NOT NULL,
    config            JSON NOT NULL,
    config_digest     VARCHAR NOT NULL,
    catalogue_digest  VARCHAR NOT NULL,
    status            VARCHAR NOT NULL,
    started_at        TIMESTAMP NOT NULL,
    finished_at       TIMESTAMP
);
COMMENT ON TABLE rounds IS 'One row per round: a benchmark generated from fresh perturbations of a sample of base instances.';
COMMENT ON COLUMN rounds.status IS 'open until its release is frozen, then finished';

CREATE TABLE units (
    round_id  VARCHAR NOT NULL,
    stage     VARCHAR NOT NULL,
    unit_id   VARCHAR NOT NULL,
    ordinal   BIGINT NOT NULL,
    PRIMARY KEY (round_id, stage, unit_id)
);
COMMENT ON TABLE units IS 'One row per unit of work that the round plans now; rows of units that are planned no more stay in their tables and leave the live_* views.';

CREATE TABLE base_instances (
    round_id   VARCHAR NOT NULL,
    unit_id    VARCHAR NOT NULL,
    base_id    VARCHAR NOT NULL,
    source_id  VARCHAR NOT NULL,
    draw       BIGINT NOT NULL,
    layout     VARCHAR NOT NULL,
    domain     VARCHAR,
    title      VARCHAR,
    question   VARCHAR NOT NULL,
    answers    VARCHAR[] NOT NULL,
    passages   STRUCT("index" BIGINT, "text" VARCHAR, relevant BOOLEAN, title VARCHAR)[] NOT NULL
);
COMMENT ON TABLE base_instances IS 'One row per base instance drawn by a round.';
COMMENT ON COLUMN base_instances.base_id IS 'hash of question, answers and passages: the same in every round and file';
COMMENT ON COLUMN base_instances.draw IS 'place in the round''s seeded draw, from 0';

CREATE TABLE screenings (
    round_id   VARCHAR NOT NULL,
    unit_id    VARCHAR NOT NULL,
    call_id    VARCHAR,
    base_id    VARCHAR NOT NULL,
    screener   VARCHAR NOT NULL,
    response   VARCHAR,
    predicted  VARCHAR NOT NULL,
    correct    BOOLEAN NOT NULL
);
COMMENT ON TABLE screenings IS 'One row per base instance and screener: was it answered correctly unperturbed?';

CREATE TABLE perturbations (
    round_id             VARCHAR NOT NULL,
    unit_id              VARCHAR NOT NULL,
    call_id              VARCHAR,
    perturbation_id      VARCHAR NOT NULL,
    base_id              VARCHAR NOT NULL,
    class                VARCHAR NOT NULL,
    intensity            VARCHAR NOT NULL,
    generator            VARCHAR NOT NULL,
    replicate            BIGINT NOT NULL,
    status               VARCHAR NOT NULL,
    reason               VARCHAR,
    lever_id             VARCHAR,
    lever                VARCHAR,
    question             VARCHAR,
    changed              STRUCT("index" BIGINT, "text" VARCHAR)[] NOT NULL,
    content_key          VARCHAR,
    reasoning            VARCHAR,
    answer_constraint    VARCHAR,
    intensity_claimed    VARCHAR,
    behaviour_claimed    VARCHAR
);
COMMENT ON TABLE perturbations IS 'One row per base instance, stratum, generator and replicate.';
COMMENT ON COLUMN perturbations.content_key IS 'hash of normalised question and passages; of candidates that share it one is verified';
COMMENT ON COLUMN perturbations.status IS 'candidate: goes to the verifiers; rejected: failed a code check; declined: the generator found no lever that applies';

CREATE TABLE checks (
    round_id         VARCHAR NOT NULL,
    unit_id          VARCHAR NOT NULL,
    perturbation_id  VARCHAR NOT NULL,
    class            VARCHAR NOT NULL,
    intensity        VARCHAR NOT NULL,
    check_name       VARCHAR NOT NULL,
    outcome          VARCHAR NOT NULL,
    evidence         VARCHAR NOT NULL
);
COMMENT ON TABLE checks IS 'One row per perturbation and code check: pass, fail or undecidable, with the evidence.';

CREATE TABLE verdicts (
    round_id                 VARCHAR NOT NULL,
    unit_id                  VARCHAR NOT NULL,
    call_id                  VARCHAR,
    perturbation_id          VARCHAR NOT NULL,
    class                    VARCHAR NOT NULL,
    intensity                VARCHAR NOT NULL,
    generator                VARCHAR NOT NULL,
    verifier                 VARCHAR NOT NULL,
    attempt                  BIGINT NOT NULL,
    outcome                  VARCHAR NOT NULL,
    overall                  BOOLEAN,
    lever_fidelity           BOOLEAN,
    intensity_achieved       BOOLEAN,
    target_compliance        BOOLEAN,
    strategy_compliance      BOOLEAN,
    uncertainty_induced      BOOLEAN,
    implementation_quality   BOOLEAN,
    answer_constraint        BOOLEAN,
    behaviour_prediction     BOOLEAN,
    refusal_class_alignment  BOOLEAN,
    predicted_behaviour      VARCHAR,
    observed_intensity       VARCHAR,
    issues                   VARCHAR[] NOT NULL,
    refusal_analysis         VARCHAR,
    constraint_analysis      VARCHAR
);
COMMENT ON TABLE verdicts IS 'One row per perturbation, verifier and attempt; the first attempt that could be read counts.';
COMMENT ON COLUMN verdicts.outcome IS 'pass, fail, inconsistent (overall contradicts its own checks: counts as fail) or missing (could not be read)';
COMMENT ON COLUMN verdicts.strategy_compliance IS 'several documents only; null for single documents';

CREATE TABLE items (
    round_id         VARCHAR NOT NULL,
    unit_id          VARCHAR NOT NULL,
    item_id          VARCHAR NOT NULL,
    kind             VARCHAR NOT NULL,
    base_id          VARCHAR NOT NULL,
    perturbation_id  VARCHAR,
    class            VARCHAR,
    intensity        VARCHAR,
    lever_id         VARCHAR,
    lever            VARCHAR,
    generator        VARCHAR,
    expected         VARCHAR NOT NULL,
    question         VARCHAR NOT NULL,
    answers          VARCHAR[] NOT NULL,
    passages         STRUCT("index" BIGINT, "text" VARCHAR, relevant BOOLEAN)[] NOT NULL
);
COMMENT ON TABLE items IS 'One row per accepted and sampled perturbation, and one per base instance as its unperturbed control.';
COMMENT ON COLUMN items.kind IS 'perturbed or control';

CREATE TABLE responses (
    round_id     VARCHAR NOT NULL,
    unit_id      VARCHAR NOT NULL,
    call_id      VARCHAR,
    response_id  VARCHAR NOT NULL,
    item_id      VARCHAR NOT NULL,
    base_id      VARCHAR NOT NULL,
    class        VARCHAR,
    intensity    VARCHAR,
    respondent   VARCHAR NOT NULL,
    replicate    BIGINT NOT NULL,
    response     VARCHAR NOT NULL,
    confidence   VARCHAR
);
COMMENT ON TABLE responses IS 'One row per item, respondent and replicate.';

CREATE TABLE judgements (
    round_id            VARCHAR NOT NULL,
    unit_id             VARCHAR NOT NULL,
    call_id             VARCHAR,
    response_id         VARCHAR NOT NULL,
    item_id             VARCHAR NOT NULL,
    class               VARCHAR,
    intensity           VARCHAR,
    respondent          VARCHAR NOT NULL,
    judge               VARCHAR NOT NULL,
    predicted           VARCHAR NOT NULL,
    several_codes       BOOLEAN NOT NULL,
    quality             BIGINT,
    eligible            BOOLEAN,
    supported_all       BOOLEAN,
    supported_relevant  BOOLEAN,
    correct             BOOLEAN,
    explanation         VARCHAR
);
COMMENT ON TABLE judgements IS 'One row per response and judge.';
COMMENT ON COLUMN judgements.predicted IS 'ANSWER_ATTEMPT, a REFUSE_* code, or INVALID';
COMMENT ON COLUMN judgements.correct IS 'attempts on answerable items only: quality of at least 4 (single), RAF of 1 (several documents)';

CREATE TABLE completions (
    round_id       VARCHAR NOT NULL,
    unit_id        VARCHAR NOT NULL,
    call_id        VARCHAR,
    completion_id  VARCHAR NOT NULL,
    policy         VARCHAR NOT NULL,
    behaviour      VARCHAR NOT NULL,
    prompt_id      VARCHAR NOT NULL,
    class          VARCHAR,
    intensity      VARCHAR,
    label          VARCHAR NOT NULL,
    variant        BIGINT NOT NULL,
    faults         VARCHAR[] NOT NULL,
    intended       STRUCT(proposition VARCHAR, holds BOOLEAN)[] NOT NULL,
    facts          STRUCT(fact VARCHAR, holds BOOLEAN)[] NOT NULL,
    prompt         VARCHAR NOT NULL,
    completion     VARCHAR NOT NULL,
    writer         VARCHAR NOT NULL
);
COMMENT ON TABLE completions IS 'One row per prompt, label and variant: a written completion and which propositions it is meant to make true.';

CREATE TABLE grades (
    round_id      VARCHAR NOT NULL,
    unit_id       VARCHAR NOT NULL,
    call_id       VARCHAR,
    policy        VARCHAR NOT NULL,
    behaviour     VARCHAR NOT NULL,
    subject_kind  VARCHAR NOT NULL,
    subject_id    VARCHAR NOT NULL,
    class         VARCHAR,
    intensity     VARCHAR,
    grader        VARCHAR NOT NULL,
    proposition   VARCHAR NOT NULL,
    probability   DOUBLE NOT NULL
);
COMMENT ON TABLE grades IS 'One row per completion or response, proposition and grader: the probability that the proposition holds.';
COMMENT ON COLUMN grades.subject_kind IS 'completion or response; subject_id is the completion_id or response_id';

CREATE TABLE fits (
    round_id                VARCHAR NOT NULL,
    unit_id                 VARCHAR NOT NULL,
    policy                  VARCHAR NOT NULL,
    behaviour               VARCHAR NOT NULL,
    grader                  VARCHAR NOT NULL,
    margin                  DOUBLE NOT NULL,
    l2                      DOUBLE NOT NULL,
    objective               DOUBLE NOT NULL,
    relative_gap            DOUBLE NOT NULL,
    prompts_train           BIGINT NOT NULL,
    prompts_held_out        BIGINT NOT NULL,
    pairs_train             BIGINT NOT NULL,
    pairs_held_out          BIGINT NOT NULL,
    hinge_loss_train        DOUBLE,
    hinge_loss_held_out     DOUBLE,
    pairwise_error_train    DOUBLE,
    pairwise_error_held_out DOUBLE,
    ideal_first_train       DOUBLE,
    ideal_first_held_out    DOUBLE
);
COMMENT ON TABLE fits IS 'One row per policy and behaviour: the hinge-loss fit of its reward weights.';

CREATE TABLE weights (
    round_id   VARCHAR NOT NULL,
    unit_id    VARCHAR NOT NULL,
    policy     VARCHAR NOT NULL,
    behaviour  VARCHAR NOT NULL,
    feature    VARCHAR NOT NULL,
    kind       VARCHAR NOT NULL,
    value      DOUBLE NOT NULL,
    low        DOUBLE,
    high       DOUBLE
);
COMMENT ON TABLE weights IS 'One row per policy, behaviour and feature (proposition or class), with a 95 % interval over prompts.';

CREATE TABLE rewards (
    round_id     VARCHAR NOT NULL,
    unit_id      VARCHAR NOT NULL,
    policy       VARCHAR NOT NULL,
    behaviour    VARCHAR NOT NULL,
    response_id  VARCHAR NOT NULL,
    reward       DOUBLE NOT NULL
);
COMMENT ON TABLE rewards IS 'One row per graded response: its rule-based reward under the fitted weights of its policy and behaviour.';

CREATE TABLE scores (
    round_id    VARCHAR NOT NULL,
    unit_id     VARCHAR NOT NULL,
    respondent  VARCHAR NOT NULL,
    judge       VARCHAR NOT NULL,
    slice       VARCHAR NOT NULL,
    slice_value VARCHAR NOT NULL,
    metric      VARCHAR NOT NULL,
    value       DOUBLE,
    se          DOUBLE,
    low         DOUBLE,
    high        DOUBLE,
    n           BIGINT NOT NULL,
    reason      VARCHAR
);
COMMENT ON TABLE scores IS 'One row per respondent, judge, slice and metric, with a 95 % interval from a bootstrap over source questions.';

CREATE TABLE calls (
    call_id           VARCHAR PRIMARY KEY,
    round_id          VARCHAR NOT NULL,
    stage             VARCHAR NOT NULL,
    unit_id           VARCHAR NOT NULL,
    role              VARCHAR NOT NULL,
    model             VARCHAR NOT NULL,
    provider          VARCHAR NOT NULL,
    provider_model    VARCHAR NOT NULL,
    program           VARCHAR NOT NULL,
    request_digest    VARCHAR NOT NULL,
    attempt           BIGINT NOT NULL,
    status            VARCHAR NOT NULL,
    error_class       VARCHAR,
    error             VARCHAR,
    reply             VARCHAR,
    finish_reason     VARCHAR,
    input_tokens      BIGINT,
    output_tokens     BIGINT,
    cached_tokens     BIGINT,
    reasoning_tokens  BIGINT,
    cost_usd          DOUBLE,
    latency_seconds   DOUBLE NOT NULL,
    queue_seconds     DOUBLE NOT NULL,
    started_at        TIMESTAMP NOT NULL
);
COMMENT ON TABLE calls IS 'One row per request to a language model: tokens, cost, latency, outcome, and the reply as it came.';
COMMENT ON COLUMN calls.model IS 'name of the model spec in the round configuration; provider_model is what the provider was asked for';

CREATE TABLE failures (
    round_id     VARCHAR NOT NULL,
    stage        VARCHAR NOT NULL,
    unit_id      VARCHAR NOT NULL,
    class        VARCHAR,
    intensity    VARCHAR,
    reason       VARCHAR NOT NULL,
    detail       VARCHAR NOT NULL,
    call_id      VARCHAR,
    failed_at    TIMESTAMP NOT NULL
);
COMMENT ON TABLE failures IS 'One row per unit that ended without a result; a later run asks it again and drops the row when it lands.';

CREATE TABLE expectation_results (
    round_id     VARCHAR NOT NULL,
    stage        VARCHAR NOT NULL,
    suite        VARCHAR NOT NULL,
    gate         VARCHAR NOT NULL,
    expectation  VARCHAR NOT NULL,
    subject      VARCHAR,
    success      BOOLEAN NOT NULL,
    observed     VARCHAR,
    bound        VARCHAR,
    run_at       TIMESTAMP NOT NULL
);
COMMENT ON TABLE expectation_results IS 'One row per expectation of a stage''s latest gate; gate is integrity (stops a round) or sample (warns).';

CREATE TABLE releases (
    name        VARCHAR NOT NULL,
    version     VARCHAR NOT NULL,
    round_id    VARCHAR NOT NULL,
    digest      VARCHAR NOT NULL,
    items       BIGINT NOT NULL,
    created_at  TIMESTAMP NOT NULL,
    PRIMARY KEY (name, version)
);
COMMENT ON TABLE releases IS 'One row per frozen release; digest identifies its data files.';

CREATE TABLE loads (
    landing    VARCHAR PRIMARY KEY,
    round_id   VARCHAR NOT NULL,
    stage      VARCHAR NOT NULL,
    rows       BIGINT NOT NULL,
    loaded_at  TIMESTAMP NOT NULL
);
COMMENT ON TABLE loads IS 'One row per landed shard that was loaded: what makes loading happen once.';
