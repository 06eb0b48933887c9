-- SQL that breaks one integrity expectation of a stage each, in the round of gate_round.py. Every statement stands
-- below its stage and the name of the expectation; words behind a name tell statements of one expectation apart.

-- read_documents: nothing_read
UPDATE documents SET status = 'left_out' WHERE status = 'read';

-- read_documents: passages_uncounted
UPDATE documents SET passages = 7 WHERE document_id = 'd1';

-- read_documents: passages_without_text
UPDATE passages SET text = ' ' WHERE passage_id = 'g1';

-- match: passages_unknown
UPDATE questions SET passage_ids = ['g9'] WHERE question_id = 'n3';

-- ask: passages_unknown
UPDATE questions SET passage_ids = ['g9'] WHERE question_id = 'n1';

-- ask: asker_unknown
UPDATE questions SET asker = 'k9' WHERE question_id = 'n2';

-- ask: candidates_without_proof
UPDATE questions SET proof = [] WHERE question_id = 'n2';

-- ask: reasons_unlike_faults
UPDATE questions SET faults = ['stands_alone: it'] WHERE question_id = 'n2';

-- prove: without_candidate
UPDATE proofs SET question_id = 'n9' WHERE question_id = 'n1';

-- prove: prover_unknown
UPDATE proofs SET prover = 'p9' WHERE question_id = 'n2';

-- prove: passed_without_agreement
UPDATE proofs SET agrees = false WHERE question_id = 'n2';

-- recall: probes_unknown
UPDATE recalls SET probe = 'q9' WHERE base_id = 'b1';

-- recall: right_without_response
UPDATE recalls SET response = ' ', is_right = true WHERE base_id = 'b2';

-- ingest: layouts_unlike_round
UPDATE base_instances SET layout = 'multi' WHERE base_id = 'b2';

-- ingest: draws_repeated
UPDATE base_instances SET draw = 0;

-- ingest: without_answer
UPDATE base_instances SET answers = [' ', ''] WHERE base_id = 'b1';

-- ingest: without_passage
UPDATE base_instances SET passages = [] WHERE base_id = 'b1';

-- screen: correct_without_attempt
UPDATE screenings SET predicted = 'REFUSE_OTHER' WHERE base_id = 'b2';

-- screen: screeners_unknown
UPDATE screenings SET screener = 's9' WHERE base_id = 'b2';

-- screen: without_base_instance
UPDATE screenings SET base_id = 'b9' WHERE base_id = 'b2';

-- generate: without_base_instance
UPDATE perturbations SET base_id = 'b9' WHERE unit_id = 'p-b1-P-Ambiguity-LOW-g1';

-- generate: generators_unknown
UPDATE perturbations SET generator = 'g9' WHERE unit_id = 'p-b1-P-Ambiguity-HIGH-g1';

-- generate: candidates_incomplete
UPDATE perturbations SET lever_id = NULL WHERE unit_id = 'p-b1-P-Ambiguity-HIGH-g1';

-- generate: changes_of_unknown_passages
UPDATE perturbations SET changed = [{'index': 3, 'text': 'No such passage.'}] WHERE unit_id = 'p-b1-P-MissingInfo-HIGH-g1';

-- generate: statuses_unlike_checks
UPDATE checks SET outcome = 'fail' WHERE unit_id = 'p-b1-P-MissingInfo-HIGH-g1';

-- generate: without_reason
UPDATE perturbations SET reason = NULL WHERE unit_id = 'p-b2-P-MissingInfo-LOW-g2';

-- generate: checks_unreadable
UPDATE checks SET outcome = 'perhaps' WHERE unit_id = 'p-b1-P-MissingInfo-LOW-g1';

-- generate: checks_without_perturbation
UPDATE checks SET perturbation_id = 'p9' WHERE unit_id = 'p-b2-P-MissingInfo-HIGH-g1';

-- deduplicate: outcome_undecided
UPDATE checks SET outcome = 'perhaps' WHERE perturbation_id = 'p-b1-P-Ambiguity-HIGH-g1' AND check_name = 'no_duplicate';

