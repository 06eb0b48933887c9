"""For every integrity expectation of every stage: SQL that breaks it in the round of gate_round."""

from collections.abc import Iterator

from tests.warehouse.gates import GATES

AMBIGUITY_LOW = "p-b1-P-Ambiguity-LOW-g1"
AMBIGUITY_HIGH = "p-b1-P-Ambiguity-HIGH-g1"
MISSING_LOW = "p-b1-P-MissingInfo-LOW-g1"
MISSING_HIGH = "p-b1-P-MissingInfo-HIGH-g1"
SECOND = "p-b2-P-MissingInfo-HIGH-g1"
REJECTED = "p-b2-P-Ambiguity-LOW-g2"
COMPARED = "perturbation_id = '{}' AND check_name = 'no_duplicate'"
DECLINED = "p-b2-P-MissingInfo-LOW-g2"

TABLES = {
    "read_documents": "documents",
    "match": "questions",
    "ask": "questions",
    "prove": "proofs",
    "recall": "recalls",
    "ingest": "base_instances",
    "screen": "screenings",
    "generate": "perturbations",
    "deduplicate": "checks",
    "verify": "verdicts",
    "agree": "verifications",
    "assemble": "items",
    "respond": "responses",
    "judge": "judgements",
    "score": "scores",
    "write": "completions",
    "grade": "grades",
    "rate": "base_rewards",
    "fit": "fits",
    "reward": "rewards",
}
FILLED = {
    "read_documents": "path",
    "match": "turn",
    "ask": "turn",
    "prove": "prover",
    "recall": "probe",
    "ingest": "source_id",
    "screen": "screener",
    "generate": "generator",
    "deduplicate": "perturbation_id",
    "verify": "verifier",
    "agree": "remark",
    "assemble": "item_id",
    "respond": "respondent",
    "judge": "judge",
    "score": "slice_value",
    "write": "writer",
    "grade": "proposition",
    "rate": "rater",
    "fit": "grader",
    "reward": "behaviour",
}

IDS = {
    "match": "question_id",
    "ask": "question_id",
    "generate": "perturbation_id",
    "respond": "response_id",
    "write": "completion_id",
}

