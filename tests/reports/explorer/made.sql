-- Two rounds, made in SQL: a perturbation for every base and stratum, some of them declined, rejected or doubled; two
-- verifiers; items, controls, three respondents, two judges; calls behind everything; scores, grades, two stages' units.
-- Texts of the second base are hostile.
CREATE TEMP TABLE hostile AS SELECT '<script>alert(1)</script><img src=x onerror=alert(2)>" onmouseover="x' || chr(8238) AS text;
INSERT INTO rounds BY NAME
SELECT
    'r' || n AS round_id, 'made' AS name, n AS seed, 'single' AS layout, 3 AS bases_wanted, [] AS screeners,
    ['maker'] AS generators, ['strict', 'lax'] AS verifiers, ['good', 'poor', 'mute'] AS respondents,
    ['judge', 'second'] AS judges,
    json_object(
        'items_per_stratum', 3, 'response_replicates', 1, 'models', [],
        'generation', json_object(
            'classes', ['P-Ambiguity', 'P-Contradiction', 'P-MissingInfo'], 'intensities', ['LOW', 'MEDIUM', 'HIGH'],
            'lever_choice', 'chosen'
        ),
        'budget', json_object('max_usd', 20, 'stages', json_object()), 'corpus', json_object('domains', json_object())
    ) AS config,
    'c' AS config_digest, 'd' AS catalogue_digest, CASE n WHEN 1 THEN 'finished' ELSE 'open' END AS status,
    TIMESTAMP '2026-11-01' + to_days(n) AS started_at, NULL AS finished_at
FROM range(1, 3) t(n);
INSERT INTO base_instances BY NAME
SELECT
    round_id, round_id || '-b' || n AS unit_id, round_id || '-b' || n AS base_id, 's' || n AS source_id, n AS draw,
    'single' AS layout, CASE n WHEN 0 THEN 'harbours' ELSE 'mills' END AS domain, NULL AS title,
    CASE n WHEN 1 THEN (SELECT text FROM hostile) ELSE 'When was the light of Sennick built?' END AS question,
    ['1868'] AS answers,
    [{'index': 0, 'text': 'The light of Sennick was built in 1868.', 'relevant': true, 'title': NULL}] AS passages
FROM rounds, range(3) t(n);
CREATE TEMP TABLE strata AS
SELECT c.class, i.intensity, c.code, c.nr * 3 + i.nr AS nr,
    CASE WHEN i.intensity = 'LOW' THEN 'ANSWER_CORRECTLY' ELSE c.code END AS expected
FROM (VALUES (0, 'P-Ambiguity', 'REFUSE_AMBIGUOUS_QUERY'), (1, 'P-Contradiction', 'REFUSE_CONTRADICTORY_CONTEXT'),
    (2, 'P-MissingInfo', 'REFUSE_INFO_MISSING_IN_CONTEXT')) c(nr, class, code),
    (VALUES (0, 'LOW'), (1, 'MEDIUM'), (2, 'HIGH')) i(nr, intensity);
INSERT INTO levers_on_offer BY NAME
SELECT round_id, 'lever.' || nr AS lever_id, 'Lever ' || nr AS lever, class, intensity, 'demur' AS origin,
    'query' AS target, 'kept' AS answer, NULL AS recipe
FROM rounds, strata;
INSERT INTO perturbations BY NAME
SELECT
    b.round_id, p.id AS unit_id, 'call-' || p.id AS call_id, p.id AS perturbation_id, b.base_id, s.class, s.intensity,
    'maker' AS generator, 0 AS replicate,
    CASE WHEN b.draw = 2 AND s.nr = 0 THEN 'declined' WHEN b.draw = 2 AND s.nr = 1 THEN 'rejected' ELSE 'candidate' END
        AS status,
    CASE WHEN b.draw = 2 AND s.nr < 2 THEN 'does not fit here' END AS reason,
    CASE WHEN b.draw = 2 AND s.nr = 0 THEN NULL ELSE 'lever.' || s.nr END AS lever_id,
    CASE WHEN b.draw = 2 AND s.nr = 0 THEN NULL ELSE 'Lever ' || s.nr END AS lever,
    CASE WHEN b.draw = 2 AND s.nr = 0 THEN NULL ELSE b.question || ' Or rebuilt, case ' || s.nr || '?' END AS question,
    [{'index': 0, 'text': 'The light of Sennick was rebuilt in 1868.'}] AS changed, p.id AS content_key,
    'It is unclear which.' AS reasoning, NULL AS assigned_lever_id, 0 AS repair
