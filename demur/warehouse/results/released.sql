-- Insert the files of a release into the tables that they came from. Columns that the files lack stay empty.
CREATE TEMP TABLE released AS SELECT * FROM read_parquet($items);
CREATE TEMP TABLE answered AS SELECT * FROM read_parquet($responses);
INSERT INTO rounds BY NAME
SELECT
    $round AS round_id, $name AS "name", CAST($seed AS BIGINT) AS seed, (SELECT any_value(layout) FROM released) AS layout,
    (SELECT count(DISTINCT base_id) FROM released) AS bases_wanted, [] AS screeners,
    (SELECT coalesce(list_sort(list(DISTINCT generator_model) FILTER (generator_model IS NOT NULL)), []) FROM released) AS generators,
    (SELECT coalesce(list_sort(list(DISTINCT v.verifier)), []) FROM released, unnest(verifier_votes) t(v)) AS verifiers,
    (SELECT coalesce(list_sort(list(DISTINCT respondent)), []) FROM answered) AS respondents,
    (SELECT coalesce(list_sort(list(DISTINCT judge) FILTER (judge IS NOT NULL)), []) FROM answered) AS judges,
    (SELECT list(DISTINCT {'respondent': respondent, 'judge': judge}) FILTER (judge IS NOT NULL) FROM answered) AS judgings,
    CAST($configuration AS JSON) AS config, $digest AS config_digest, '' AS catalogue_digest, 'finished' AS status,
    coalesce((SELECT min(started_at) FROM read_parquet($provenance)), TIMESTAMP '1970-01-01') AS started_at;
INSERT INTO base_instances BY NAME
SELECT
    $round AS round_id, base_id AS unit_id, base_id, any_value(source_id) AS source_id, row_number() OVER (ORDER BY base_id) - 1 AS draw,
    any_value(layout) AS layout, any_value(domain) AS domain, any_value(title) AS title, any_value(original_query) AS question,
    any_value(original_answers) AS answers,
    any_value(list_transform(original_grounding, lambda text, place: {
        'index': place - 1, 'text': text, 'relevant': NOT list_contains(noise_indices, place - 1), 'title': NULL::VARCHAR
    })) AS passages
FROM released GROUP BY base_id;
INSERT INTO perturbations BY NAME
SELECT
    $round AS round_id, id AS unit_id, id AS perturbation_id, base_id, perturbation_class AS class, intensity,
    generator_model AS generator, row_number() OVER (PARTITION BY base_id, class, intensity, generator_model ORDER BY id) - 1 AS replicate,
    'candidate' AS status, lever_id, lever_selected AS lever, perturbed_query AS question,
    list_filter(list_transform(grounding, lambda text, place: CASE WHEN text IS DISTINCT FROM original_grounding[place]
        THEN {'index': place - 1, 'text': text} END), lambda one: one IS NOT NULL) AS changed,
    implementation_reasoning AS reasoning, 0 AS repair
FROM released WHERE kind <> 'control' AND class IS NOT NULL AND intensity IS NOT NULL AND generator IS NOT NULL;
INSERT INTO checks BY NAME
SELECT $round AS round_id, id AS unit_id, id AS perturbation_id, perturbation_class AS class, intensity,
    'no_duplicate' AS check_name, 'pass' AS outcome, 'it stands in the release' AS evidence
FROM released SEMI JOIN perturbations p ON p.perturbation_id = id AND p.round_id = $round;
INSERT INTO verdicts BY NAME
SELECT
    $round AS round_id, md5(id || v.verifier) AS unit_id, id AS perturbation_id, perturbation_class AS class, intensity,
    generator_model AS generator, v.verifier, 1 AS attempt, lower(v.vote) AS outcome, v.vote = 'PASS' AS overall,
    CAST([] AS VARCHAR[]) AS issues
