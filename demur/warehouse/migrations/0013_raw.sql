-- Tables move into a schema of their own, `raw`: what people ask stays in `main`, whose views read them. DuckDB cannot
-- move a table, so each is made again and filled. Later migrations name `raw` where they make a table.
CREATE SCHEMA raw;

CREATE TABLE raw.rounds (
    round_id VARCHAR PRIMARY KEY,
    "name" VARCHAR NOT NULL,
    seed BIGINT NOT NULL,
    layout VARCHAR NOT NULL,
    bases_wanted BIGINT NOT NULL,
    screeners VARCHAR[] NOT NULL,
    generators VARCHAR[] NOT NULL,
    verifiers VARCHAR[] NOT NULL,
    respondents VARCHAR[] NOT NULL,
    judges VARCHAR[] NOT NULL,
    config JSON NOT NULL,
    config_digest VARCHAR NOT NULL,
    catalogue_digest VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP
);
INSERT INTO raw.rounds SELECT * FROM main.rounds;
DROP TABLE main.rounds;

CREATE TABLE raw.units (
    round_id VARCHAR,
    stage VARCHAR,
    unit_id VARCHAR,
    ordinal BIGINT NOT NULL,
    PRIMARY KEY(round_id, stage, unit_id)
);
INSERT INTO raw.units SELECT * FROM main.units;
DROP TABLE main.units;

CREATE TABLE raw.base_instances (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    base_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    draw BIGINT NOT NULL,
    layout VARCHAR NOT NULL,
    "domain" VARCHAR,
    title VARCHAR,
    question VARCHAR NOT NULL,
    answers VARCHAR[] NOT NULL,
    passages STRUCT("index" BIGINT, "text" VARCHAR, relevant BOOLEAN, title VARCHAR)[] NOT NULL
);
INSERT INTO raw.base_instances SELECT * FROM main.base_instances;
DROP TABLE main.base_instances;

CREATE TABLE raw.screenings (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    base_id VARCHAR NOT NULL,
    screener VARCHAR NOT NULL,
    response VARCHAR,
    predicted VARCHAR NOT NULL,
    correct BOOLEAN NOT NULL
);
INSERT INTO raw.screenings SELECT * FROM main.screenings;
DROP TABLE main.screenings;

CREATE TABLE raw.perturbations (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    perturbation_id VARCHAR NOT NULL,
    base_id VARCHAR NOT NULL,
    "class" VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    generator VARCHAR NOT NULL,
    replicate BIGINT NOT NULL,
    status VARCHAR NOT NULL,
    reason VARCHAR,
    lever_id VARCHAR,
    lever VARCHAR,
    question VARCHAR,
    changed STRUCT("index" BIGINT, "text" VARCHAR)[] NOT NULL,
    content_key VARCHAR,
    reasoning VARCHAR,
    answer_constraint VARCHAR,
    intensity_claimed VARCHAR,
    behaviour_claimed VARCHAR,
    assigned_lever_id VARCHAR
);
INSERT INTO raw.perturbations SELECT * FROM main.perturbations;
DROP TABLE main.perturbations;

CREATE TABLE raw.checks (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    perturbation_id VARCHAR NOT NULL,
    "class" VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    check_name VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    evidence VARCHAR NOT NULL,
    spans STRUCT(passage BIGINT, "start" BIGINT, "end" BIGINT, "text" VARCHAR)[]
);
INSERT INTO raw.checks SELECT * FROM main.checks;
DROP TABLE main.checks;

CREATE TABLE raw.verdicts (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    perturbation_id VARCHAR NOT NULL,
    "class" VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    generator VARCHAR NOT NULL,
    verifier VARCHAR NOT NULL,
    attempt BIGINT NOT NULL,
    outcome VARCHAR NOT NULL,
    overall BOOLEAN,
    lever_fidelity BOOLEAN,
    intensity_achieved BOOLEAN,
    target_compliance BOOLEAN,
    strategy_compliance BOOLEAN,
    uncertainty_induced BOOLEAN,
    implementation_quality BOOLEAN,
    answer_constraint BOOLEAN,
    behaviour_prediction BOOLEAN,
    refusal_class_alignment BOOLEAN,
    predicted_behaviour VARCHAR,
    observed_intensity VARCHAR,
    issues VARCHAR[] NOT NULL,
    refusal_analysis VARCHAR,
    constraint_analysis VARCHAR
);
INSERT INTO raw.verdicts SELECT * FROM main.verdicts;
DROP TABLE main.verdicts;