_OWN: dict[str, dict[str, str]] = {
    "read_documents": {
        "nothing_read": "UPDATE documents SET status = 'left_out' WHERE status = 'read'",
        "passages_uncounted": "UPDATE documents SET passages = 7 WHERE document_id = 'd1'",
        "passages_without_text": "UPDATE passages SET text = ' ' WHERE passage_id = 'g1'",
    },
    "match": {
        "passages_unknown": "UPDATE questions SET passage_ids = ['g9'] WHERE question_id = 'n3'",
    },
    "ask": {
        "passages_unknown": "UPDATE questions SET passage_ids = ['g9'] WHERE question_id = 'n1'",
        "asker_unknown": "UPDATE questions SET asker = 'k9' WHERE question_id = 'n2'",
        "candidates_without_proof": "UPDATE questions SET proof = [] WHERE question_id = 'n2'",
        "reasons_unlike_faults": "UPDATE questions SET faults = ['stands_alone: it'] WHERE question_id = 'n2'",
    },
    "prove": {
        "without_candidate": "UPDATE proofs SET question_id = 'n9' WHERE question_id = 'n1'",
        "prover_unknown": "UPDATE proofs SET prover = 'p9' WHERE question_id = 'n2'",
        "passed_without_agreement": "UPDATE proofs SET agrees = false WHERE question_id = 'n2'",
    },
    "recall": {
        "probes_unknown": "UPDATE recalls SET probe = 'q9' WHERE base_id = 'b1'",
        "right_without_response": "UPDATE recalls SET response = ' ', is_right = true WHERE base_id = 'b2'",
    },
    "ingest": {
        "layouts_unlike_round": "UPDATE base_instances SET layout = 'multi' WHERE base_id = 'b2'",
        "draws_repeated": "UPDATE base_instances SET draw = 0",
        "without_answer": "UPDATE base_instances SET answers = [' ', ''] WHERE base_id = 'b1'",
        "without_passage": "UPDATE base_instances SET passages = [] WHERE base_id = 'b1'",
    },
    "screen": {
        "correct_without_attempt": "UPDATE screenings SET predicted = 'REFUSE_OTHER' WHERE base_id = 'b2'",
        "screeners_unknown": "UPDATE screenings SET screener = 's9' WHERE base_id = 'b2'",
        "without_base_instance": "UPDATE screenings SET base_id = 'b9' WHERE base_id = 'b2'",
    },
    "generate": {
        "without_base_instance": f"UPDATE perturbations SET base_id = 'b9' WHERE unit_id = '{AMBIGUITY_LOW}'",
        "generators_unknown": f"UPDATE perturbations SET generator = 'g9' WHERE unit_id = '{AMBIGUITY_HIGH}'",
        "candidates_incomplete": f"UPDATE perturbations SET lever_id = NULL WHERE unit_id = '{AMBIGUITY_HIGH}'",
        "changes_of_unknown_passages": "UPDATE perturbations SET changed = [{'index': 3, 'text': 'No such passage.'}] "
        f"WHERE unit_id = '{MISSING_HIGH}'",
        "statuses_unlike_checks": f"UPDATE checks SET outcome = 'fail' WHERE unit_id = '{MISSING_HIGH}'",
        "without_reason": f"UPDATE perturbations SET reason = NULL WHERE unit_id = '{DECLINED}'",
        "checks_unreadable": f"UPDATE checks SET outcome = 'perhaps' WHERE unit_id = '{MISSING_LOW}'",
        "checks_without_perturbation": f"UPDATE checks SET perturbation_id = 'p9' WHERE unit_id = '{SECOND}'",
    },
    "deduplicate": {
        "outcome_undecided": f"UPDATE checks SET outcome = 'perhaps' WHERE {COMPARED.format(AMBIGUITY_HIGH)}",
        "without_perturbation": f"UPDATE checks SET perturbation_id = 'p9' WHERE {COMPARED.format(MISSING_LOW)}",
        "not_compared": f"DELETE FROM checks WHERE {COMPARED.format(SECOND)}",
    },
    "verify": {
        "attempt_in_range": f"UPDATE verdicts SET attempt = 4 WHERE perturbation_id = '{MISSING_LOW}'",
        "without_candidate": f"UPDATE verdicts SET perturbation_id = '{REJECTED}' "
        f"WHERE perturbation_id = '{MISSING_HIGH}' AND verifier = 'v1'",
        "unlike_perturbation": f"UPDATE verdicts SET generator = 'g2' WHERE perturbation_id = '{SECOND}'",
        "verifiers_unknown": f"UPDATE verdicts SET verifier = 'v9' WHERE perturbation_id = '{MISSING_HIGH}'",
        "asked_after_verdict": "UPDATE verdicts SET outcome = 'fail', overall = false "
        f"WHERE perturbation_id = '{AMBIGUITY_LOW}' AND attempt = 1",
    },
    "agree": {
        "cells_beyond_seen": "UPDATE verifications SET cells_seen = -1",
        "without_cells_and_remark": "UPDATE verifications SET cells = 0, remark = NULL",
    },
    "assemble": {
        "expected_fits_stratum": "UPDATE items SET expected = 'ANSWER_CORRECTLY' "
        f"WHERE perturbation_id = '{AMBIGUITY_HIGH}'",
        "without_base_instance": f"UPDATE items SET base_id = 'b9' WHERE perturbation_id = '{MISSING_LOW}'",
        "not_accepted": "UPDATE items SET perturbation_id = 'p-b1-P-Ambiguity-LOW-g2' "
        f"WHERE perturbation_id = '{MISSING_LOW}'",
        "unlike_perturbation": f"UPDATE items SET lever = 'Another' WHERE perturbation_id = '{AMBIGUITY_HIGH}'",
        "sampled_twice": "INSERT INTO items SELECT * REPLACE ('i-again' AS item_id) FROM items "
        f"WHERE perturbation_id = '{AMBIGUITY_HIGH}'",
        "beyond_quota": "UPDATE rounds SET config = json_merge_patch(config, '{\"items_per_stratum\": 1}') "
        "WHERE round_id = 'r1'",
        "controls_perturbed": "UPDATE items SET lever = 'Another' WHERE kind = 'control' AND base_id = 'b1'",
        "without_control": "UPDATE items SET base_id = 'b1', question = 'When?' WHERE kind = 'control'",
    },
    "respond": {
        "without_item": f"UPDATE responses SET item_id = 'i9' WHERE item_id = 'i-{AMBIGUITY_LOW}'",
        "unlike_item": f"UPDATE responses SET base_id = 'b2' WHERE item_id = 'i-{AMBIGUITY_HIGH}'",
        "respondents_unknown": f"UPDATE responses SET respondent = 'a9' WHERE response_id = 'i-{MISSING_LOW}-a1'",
    },
    "judge": {
        "quality_in_range": "UPDATE judgements SET quality = 6 WHERE response_id = 'i-b1-a2'",
        "without_response": "UPDATE judgements SET response_id = 'a-none' WHERE response_id = 'i-b2-a1'",
        "unlike_response": "UPDATE judgements SET respondent = 'a1' WHERE response_id = 'i-b2-a2'",
        "judges_unknown": "UPDATE judgements SET judge = 'j9' WHERE response_id = 'i-b2-a2'",
        "correct_misplaced": f"UPDATE judgements SET correct = true WHERE response_id = 'i-{AMBIGUITY_HIGH}-a1'",
        "correct_unlike_rating": f"UPDATE judgements SET correct = false WHERE response_id = 'i-{MISSING_LOW}-a1'",
    },
    "score": {
        "values_in_range": "UPDATE scores SET low = -0.1 WHERE respondent = 'a1' AND value IS NOT NULL",
        "values_in_range not a number": "UPDATE scores SET value = 'nan' WHERE respondent = 'a2' AND value IS NOT NULL",
        "respondents_unknown": "UPDATE scores SET respondent = 'a9' WHERE respondent = 'a1' AND value IS NULL",
        "judges_unknown": "UPDATE scores SET judge = 'j9' WHERE respondent = 'a2' AND value IS NULL",
        "without_value_and_reason": "UPDATE scores SET reason = NULL WHERE respondent = 'a2'",
        "intervals_reversed": "UPDATE scores SET high = -0.2 WHERE respondent = 'a1'",
    },
    "write": {
        "unlike_item": f"UPDATE completions SET intensity = 'MEDIUM' WHERE prompt_id = 'i-{AMBIGUITY_HIGH}'",
        "without_item": f"UPDATE completions SET prompt_id = 'i9' WHERE prompt_id = 'i-{AMBIGUITY_LOW}' "
        "AND label = 'worse'",
        "without_intention": "UPDATE completions SET intended = [] WHERE completion_id = 'k-safety'",
    },
    "grade": {
        "probability_in_range": "UPDATE grades SET probability = -0.01 WHERE subject_id = 'i-b2-a1'",
        "probability_in_range not a number": "UPDATE grades SET probability = 'nan' WHERE subject_id = 'i-b2-a2'",
        "without_subject": "UPDATE grades SET subject_id = 'a-none' WHERE subject_id = 'i-b2-a1'",
        "unlike_subject": f"UPDATE grades SET intensity = 'HIGH' WHERE subject_id = 'i-{AMBIGUITY_LOW}-a1'",
        "propositions_missing": f"DELETE FROM grades WHERE subject_id = 'i-{AMBIGUITY_LOW}-a2' AND proposition = 'p2'",
    },
    "rate": {
        "base_reward_in_range": "UPDATE base_rewards SET base_reward = 1.1 WHERE subject_id = 'i-b1-a1'",
        "base_reward_in_range not a number": "UPDATE base_rewards SET base_reward = 'nan' WHERE subject_id = 'i-b1-a2'",
        "without_subject": "UPDATE base_rewards SET subject_id = 'a-none' WHERE subject_id = 'i-b2-a1'",
    },
    "fit": {
        "errors_in_range": "UPDATE fits SET ideal_first_train = -0.1 WHERE policy = 'safety'",
        "errors_in_range above": "UPDATE fits SET pairwise_error_held_out = 1.1 WHERE policy = 'safety'",
        "without_comparisons": "UPDATE fits SET pairs_train = 0 WHERE policy = 'safety'",
        "not_finite": "UPDATE fits SET objective = 'infinity' WHERE policy = 'safety'",
        "weights_repeated": "INSERT INTO weights SELECT * FROM weights WHERE policy = 'safety' AND feature = 'p1'",
        "kinds_unknown": "UPDATE weights SET kind = 'other' WHERE policy = 'safety' AND feature = 'p2'",
        "weights_not_finite": "UPDATE weights SET value = 'nan' WHERE policy = 'safety' AND feature = 'p2'",
        "intervals_reversed": "UPDATE weights SET low = 3.0 WHERE policy = 'safety' AND feature = 'p2'",
        "without_grades": "UPDATE fits SET behaviour = 'sing' WHERE policy = 'safety'",
        "without_weights": "DELETE FROM weights WHERE policy = 'selective_refusal'",
        "weights_without_fit": "INSERT INTO units VALUES ('r1', 'fit', 'orphan', NULL, 98); "
        "INSERT INTO weights SELECT * REPLACE ('orphan' AS unit_id) FROM weights LIMIT 1",
    },
    "reward": {
        "without_response": "UPDATE rewards SET response_id = 'a-none' WHERE response_id = 'i-b1-a1'",
        "without_fit": "UPDATE rewards SET behaviour = 'sing' WHERE response_id = 'i-b1-a2'",
        "not_finite": "UPDATE rewards SET reward = 'nan' WHERE response_id = 'i-b2-a1'",
    },
}