-- deduplicate: without_perturbation
UPDATE checks SET perturbation_id = 'p9' WHERE perturbation_id = 'p-b1-P-MissingInfo-LOW-g1' AND check_name = 'no_duplicate';

-- deduplicate: not_compared
DELETE FROM checks WHERE perturbation_id = 'p-b2-P-MissingInfo-HIGH-g1' AND check_name = 'no_duplicate';

-- verify: attempt_in_range
UPDATE verdicts SET attempt = 4 WHERE perturbation_id = 'p-b1-P-MissingInfo-LOW-g1';

-- verify: without_candidate
UPDATE verdicts SET perturbation_id = 'p-b2-P-Ambiguity-LOW-g2' WHERE perturbation_id = 'p-b1-P-MissingInfo-HIGH-g1' AND verifier = 'v1';

-- verify: unlike_perturbation
UPDATE verdicts SET generator = 'g2' WHERE perturbation_id = 'p-b2-P-MissingInfo-HIGH-g1';

-- verify: verifiers_unknown
UPDATE verdicts SET verifier = 'v9' WHERE perturbation_id = 'p-b1-P-MissingInfo-HIGH-g1';

-- verify: asked_after_verdict
UPDATE verdicts SET outcome = 'fail', overall = false WHERE perturbation_id = 'p-b1-P-Ambiguity-LOW-g1' AND attempt = 1;

-- agree: cells_beyond_seen
UPDATE verifications SET cells_seen = -1;

-- agree: without_cells_and_remark
UPDATE verifications SET cells = 0, remark = NULL;

-- assemble: expected_fits_stratum
UPDATE items SET expected = 'ANSWER_CORRECTLY' WHERE perturbation_id = 'p-b1-P-Ambiguity-HIGH-g1';

-- assemble: without_base_instance
UPDATE items SET base_id = 'b9' WHERE perturbation_id = 'p-b1-P-MissingInfo-LOW-g1';

-- assemble: not_accepted
UPDATE items SET perturbation_id = 'p-b1-P-Ambiguity-LOW-g2' WHERE perturbation_id = 'p-b1-P-MissingInfo-LOW-g1';

-- assemble: unlike_perturbation
UPDATE items SET lever = 'Another' WHERE perturbation_id = 'p-b1-P-Ambiguity-HIGH-g1';

-- assemble: sampled_twice
INSERT INTO items SELECT * REPLACE ('i-again' AS item_id) FROM items WHERE perturbation_id = 'p-b1-P-Ambiguity-HIGH-g1';

-- assemble: beyond_quota
UPDATE rounds SET config = json_merge_patch(config, '{"items_per_stratum": 1}') WHERE round_id = 'r1';

-- assemble: controls_perturbed
UPDATE items SET lever = 'Another' WHERE kind = 'control' AND base_id = 'b1';

-- assemble: without_control
UPDATE items SET base_id = 'b1', question = 'When?' WHERE kind = 'control';

-- respond: without_item
UPDATE responses SET item_id = 'i9' WHERE item_id = 'i-p-b1-P-Ambiguity-LOW-g1';

-- respond: unlike_item
UPDATE responses SET base_id = 'b2' WHERE item_id = 'i-p-b1-P-Ambiguity-HIGH-g1';

-- respond: respondents_unknown
UPDATE responses SET respondent = 'a9' WHERE response_id = 'i-p-b1-P-MissingInfo-LOW-g1-a1';

-- judge: quality_in_range
UPDATE judgements SET quality = 6 WHERE response_id = 'i-b1-a2';

-- judge: without_response
UPDATE judgements SET response_id = 'a-none' WHERE response_id = 'i-b2-a1';

-- judge: unlike_response
UPDATE judgements SET respondent = 'a1' WHERE response_id = 'i-b2-a2';

-- judge: judges_unknown
UPDATE judgements SET judge = 'j9' WHERE response_id = 'i-b2-a2';

-- judge: correct_misplaced
UPDATE judgements SET correct = true WHERE response_id = 'i-p-b1-P-Ambiguity-HIGH-g1-a1';

-- judge: correct_unlike_rating
UPDATE judgements SET correct = false WHERE response_id = 'i-p-b1-P-MissingInfo-LOW-g1-a1';