CREATE TABLE raw.items (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    item_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    base_id VARCHAR NOT NULL,
    perturbation_id VARCHAR,
    "class" VARCHAR,
    intensity VARCHAR,
    lever_id VARCHAR,
    lever VARCHAR,
    generator VARCHAR,
    expected VARCHAR NOT NULL,
    question VARCHAR NOT NULL,
    answers VARCHAR[] NOT NULL,
    passages STRUCT("index" BIGINT, "text" VARCHAR, relevant BOOLEAN)[] NOT NULL
);
INSERT INTO raw.items SELECT * FROM main.items;
DROP TABLE main.items;

CREATE TABLE raw.responses (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    response_id VARCHAR NOT NULL,
    item_id VARCHAR NOT NULL,
    base_id VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    respondent VARCHAR NOT NULL,
    replicate BIGINT NOT NULL,
    response VARCHAR NOT NULL,
    confidence VARCHAR
);
INSERT INTO raw.responses SELECT * FROM main.responses;
DROP TABLE main.responses;

CREATE TABLE raw.judgements (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    response_id VARCHAR NOT NULL,
    item_id VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    predicted VARCHAR NOT NULL,
    several_codes BOOLEAN NOT NULL,
    quality BIGINT,
    eligible BOOLEAN,
    supported_all BOOLEAN,
    supported_relevant BOOLEAN,
    correct BOOLEAN,
    explanation VARCHAR,
    other_codes VARCHAR[]
);
INSERT INTO raw.judgements SELECT * FROM main.judgements;
DROP TABLE main.judgements;

CREATE TABLE raw.completions (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    completion_id VARCHAR NOT NULL,
    "policy" VARCHAR NOT NULL,
    behaviour VARCHAR NOT NULL,
    prompt_id VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    "label" VARCHAR NOT NULL,
    variant BIGINT NOT NULL,
    faults VARCHAR[] NOT NULL,
    intended STRUCT(proposition VARCHAR, holds BOOLEAN)[] NOT NULL,
    facts STRUCT(fact VARCHAR, holds BOOLEAN)[] NOT NULL,
    prompt VARCHAR NOT NULL,
    completion VARCHAR NOT NULL,
    writer VARCHAR NOT NULL
);
INSERT INTO raw.completions SELECT * FROM main.completions;
DROP TABLE main.completions;

CREATE TABLE raw.grades (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    call_id VARCHAR,
    "policy" VARCHAR NOT NULL,
    behaviour VARCHAR NOT NULL,
    subject_kind VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    grader VARCHAR NOT NULL,
    proposition VARCHAR NOT NULL,
    probability DOUBLE NOT NULL
);
INSERT INTO raw.grades SELECT * FROM main.grades;
DROP TABLE main.grades;

CREATE TABLE raw.fits (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    "policy" VARCHAR NOT NULL,
    behaviour VARCHAR NOT NULL,
    grader VARCHAR NOT NULL,
    margin DOUBLE NOT NULL,
    l2 DOUBLE NOT NULL,
    objective DOUBLE NOT NULL,
    relative_gap DOUBLE NOT NULL,
    prompts_train BIGINT NOT NULL,
    prompts_held_out BIGINT NOT NULL,
    pairs_train BIGINT NOT NULL,
    pairs_held_out BIGINT NOT NULL,
    hinge_loss_train DOUBLE,
    hinge_loss_held_out DOUBLE,
    pairwise_error_train DOUBLE,
    pairwise_error_held_out DOUBLE,
    ideal_first_train DOUBLE,
    ideal_first_held_out DOUBLE
);
INSERT INTO raw.fits SELECT * FROM main.fits;
DROP TABLE main.fits;

CREATE TABLE raw.weights (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    "policy" VARCHAR NOT NULL,
    behaviour VARCHAR NOT NULL,
    feature VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    "value" DOUBLE NOT NULL,
    low DOUBLE,
    high DOUBLE
);
INSERT INTO raw.weights SELECT * FROM main.weights;
DROP TABLE main.weights;