FROM base_instances b, strata s, (SELECT 1), LATERAL (SELECT md5(b.base_id || s.nr) AS id) p;
INSERT INTO checks BY NAME
SELECT
    round_id, unit_id, perturbation_id, class, intensity, c.name AS check_name,
    CASE WHEN status = 'rejected' AND c.name = 'target_only' THEN 'fail'
        WHEN c.name = 'no_duplicate' AND base_id LIKE '%b2' AND lever_id = 'lever.3' THEN 'fail' ELSE 'pass' END AS outcome,
    'the question alone changed' AS evidence,
    [{'passage': NULL, 'start': 0, 'end': 4, 'text': 'When'}] AS spans
FROM perturbations, (VALUES ('target_only'), ('no_duplicate')) c(name) WHERE status <> 'declined';
INSERT INTO verdicts BY NAME
SELECT
    round_id, md5(perturbation_id || v.name) AS unit_id, NULL AS call_id, perturbation_id, class, intensity, generator,
    v.name AS verifier, 1 AS attempt,
    CASE WHEN v.name = 'strict' AND base_id LIKE '%b2' AND lever_id = 'lever.4' THEN 'fail' ELSE 'pass' END AS outcome,
    outcome = 'pass' AS overall, true AS lever_fidelity, outcome = 'pass' AS intensity_achieved, true AS target_compliance,
    true AS implementation_quality, true AS answer_constraint_met, true AS behaviour_prediction,
    CASE WHEN outcome = 'pass' THEN [] ELSE ['the defect is too weak'] END AS issues, 'One would refuse.' AS refusal_analysis
FROM perturbations, (VALUES ('strict'), ('lax')) v(name)
WHERE status = 'candidate' AND NOT (base_id LIKE '%b2' AND lever_id = 'lever.3');
INSERT INTO items BY NAME
SELECT
    p.round_id, 'i' || p.unit_id AS unit_id, p.perturbation_id AS item_id, 'perturbed' AS kind, p.base_id,
    p.perturbation_id, p.class, p.intensity, p.lever_id, p.lever, p.generator, s.expected, p.question, ['1868'] AS answers,
    [{'index': 0, 'text': p.changed[1].text, 'relevant': true}] AS passages, 1 AS words_changed
FROM perturbations p JOIN strata s USING (class, intensity)
WHERE p.status = 'candidate' AND NOT (p.base_id LIKE '%b2' AND p.lever_id IN ('lever.3', 'lever.4', 'lever.5'))
UNION ALL BY NAME
SELECT round_id, 'i' || base_id AS unit_id, 'control-' || base_id AS item_id, 'control' AS kind, base_id,
    'ANSWER_CORRECTLY' AS expected, question, answers, [{'index': 0, 'text': passages[1].text, 'relevant': true}] AS passages
FROM base_instances;
INSERT INTO responses BY NAME
SELECT
    i.round_id, r.id AS unit_id, 'call-' || r.id AS call_id, r.id AS response_id, i.item_id, i.base_id, i.class,
    i.intensity, w.name AS respondent, 0 AS replicate,
    CASE WHEN i.base_id LIKE '%b1' THEN (SELECT text FROM hostile) WHEN w.name = 'mute' THEN '' ELSE 'Built in 1868.' END
        AS response,
    CASE w.name WHEN 'good' THEN 'First thought. ' || (SELECT text FROM hostile) END AS reasoning,
    CASE w.name WHEN 'mute' THEN 'the reply is empty' END AS invalid_reason, false AS refused_by_provider,
    w.name = 'poor' AS is_cut, 'CONFIDENT' AS confidence
FROM items i, (VALUES ('good'), ('poor'), ('mute')) w(name), LATERAL (SELECT md5(i.item_id || w.name) AS id) r;
INSERT INTO judgements BY NAME
SELECT
    r.round_id, md5(r.response_id || j.name) AS unit_id, NULL AS call_id, r.response_id, r.item_id, r.class, r.intensity,
    r.respondent, j.name AS judge,
    CASE r.respondent WHEN 'good' THEN CASE i.expected WHEN 'ANSWER_CORRECTLY' THEN 'ANSWER_ATTEMPT' ELSE i.expected END
        WHEN 'poor' THEN CASE WHEN j.name = 'second' AND i.base_id LIKE '%b0' THEN 'REFUSE_OTHER' ELSE 'ANSWER_ATTEMPT' END
        ELSE 'INVALID' END AS predicted,
    false AS several_codes,
    CASE WHEN i.expected = 'ANSWER_CORRECTLY' AND predicted = 'ANSWER_ATTEMPT' THEN 5 END AS quality,
    CASE WHEN i.expected = 'ANSWER_CORRECTLY' AND predicted = 'ANSWER_ATTEMPT' THEN true END AS correct,
    'It states a year.' AS explanation
FROM responses r JOIN items i USING (round_id, item_id), (VALUES ('judge'), ('second')) j(name);
INSERT INTO grades BY NAME
SELECT round_id, md5('g' || response_id) AS unit_id, NULL AS call_id, 'selective_refusal' AS policy, 'answer' AS behaviour,
    'response' AS subject_kind, response_id AS subject_id, class, intensity, 'grader' AS grader, p.name AS proposition,
    p.probability