-- score: values_in_range
UPDATE scores SET low = -0.1 WHERE respondent = 'a1' AND value IS NOT NULL;

-- score: values_in_range not a number
UPDATE scores SET value = 'nan' WHERE respondent = 'a2' AND value IS NOT NULL;

-- score: respondents_unknown
UPDATE scores SET respondent = 'a9' WHERE respondent = 'a1' AND value IS NULL;

-- score: judges_unknown
UPDATE scores SET judge = 'j9' WHERE respondent = 'a2' AND value IS NULL;

-- score: without_value_and_reason
UPDATE scores SET reason = NULL WHERE respondent = 'a2';

-- score: intervals_reversed
UPDATE scores SET high = -0.2 WHERE respondent = 'a1';

-- write: unlike_item
UPDATE completions SET intensity = 'MEDIUM' WHERE prompt_id = 'i-p-b1-P-Ambiguity-HIGH-g1';

-- write: without_item
UPDATE completions SET prompt_id = 'i9' WHERE prompt_id = 'i-p-b1-P-Ambiguity-LOW-g1' AND label = 'worse';

-- write: without_intention
UPDATE completions SET intended = [] WHERE completion_id = 'k-safety';

-- grade: probability_in_range
UPDATE grades SET probability = -0.01 WHERE subject_id = 'i-b2-a1';

-- grade: probability_in_range not a number
UPDATE grades SET probability = 'nan' WHERE subject_id = 'i-b2-a2';

-- grade: without_subject
UPDATE grades SET subject_id = 'a-none' WHERE subject_id = 'i-b2-a1';

-- grade: unlike_subject
UPDATE grades SET intensity = 'HIGH' WHERE subject_id = 'i-p-b1-P-Ambiguity-LOW-g1-a1';

-- grade: propositions_missing
DELETE FROM grades WHERE subject_id = 'i-p-b1-P-Ambiguity-LOW-g1-a2' AND proposition = 'p2';

-- rate: base_reward_in_range
UPDATE base_rewards SET base_reward = 1.1 WHERE subject_id = 'i-b1-a1';

-- rate: base_reward_in_range not a number
UPDATE base_rewards SET base_reward = 'nan' WHERE subject_id = 'i-b1-a2';

-- rate: without_subject
UPDATE base_rewards SET subject_id = 'a-none' WHERE subject_id = 'i-b2-a1';

-- fit: errors_in_range
UPDATE fits SET ideal_first_train = -0.1 WHERE policy = 'safety';

-- fit: errors_in_range above
UPDATE fits SET pairwise_error_held_out = 1.1 WHERE policy = 'safety';

-- fit: without_comparisons
UPDATE fits SET pairs_train = 0 WHERE policy = 'safety';

-- fit: not_finite
UPDATE fits SET objective = 'infinity' WHERE policy = 'safety';

-- fit: weights_repeated
INSERT INTO weights SELECT * FROM weights WHERE policy = 'safety' AND feature = 'p1';

-- fit: kinds_unknown
UPDATE weights SET kind = 'other' WHERE policy = 'safety' AND feature = 'p2';

-- fit: weights_not_finite
UPDATE weights SET value = 'nan' WHERE policy = 'safety' AND feature = 'p2';

-- fit: intervals_reversed
UPDATE weights SET low = 3.0 WHERE policy = 'safety' AND feature = 'p2';

-- fit: without_grades
UPDATE fits SET behaviour = 'sing' WHERE policy = 'safety';

-- fit: without_weights
DELETE FROM weights WHERE policy = 'selective_refusal';

-- fit: weights_without_fit
INSERT INTO units VALUES ('r1', 'fit', 'orphan', NULL, 98);
INSERT INTO weights SELECT * REPLACE ('orphan' AS unit_id) FROM weights LIMIT 1;

-- reward: without_response
UPDATE rewards SET response_id = 'a-none' WHERE response_id = 'i-b1-a1';

-- reward: without_fit
UPDATE rewards SET behaviour = 'sing' WHERE response_id = 'i-b1-a2';

-- reward: not_finite
UPDATE rewards SET reward = 'nan' WHERE response_id = 'i-b2-a1';