CREATE TABLE raw.rewards (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    "policy" VARCHAR NOT NULL,
    behaviour VARCHAR NOT NULL,
    response_id VARCHAR NOT NULL,
    reward DOUBLE NOT NULL,
    respondent VARCHAR
);
INSERT INTO raw.rewards SELECT * FROM main.rewards;
DROP TABLE main.rewards;

CREATE TABLE raw.scores (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    slice VARCHAR NOT NULL,
    slice_value VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    "value" DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n BIGINT NOT NULL,
    reason VARCHAR
);
INSERT INTO raw.scores SELECT * FROM main.scores;
DROP TABLE main.scores;

CREATE TABLE raw.imported_responses (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    response_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    item_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    expected VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    "language" VARCHAR,
    layout VARCHAR,
    replicate BIGINT NOT NULL,
    judge VARCHAR NOT NULL,
    predicted VARCHAR NOT NULL,
    response VARCHAR,
    quality DOUBLE,
    eligible BOOLEAN,
    supported_all BOOLEAN,
    supported_relevant BOOLEAN,
    correct BOOLEAN,
    confidence VARCHAR
);
INSERT INTO raw.imported_responses SELECT * FROM main.imported_responses;
DROP TABLE main.imported_responses;

CREATE TABLE raw.response_counts (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    layout VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    "domain" VARCHAR,
    "language" VARCHAR,
    lever_id VARCHAR,
    expected VARCHAR NOT NULL,
    predicted VARCHAR NOT NULL,
    correct BOOLEAN,
    eligible BOOLEAN,
    supported_all BOOLEAN,
    supported_relevant BOOLEAN,
    confidence VARCHAR,
    responses BIGINT NOT NULL
);
INSERT INTO raw.response_counts SELECT * FROM main.response_counts;
DROP TABLE main.response_counts;

CREATE TABLE raw.paired_tests (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    "first" VARCHAR NOT NULL,
    "second" VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    sources BIGINT NOT NULL,
    difference DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    p_value DOUBLE,
    p_value_holm DOUBLE,
    minimum_detectable DOUBLE,
    only_first BIGINT NOT NULL,
    only_second BIGINT NOT NULL,
    mcnemar_p_value DOUBLE,
    mcnemar_p_value_holm DOUBLE,
    reason VARCHAR
);
INSERT INTO raw.paired_tests SELECT * FROM main.paired_tests;
DROP TABLE main.paired_tests;

CREATE TABLE raw.code_use (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    refusals BIGINT NOT NULL,
    entropy_bits DOUBLE,
    entropy_bits_low DOUBLE,
    entropy_bits_high DOUBLE,
    expected_entropy_bits DOUBLE,
    top_code VARCHAR,
    top_share DOUBLE,
    top_share_low DOUBLE,
    top_share_high DOUBLE,
    never_given VARCHAR[] NOT NULL,
    constant_code VARCHAR,
    constant_refusal_accuracy DOUBLE,
    constant_calibrated_refusal_score DOUBLE,
    reason VARCHAR
);
INSERT INTO raw.code_use SELECT * FROM main.code_use;
DROP TABLE main.code_use;

CREATE TABLE raw.calibration (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    part VARCHAR NOT NULL,
    confidence VARCHAR NOT NULL,
    midpoint DOUBLE NOT NULL,
    n BIGINT NOT NULL,
    accuracy DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    reason VARCHAR
);
INSERT INTO raw.calibration SELECT * FROM main.calibration;
DROP TABLE main.calibration;

CREATE TABLE raw.difficulties (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    factor VARCHAR NOT NULL,
    factor_value VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    sources BIGINT NOT NULL,
    responses BIGINT NOT NULL,
    difficulty DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    reason VARCHAR
);
INSERT INTO raw.difficulties SELECT * FROM main.difficulties;
DROP TABLE main.difficulties;

CREATE TABLE raw.associations (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    statistic VARCHAR NOT NULL,
    factor VARCHAR NOT NULL,
    "first" VARCHAR,
    "second" VARCHAR,
    metric VARCHAR NOT NULL,
    "value" DOUBLE,
    low DOUBLE,
    high DOUBLE,
    models BIGINT NOT NULL,
    reason VARCHAR
);
INSERT INTO raw.associations SELECT * FROM main.associations;
DROP TABLE main.associations;

