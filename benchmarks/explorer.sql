-- One round with two verifiers and a call behind every row; as many perturbations and respondents as are asked for.
CREATE TEMP TABLE strata AS
SELECT c.class, i.intensity, row_number() OVER (ORDER BY c.class, i.intensity) - 1 AS nr,
    CASE WHEN i.intensity = 'LOW' THEN 'ANSWER_CORRECTLY' ELSE c.code END AS expected
FROM (VALUES ('P-Ambiguity', 'REFUSE_AMBIGUOUS_QUERY'), ('P-Contradiction', 'REFUSE_CONTRADICTORY_CONTEXT'),
    ('P-MissingInfo', 'REFUSE_INFO_MISSING_IN_CONTEXT'), ('P-FalsePremise', 'REFUSE_FALSE_PREMISE_IN_QUERY'),
    ('P-GranularityMismatch', 'REFUSE_GRANULARITY_MISMATCH'), ('P-EpistemicMismatch', 'REFUSE_NONFACTUAL_QUERY')
    ) c(class, code), (VALUES ('LOW'), ('MEDIUM'), ('HIGH')) i(intensity);
CREATE TEMP TABLE models AS SELECT 'model-' || lpad(CAST(n AS VARCHAR), 2, '0') AS model, n FROM range($respondents) t(n);
INSERT INTO rounds BY NAME
SELECT
    'big' AS round_id, 'big' AS name, 1 AS seed, 'single' AS layout, $perturbations // 18 AS bases_wanted, [] AS screeners,
    ['maker-a', 'maker-b'] AS generators, ['strict', 'lax'] AS verifiers, (SELECT list(model ORDER BY n) FROM models) AS respondents,
    ['judge'] AS judges,
    json_object('items_per_stratum', $perturbations // 18, 'response_replicates', 1, 'models', [],
        'generation', json_object('classes', (SELECT list(DISTINCT class) FROM strata),
            'intensities', ['LOW', 'MEDIUM', 'HIGH'], 'lever_choice', 'chosen'),
        'budget', json_object('max_usd', 5000, 'stages', json_object()), 'corpus', json_object('domains', json_object())
    ) AS config,
    'c' AS config_digest, 'd' AS catalogue_digest, 'finished' AS status, TIMESTAMP '2026-11-01' AS started_at;
INSERT INTO base_instances BY NAME
SELECT 'big' AS round_id, 'b' || n AS unit_id, 'b' || n AS base_id, 's' || n AS source_id, n AS draw, 'single' AS layout,
    'domain-' || n % 8 AS domain, 'What happened in case number ' || n || ' of the long series?' AS question, ['in ' || n] AS answers,
    [{'index': 0, 'text': repeat('A sentence about case ' || n || ' that says little. ', 18), 'relevant': true, 'title': NULL}]
        AS passages
