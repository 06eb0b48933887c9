"""Rows that every table accepts, to be varied by tests."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from demur.warehouse.tables import Table
from demur.warehouse.tables.models import arrow_schema, models

ROUND = "r1"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

_KEYS = {"round_id": ROUND, "call_id": None, "class": "P-Ambiguity", "intensity": "MEDIUM"}


def perturbation(number: int, **changes: object) -> dict[str, object]:
    return {
        **_KEYS,
        "unit_id": f"u{number}",
        "perturbation_id": f"p{number}",
        "base_id": f"b{number}",
        "generator": "recipes-plain",
        "replicate": 0,
        "repair": 0,
        "status": "candidate",
        "lever_id": "ambiguity.two-readings",
        "lever": "Two readings",
        "question": "Which of the two did they mean?",
        "changed": [{"index": 0, "text": "Either would do."}],
        "content_key": "k1",
        **changes,
    }


def check(number: int, name: str = "target", **changes: object) -> dict[str, object]:
    row = {key: value for key, value in _KEYS.items() if key != "call_id"}
    ids = {"unit_id": f"u{number}", "perturbation_id": f"p{number}"}
    return {**row, **ids, "check_name": name, "outcome": "pass", "evidence": "the question alone changed", **changes}


def failure(number: int, minutes: int = 0, stage: str = "generate", **changes: object) -> dict[str, object]:
    return {
        "round_id": ROUND,
        "stage": stage,
        "unit_id": f"u{number}",
        "class": None,
        "intensity": None,
        "reason": "no answer",
        "detail": f"minute {minutes}",
        "failed_at": NOON + timedelta(minutes=minutes),
        **changes,
    }


def call(number: int, **changes: object) -> dict[str, object]:
    """A stored call: times as text."""
    return {
        "call_id": f"c{number}",
        "round_id": ROUND,
        "stage": "generate",
        "unit_id": f"u{number}",
        "role": "generator",
        "model": "recipes-plain",
        "provider": "rules",
        "provider_model": "plain",
        "program": "perturb",
        "request_digest": f"d{number}",
        "attempt": 1,
        "status": "ok",
        "error_class": None,
        "error": None,
        "reply": "an answer",
        "finish_reason": "stop",
        "input_tokens": 10,
        "output_tokens": None,
        "cached_tokens": None,
        "reasoning_tokens": None,
        "cost_usd": 0.0,
        "latency_seconds": 0.25,
        "queue_seconds": 0.0,
        "started_at": (NOON + timedelta(seconds=number)).isoformat(),
        "cache_write_tokens": None,
        "input_usd_per_million": 2.0,
        "output_usd_per_million": 8.0,
        "cached_usd_per_million": None,
        "cache_write_usd_per_million": None,
        "reserved_usd": None,
        "charged_usd": None,
        "batch_id": None,
        "logprobs": None,
        "fingerprint": "0123456789abcdef",
        "reasoning": None,
        **changes,
    }


def call_row(number: int, **changes: object) -> dict[str, object]:
    """A row of the table `calls`."""
    made = call(number, **changes)
    return made | {"shard": "s1", "started_at": datetime.fromisoformat(str(made["started_at"]))}


_BY_NAME: dict[str, object] = {
    "round_id": ROUND,
    "stage": "generate",
    "unit_id": "u1",
    "base_id": "b1",
    "source_id": "s1",
    "document_id": "d1",
    "passage_id": "g1",
    "question_id": "n1",
    "perturbation_id": "p1",
    "item_id": "i1",
    "response_id": "a1",
    "completion_id": "k1",
    "subject_id": "k1",
    "content_key": "k1",
    "intensity": "MEDIUM",
    "generator": "recipes-plain",
    "respondent": "lexical",
    "judge": "patterns",
    "policy": "safety",
    "behaviour": "hard_refusal",
    "config": "{}",
    "draw": 0,
    "faults": [],
    "index": 0,
    "replicate": 0,
}
_GIVEN: dict[Table, dict[str, object]] = {
    Table.ROUNDS: {
        "name": "embedded",
        "seed": 7,
        "bases_wanted": 24,
        "respondents": ["lexical"],
        "judges": ["patterns"],
    },
    Table.PASSAGES: {"text": "The ferry lands at the north quay.", "char_start": 0, "char_end": 34, "words": 7},
    Table.QUESTIONS: {
        "asker": "k1",
        "turn": "0a",
        "passage_ids": ["g1"],
        "document_ids": ["d1"],
        "repairs": 0,
        "question": "Where does the ferry land?",
        "answers": ["at the north quay"],
        "kind": "where",
        "proof": [{"passage": 0, "start": 0, "end": 34, "text": "The ferry lands at the north quay."}],
    },
    Table.PROOFS: {"prover": "p1", "passage_ids": ["g1"], "answer": "the quay", "other_answers": [], "agrees": True}
    | {"judged": False, "stands_alone": True, "naturalness": 5},
    Table.BASE_INSTANCES: {
        "question": "Where does the ferry land?",
        "answers": ["at the north quay"],
        "passages": [{"index": 0, "text": "The ferry lands at the north quay.", "relevant": True}],
    },
    Table.RECALLS: {"response": "At the north quay."},
    Table.PERTURBATIONS: perturbation(1),
    Table.CHECKS: check(1),
    Table.VERDICTS: {
        "verifier": "strict",
        "overall": True,
        "lever_fidelity": True,
        "intensity_achieved": True,
        "target_compliance": True,
        "uncertainty_induced": True,
        "implementation_quality": True,
        "answer_constraint_met": True,
        "behaviour_prediction": True,
        "refusal_class_alignment": True,
        "issues": [],
    },
    Table.ITEMS: {
        "class": "P-Ambiguity",
        "intensity": "MEDIUM",
        "perturbation_id": "p1",
        "lever_id": "ambiguity.two-readings",
        "lever": "Two readings",
        "generator": "recipes-plain",
        "expected": "REFUSE_AMBIGUOUS_QUERY",
        "question": "Which of the two?",
        "passages": [{"index": 0, "text": "Either.", "relevant": True}],
    },
    Table.RESPONSES: {"class": "P-Ambiguity", "intensity": "MEDIUM", "response": "", "confidence": "CONFIDENT"},
    Table.JUDGEMENTS: {"class": "P-Ambiguity", "intensity": "MEDIUM", "predicted": "INVALID", "several_codes": False}
    | {"quality": 4},
    Table.WEIGHTS: {"value": 1.5, "low": 1.0, "high": 2.0},
    Table.SCORES: {"metric": "refusal_accuracy", "n": 0, "reason": "no unanswerable items"},
    Table.VERIFICATION_RATES: {"value": 0.5},
    Table.SAMPLE_PRECISION: {"items": 8, "sources": 4, "design_effect": 1.4, "icc": 0.4, "effective_items": 5.7},
    Table.CALLS: call(1) | {"started_at": NOON, "shard": "s1"},
    Table.FAILURES: failure(1),
}
"""What columns of a table have to be together, or tests want them to be."""


def _value(name: str, kind: pa.DataType) -> object:
    if name in _BY_NAME:
        return _BY_NAME[name]
    if pa.types.is_list(kind):
        return [_value("", kind.value_type)]
    if pa.types.is_struct(kind):
        return {field.name: _value(field.name, field.type) for field in kind if not field.nullable}
    if pa.types.is_boolean(kind):
        return True
    if pa.types.is_timestamp(kind):
        return NOON
    return name or "one" if pa.types.is_string(kind) else 0.5 if pa.types.is_floating(kind) else 1


def _row(table: Table) -> dict[str, object]:
    """Fill the columns that may not be null, those of a closed vocabulary by its first word."""
    columns, row = models()[table].to_schema().columns, {}
    for field in arrow_schema(table):
        if not columns[field.name].nullable:
            allowed = [rule.statistics["allowed_values"] for rule in columns[field.name].checks if rule.name == "isin"]
            known = field.name in _BY_NAME or not allowed
            row[field.name] = _value(field.name, field.type) if known else next(iter(allowed[0]))
    return row | _GIVEN.get(table, {})


ROWS = {table: _row(table) for table in Table}