CREATE TABLE raw.noise_floors (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    first_judge VARCHAR NOT NULL,
    second_judge VARCHAR NOT NULL,
    responses BIGINT NOT NULL,
    difference DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    same_class DOUBLE,
    alpha DOUBLE,
    reason VARCHAR
);
INSERT INTO raw.noise_floors SELECT * FROM main.noise_floors;
DROP TABLE main.noise_floors;

CREATE TABLE raw.drifts (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    earlier_round_id VARCHAR NOT NULL,
    difference DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    p_value DOUBLE,
    sources BIGINT NOT NULL,
    sources_earlier BIGINT NOT NULL,
    sources_shared BIGINT NOT NULL,
    reason VARCHAR
);
INSERT INTO raw.drifts SELECT * FROM main.drifts;
DROP TABLE main.drifts;

CREATE TABLE raw.reaches (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    respondent VARCHAR NOT NULL,
    judge VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    sources BIGINT NOT NULL,
    share_right DOUBLE,
    low DOUBLE,
    high DOUBLE,
    design_effect DOUBLE,
    icc DOUBLE,
    effective_items DOUBLE,
    reason VARCHAR
);
INSERT INTO raw.reaches SELECT * FROM main.reaches;
DROP TABLE main.reaches;

CREATE TABLE raw.verifications (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    cells BIGINT NOT NULL,
    cells_seen BIGINT NOT NULL,
    instances BIGINT NOT NULL,
    stop_order VARCHAR[] NOT NULL,
    asked DOUBLE[] NOT NULL,
    remark VARCHAR
);
INSERT INTO raw.verifications SELECT * FROM main.verifications;
DROP TABLE main.verifications;

CREATE TABLE raw.verification_rates (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    statistic VARCHAR NOT NULL,
    generator VARCHAR,
    verifier VARCHAR,
    slice VARCHAR NOT NULL,
    slice_value VARCHAR NOT NULL,
    "value" DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n BIGINT NOT NULL,
    reason VARCHAR
);
INSERT INTO raw.verification_rates SELECT * FROM main.verification_rates;
DROP TABLE main.verification_rates;

CREATE TABLE raw.verifier_agreements (
    round_id VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    coefficient VARCHAR NOT NULL,
    "first" VARCHAR,
    "second" VARCHAR,
    "value" DOUBLE,
    se DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n BIGINT NOT NULL,
    reason VARCHAR
);
INSERT INTO raw.verifier_agreements SELECT * FROM main.verifier_agreements;
DROP TABLE main.verifier_agreements;

CREATE TABLE raw.calls (
    call_id VARCHAR PRIMARY KEY,
    round_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    "role" VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    provider_model VARCHAR NOT NULL,
    "program" VARCHAR NOT NULL,
    request_digest VARCHAR NOT NULL,
    attempt BIGINT NOT NULL,
    status VARCHAR NOT NULL,
    error_class VARCHAR,
    "error" VARCHAR,
    reply VARCHAR,
    finish_reason VARCHAR,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cached_tokens BIGINT,
    reasoning_tokens BIGINT,
    cost_usd DOUBLE,
    latency_seconds DOUBLE NOT NULL,
    queue_seconds DOUBLE NOT NULL,
    started_at TIMESTAMP NOT NULL,
    cache_write_tokens BIGINT,
    input_usd_per_million DOUBLE,
    output_usd_per_million DOUBLE,
    cached_usd_per_million DOUBLE,
    cache_write_usd_per_million DOUBLE,
    reserved_usd DOUBLE,
    lease_id VARCHAR,
    logprobs VARCHAR,
    batch_id VARCHAR,
    fingerprint VARCHAR,
    earlier_prompt BOOLEAN
);
INSERT INTO raw.calls SELECT * FROM main.calls;
DROP TABLE main.calls;

CREATE TABLE raw.batches (
    batch_id VARCHAR PRIMARY KEY,
    round_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    provider_model VARCHAR NOT NULL,
    provider_batch_id VARCHAR,
    status VARCHAR NOT NULL,
    requests BIGINT NOT NULL,
    done BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    problem VARCHAR,
    intended_at TIMESTAMP NOT NULL,
    submitted_at TIMESTAMP,
    ended_at TIMESTAMP,
    CHECK((status IN ('intended', 'running', 'cancelling', 'ended', 'collected', 'void')))
);
INSERT INTO raw.batches SELECT * FROM main.batches;
DROP TABLE main.batches;