FROM (FROM released SEMI JOIN perturbations p ON p.perturbation_id = id AND p.round_id = $round), unnest(verifier_votes) t(v);
INSERT INTO items BY NAME
SELECT
    $round AS round_id, id AS unit_id, id AS item_id, kind, base_id, CASE WHEN kind <> 'control' THEN id END AS perturbation_id,
    perturbation_class AS class, intensity, lever_id, lever_selected AS lever, generator_model AS generator,
    expected_rag_behavior AS expected, perturbed_query AS question, original_answers AS answers,
    list_transform(grounding, lambda text, place: {
        'index': place - 1, 'text': text, 'relevant': NOT list_contains(noise_indices, place - 1)
    }) AS passages,
    COLUMNS(lambda name: name NOT IN ( -- earlier releases lack some of these
        'id', 'source_id', 'generator_model', 'perturbation_class', 'intensity', 'expected_rag_behavior',
        'lever_selected', 'original_query', 'original_context', 'original_answers', 'perturbed_query',
        'perturbed_context', 'implementation_reasoning', 'verifier_votes', 'original_grounding', 'grounding',
        'signal_indices', 'noise_indices', 'kind', 'base_id', 'lever_id', 'layout', 'domain', 'title',
        'language_confidence'
    ))
FROM released;
UPDATE base_instances b SET language = i.language FROM items i
WHERE i.base_id = b.base_id AND i.round_id = $round AND b.round_id = $round;
INSERT INTO responses BY NAME
SELECT DISTINCT $round AS round_id, response_id AS unit_id, response_id, a.item_id, i.base_id, i.class, i.intensity, respondent,
    replicate, coalesce(response, '') AS response, COLUMNS(lambda name: name IN ( -- earlier releases lack some of these
        'confidence', 'reasoning', 'invalid_reason', 'refused_by_provider'
    ))
FROM answered a JOIN items i ON i.item_id = a.item_id AND i.round_id = $round;
INSERT INTO judgements BY NAME
SELECT DISTINCT
    $round AS round_id, md5(response_id || judge) AS unit_id, response_id, a.item_id, i.class, i.intensity, respondent, judge, predicted,
    COLUMNS(lambda name: name IN ('several_codes', 'is_mixed')), quality, eligible, supported_all, supported_relevant, correct
FROM answered a JOIN items i ON i.item_id = a.item_id AND i.round_id = $round WHERE judge IS NOT NULL;
INSERT INTO rewards BY NAME
SELECT DISTINCT $round AS round_id, md5('w' || response_id || reward_policy) AS unit_id, reward_policy AS policy, 'answer' AS behaviour,
    response_id, reward, respondent
FROM answered WHERE reward IS NOT NULL;
INSERT INTO scores BY NAME SELECT $round AS round_id, 'score' AS unit_id, * FROM read_parquet($scores);
INSERT INTO weights BY NAME SELECT $round AS round_id, 'fit' AS unit_id, * FROM read_parquet($weights);
INSERT INTO fits BY NAME SELECT $round AS round_id, 'fit' AS unit_id, * FROM read_parquet($fits);
INSERT INTO calls BY NAME
SELECT DISTINCT ON (call_id) $round AS round_id, 'released' AS shard, * FROM read_parquet($provenance);
INSERT INTO units BY NAME
SELECT $round AS round_id, 'ingest' AS stage, unit_id, 0 AS ordinal FROM base_instances WHERE round_id = $round
UNION ALL SELECT $round, 'generate', unit_id, 0 FROM perturbations WHERE round_id = $round
UNION ALL SELECT $round, 'verify', unit_id, 0 FROM verdicts WHERE round_id = $round
UNION ALL SELECT $round, 'assemble', unit_id, 0 FROM items WHERE round_id = $round
UNION ALL SELECT $round, 'respond', unit_id, 0 FROM responses WHERE round_id = $round
UNION ALL SELECT $round, 'judge', unit_id, 0 FROM judgements WHERE round_id = $round
UNION ALL SELECT $round, 'reward', unit_id, 0 FROM rewards WHERE round_id = $round
UNION ALL SELECT $round, 'score', 'score', 0
UNION ALL SELECT $round, 'fit', 'fit', 0;