_ELSEWHERE = {
    "write": "UPDATE completions SET round_id = 'r0' WHERE class IS NOT NULL",
    "grade": "UPDATE grades SET round_id = 'r0' WHERE subject_kind = 'response'",
    "rate": "UPDATE base_rewards SET round_id = 'r0' WHERE subject_kind = 'response'",
}


def plants(stage: str) -> Iterator[tuple[str, str]]:
    """Yield the name of every integrity expectation of a stage with the SQL that breaks it."""
    table, filled = TABLES[stage], FILLED[stage]
    yield from ((name.partition(" ")[0], sql) for name, sql in _OWN[stage].items())
    row = "rowid = (SELECT {which}(t.rowid) FROM {table} t JOIN units u USING (unit_id) WHERE u.round_id = 'r1' "
    row += f"AND u.stage = '{stage}')"
    first, last = (row.format(which=which, table=table) for which in ("min", "max"))
    for one in GATES[stage].expectations():
        column, ends, _ = one.name.partition("_in_vocabulary")
        if ends:
            yield one.name, f"UPDATE {table} SET {column} = '?' WHERE {first}"
    yield "keys_blank", f"UPDATE {table} SET {filled} = '' WHERE {last}"
    yield "keys_repeated", f"INSERT INTO {table} SELECT * FROM {table} WHERE {first}"
    if stage in IDS:
        yield f"{IDS[stage]}_repeated", f"INSERT INTO {table} SELECT * FROM {table} WHERE {first}"
    if stage != "fit":
        yield "rows_of_another_round", _ELSEWHERE.get(stage, f"UPDATE {table} SET round_id = 'r0'")
    yield (
        "units_accounted",
        f"INSERT INTO units VALUES ('r1', '{stage}', 'lost', NULL, 99)",
    )