CREATE TABLE raw.leases (
    lease_id VARCHAR PRIMARY KEY,
    round_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    shard VARCHAR NOT NULL,
    granted_usd DOUBLE NOT NULL,
    opened_at TIMESTAMP NOT NULL
);
INSERT INTO raw.leases SELECT * FROM main.leases;
DROP TABLE main.leases;

CREATE TABLE raw.estimates (
    round_id VARCHAR,
    stage VARCHAR,
    "role" VARCHAR,
    model VARCHAR,
    units BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cost_usd DOUBLE,
    ceiling_usd DOUBLE,
    basis VARCHAR NOT NULL,
    config_digest VARCHAR NOT NULL,
    planned_at TIMESTAMP NOT NULL,
    PRIMARY KEY(round_id, stage, "role", model)
);
INSERT INTO raw.estimates SELECT * FROM main.estimates;
DROP TABLE main.estimates;

CREATE TABLE raw.failures (
    round_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    unit_id VARCHAR NOT NULL,
    "class" VARCHAR,
    intensity VARCHAR,
    reason VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    call_id VARCHAR,
    failed_at TIMESTAMP NOT NULL
);
INSERT INTO raw.failures SELECT * FROM main.failures;
DROP TABLE main.failures;

CREATE TABLE raw.expectation_results (
    round_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    suite VARCHAR NOT NULL,
    gate VARCHAR NOT NULL,
    expectation VARCHAR NOT NULL,
    subject VARCHAR,
    success BOOLEAN NOT NULL,
    observed VARCHAR,
    bound VARCHAR,
    run_at TIMESTAMP NOT NULL,
    offending BIGINT,
    successes BIGINT,
    trials BIGINT
);
INSERT INTO raw.expectation_results SELECT * FROM main.expectation_results;
DROP TABLE main.expectation_results;

CREATE TABLE raw.releases (
    "name" VARCHAR,
    "version" VARCHAR,
    round_id VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    manifest_digest VARCHAR,
    PRIMARY KEY("name", "version")
);
INSERT INTO raw.releases SELECT * FROM main.releases;
DROP TABLE main.releases;

CREATE TABLE raw.released_items (
    "name" VARCHAR,
    "version" VARCHAR,
    round_id VARCHAR NOT NULL,
    item_id VARCHAR,
    content_key VARCHAR NOT NULL,
    PRIMARY KEY("name", "version", item_id)
);
INSERT INTO raw.released_items SELECT * FROM main.released_items;
DROP TABLE main.released_items;

CREATE TABLE raw.levers_on_offer (
    round_id VARCHAR NOT NULL,
    lever_id VARCHAR NOT NULL,
    lever VARCHAR NOT NULL,
    "class" VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    "target" VARCHAR NOT NULL,
    answer VARCHAR NOT NULL,
    recipe VARCHAR
);
INSERT INTO raw.levers_on_offer SELECT * FROM main.levers_on_offer;
DROP TABLE main.levers_on_offer;

CREATE TABLE raw.audits (
    round_id VARCHAR,
    item_id VARCHAR,
    reader VARCHAR,
    "class" VARCHAR NOT NULL,
    intensity VARCHAR NOT NULL,
    seed BIGINT NOT NULL,
    lever_fidelity BOOLEAN,
    intensity_achieved BOOLEAN,
    uncertainty_induced BOOLEAN,
    linguistic_soundness BOOLEAN,
    ground_truth_alignment BOOLEAN,
    note VARCHAR,
    imported_at TIMESTAMP NOT NULL,
    PRIMARY KEY(round_id, item_id, reader)
);
INSERT INTO raw.audits SELECT * FROM main.audits;
DROP TABLE main.audits;

CREATE TABLE raw.loads (
    landing VARCHAR PRIMARY KEY,
    round_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    "rows" BIGINT NOT NULL,
    loaded_at TIMESTAMP NOT NULL
);
INSERT INTO raw.loads SELECT * FROM main.loads;
DROP TABLE main.loads;