FROM range($perturbations // 18 + 1) t(n);
INSERT INTO levers_on_offer BY NAME
SELECT 'big' AS round_id, 'lever.' || nr || '.' || n AS lever_id, 'Lever ' || nr || '.' || n AS lever, class, intensity,
    'demur' AS origin, 'query' AS target, 'kept' AS answer
FROM strata, range(12) t(n);
INSERT INTO perturbations BY NAME
SELECT
    'big' AS round_id, md5('p' || n) AS unit_id, md5('c' || n) AS call_id, md5('p' || n) AS perturbation_id,
    'b' || n // 18 AS base_id, s.class, s.intensity, CASE n % 2 WHEN 0 THEN 'maker-a' ELSE 'maker-b' END AS generator, 0 AS replicate,
    CASE WHEN n % 50 = 7 THEN 'declined' WHEN n % 20 = 3 THEN 'rejected' ELSE 'candidate' END AS status,
    CASE WHEN n % 50 = 7 OR n % 20 = 3 THEN 'does not fit' END AS reason,
    CASE WHEN n % 50 <> 7 THEN 'lever.' || s.nr || '.' || n // 18 % 12 END AS lever_id,
    CASE WHEN n % 50 <> 7 THEN 'Lever ' || s.nr || '.' || n // 18 % 12 END AS lever,
    CASE WHEN n % 50 <> 7 THEN 'What happened in case number ' || n // 18 || ' or in another one, as they say?' END AS question,
    [{'index': 0, 'text': repeat('A sentence about case ' || n || ' that says nothing at all. ', 18)}] AS changed,
    md5('p' || n) AS content_key, 'It is unclear.' AS reasoning, 0 AS repair
FROM range($perturbations) t(n) JOIN strata s ON s.nr = n % 18;
INSERT INTO checks BY NAME
SELECT 'big' AS round_id, unit_id, perturbation_id, class, intensity, c.name AS check_name,
    CASE WHEN status = 'rejected' AND c.name = 'target_only' THEN 'fail' ELSE 'pass' END AS outcome, 'as it should be' AS evidence
FROM perturbations, (VALUES ('target_only'), ('no_duplicate'), ('no_leak'), ('answer_kept')) c(name) WHERE status <> 'declined';
INSERT INTO verdicts BY NAME
SELECT 'big' AS round_id, md5(perturbation_id || v.name) AS unit_id, perturbation_id, class, intensity, generator, v.name AS verifier,
    1 AS attempt,
    CASE WHEN v.name = 'strict' AND hash(perturbation_id) % 6 = 0 THEN 'fail' ELSE 'pass' END AS outcome, outcome = 'pass' AS overall,
    true AS lever_fidelity, outcome = 'pass' AS intensity_achieved,
    CASE outcome WHEN 'pass' THEN [] ELSE ['too weak'] END AS issues
FROM perturbations, (VALUES ('strict'), ('lax')) v(name) WHERE status = 'candidate';
INSERT INTO items BY NAME
SELECT 'big' AS round_id, 'i' || unit_id AS unit_id, perturbation_id AS item_id, 'perturbed' AS kind, base_id, perturbation_id,
    p.class, p.intensity, lever_id, lever, generator, s.expected, question, ['in'] AS answers,
    [{'index': 0, 'text': changed[1].text, 'relevant': true}] AS passages
FROM perturbations p JOIN strata s USING (class, intensity)
WHERE status = 'candidate' AND hash(perturbation_id) % 6 <> 0;
INSERT INTO responses BY NAME
SELECT 'big' AS round_id, md5(item_id || model) AS unit_id, md5('c' || item_id || model) AS call_id,
    md5(item_id || model) AS response_id, item_id,
    base_id, class, intensity, model AS respondent, 0 AS replicate,
    'The passage says what happened, and I answer with it: ' || item_id AS response, 'CONFIDENT' AS confidence
FROM items, models;
INSERT INTO judgements BY NAME
SELECT 'big' AS round_id, md5('j' || r.response_id) AS unit_id, r.response_id, r.item_id, r.class, r.intensity, r.respondent,
    'judge' AS judge,
    CASE WHEN hash(r.response_id) % 40 > 8 + m.n THEN
        CASE i.expected WHEN 'ANSWER_CORRECTLY' THEN 'ANSWER_ATTEMPT' ELSE i.expected END
        ELSE CASE hash(r.response_id || 'x') % 3 WHEN 0 THEN 'REFUSE_OTHER' WHEN 1 THEN 'ANSWER_ATTEMPT' ELSE 'REFUSE_AMBIGUOUS_QUERY' END
    END AS predicted,
    false AS several_codes,
    CASE WHEN i.expected = 'ANSWER_CORRECTLY' AND predicted = 'ANSWER_ATTEMPT' THEN true END AS correct
FROM responses r JOIN items i USING (item_id) JOIN models m ON m.model = r.respondent;
INSERT INTO scores BY NAME
SELECT 'big' AS round_id, 'score' AS unit_id, model AS respondent, 'judge' AS judge, s.slice, s.value AS slice_value, t.name AS metric,
    0.9 - n / 100 AS value, 0.01 AS se, 0.8 - n / 100 AS low, 0.95 - n / 100 AS high, 1000 AS n
FROM models, (VALUES ('calibrated_refusal_score'), ('answer_accuracy'), ('refusal_accuracy'), ('refusal_rate'), ('invalid_rate')) t(name),
    (SELECT 'overall' AS slice, 'overall' AS value UNION ALL SELECT 'class, intensity', class || ', ' || intensity FROM strata) s;
INSERT INTO response_counts BY NAME
SELECT 'big' AS round_id, 'score' AS unit_id, j.respondent, judge, 'perturbed' AS kind, 'single' AS layout, j.class, j.intensity,
    b.domain, i.lever_id, i.expected, predicted, correct, 'CONFIDENT' AS confidence, count(*) AS responses
FROM judgements j JOIN items i USING (item_id) JOIN base_instances b USING (base_id)
GROUP BY ALL;
INSERT INTO calls BY NAME
SELECT md5('c' || u.unit_id) AS call_id, 'big' AS round_id, u.stage, 's' AS shard, u.unit_id, u.role, 'm' AS model, 'openai' AS provider,
    'm-1' AS provider_model, 'Task' AS program, 'f' AS fingerprint, 'digest' AS request_digest, 1 AS attempt, 'ok' AS status,
    'A reply of some length that stands for what models say.' AS reply, 800 AS input_tokens, 40 AS output_tokens, 0.0004 AS cost_usd,
    0.8 AS latency_seconds, 0.0 AS queue_seconds, TIMESTAMP '2026-11-02' AS started_at
FROM (
    SELECT unit_id, 'generate' AS stage, 'generator' AS role FROM perturbations
    UNION ALL SELECT unit_id, 'verify', 'verifier' FROM verdicts
    UNION ALL SELECT unit_id, 'respond', 'respondent' FROM responses
    UNION ALL SELECT unit_id, 'judge', 'judge' FROM judgements
) u;
INSERT INTO units BY NAME
SELECT 'big' AS round_id, 'ingest' AS stage, unit_id, 0 AS ordinal FROM base_instances
UNION ALL SELECT 'big', 'generate', unit_id, 0 FROM perturbations
UNION ALL SELECT 'big', 'verify', unit_id, 0 FROM verdicts
UNION ALL SELECT 'big', 'assemble', unit_id, 0 FROM items
UNION ALL SELECT 'big', 'respond', unit_id, 0 FROM responses
UNION ALL SELECT 'big', 'judge', unit_id, 0 FROM judgements
UNION ALL SELECT 'big', 'score', 'score', 0;