FROM responses, (VALUES ('states_refusal_code', 0.02), ('answers_the_question', 0.9)) p(name, probability);
INSERT INTO scores BY NAME
SELECT round_id, round_id || '-score' AS unit_id, w.name AS respondent, j.name AS judge, s.slice, s.value AS slice_value,
    m.name AS metric, w.score + CASE round_id WHEN 'r2' THEN -0.05 ELSE 0 END AS value, 0.01 AS se,
    w.score - 0.05 AS low, w.score + 0.05 AS high, 20 AS n, NULL AS reason
FROM rounds, (VALUES ('good', 0.9), ('poor', 0.4), ('mute', 0.1)) w(name, score), (VALUES ('judge'), ('second')) j(name),
    (VALUES ('calibrated_refusal_score'), ('answer_accuracy'), ('refusal_accuracy'), ('false_refusal_rate'),
    ('missed_refusal_rate'), ('invalid_rate'), ('refusal_rate')) m(name),
    (SELECT 'overall' AS slice, 'overall' AS value UNION ALL SELECT 'kind', 'control'
    UNION ALL SELECT 'class, intensity', class || ', ' || intensity FROM strata) s;
INSERT INTO scores BY NAME
SELECT 'r1' AS round_id, 'r1-score' AS unit_id, 'good' AS respondent, 'judge' AS judge, s.slice, 'overall' AS slice_value,
    s.metric, s.value, 0.01 AS se, s.value - 0.01 AS low, s.value + 0.01 AS high, 20 AS n, NULL AS reason
FROM (VALUES ('near pairs', 'both_right', 0.667)) s(slice, metric, value);
INSERT INTO paired_tests BY NAME
SELECT round_id, round_id || '-score' AS unit_id, 'judge' AS judge, 'good' AS first, 'poor' AS second,
    'calibrated_refusal_score' AS metric, 24 AS items, 3 AS sources, 0.5 AS difference, 0.1 AS se, 0.3 AS low, 0.7 AS high,
    0.001 AS p_value, 0.003 AS p_value_holm, 0.1 AS minimum_detectable, 16 AS only_first, 0 AS only_second,
    0.0001 AS mcnemar_p_value, 0.0003 AS mcnemar_p_value_holm
FROM rounds;
INSERT INTO calls BY NAME
SELECT
    'call-' || unit_id || '-' || a.attempt AS call_id, round_id, stage, 's' AS shard, unit_id, role, 'm' AS model,
    'openai' AS provider,
    'm-1' AS provider_model, 'Task' AS program, 'f' AS fingerprint, 'digest' AS request_digest, a.attempt,
    CASE a.attempt WHEN 1 THEN 'error' ELSE 'ok' END AS status,
    CASE a.attempt WHEN 1 THEN 'rate_limit' END AS error_class, CASE a.attempt WHEN 1 THEN 'wait' END AS error,
    CASE a.attempt WHEN 2 THEN (SELECT text FROM hostile) END AS reply, 120 AS input_tokens, 30 AS output_tokens,
    0.002 AS cost_usd, 0.4 AS latency_seconds, 0.1 AS queue_seconds, TIMESTAMP '2026-11-02' AS started_at
FROM (
    SELECT round_id, unit_id, 'generate' AS stage, 'generator' AS role FROM perturbations
    UNION ALL SELECT round_id, unit_id, 'respond', 'respondent' FROM responses
) u, (VALUES (1), (2)) a(attempt);
INSERT INTO failures BY NAME
SELECT round_id, 'judge' AS stage, round_id || '-lost' AS unit_id, 'no answer' AS reason, 'timed out' AS detail,
    TIMESTAMP '2026-11-02' AS failed_at
FROM rounds;
INSERT INTO units BY NAME
SELECT round_id, 'ingest' AS stage, unit_id, 0 AS ordinal FROM base_instances
UNION ALL SELECT round_id, 'generate', unit_id, 0 FROM perturbations
UNION ALL SELECT round_id, 'verify', unit_id, 0 FROM verdicts
UNION ALL SELECT round_id, 'assemble', unit_id, 0 FROM items
UNION ALL SELECT round_id, 'respond', unit_id, 0 FROM responses
UNION ALL SELECT round_id, 'judge', unit_id, 0 FROM judgements
UNION ALL SELECT round_id, 'grade', unit_id, 0 FROM (SELECT DISTINCT round_id, unit_id FROM grades)
UNION ALL SELECT round_id, 'score', round_id || '-score', 0 FROM rounds
UNION ALL SELECT round_id, 'judge', round_id || '-lost', 0 FROM rounds;
