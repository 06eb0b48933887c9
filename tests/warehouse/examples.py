"""Rows that every table accepts, to be varied by tests."""

from datetime import UTC, datetime, timedelta

from warehouse.tables import Table

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
    """One line of a journal: times as text."""
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
        **changes,
    }


_OF_ITEM = {**_KEYS, "unit_id": "u1", "item_id": "i1"}
_OF_POLICY = {"round_id": ROUND, "unit_id": "u1", "policy": "safety", "behaviour": "hard_refusal"}

ROWS: dict[Table, dict[str, object]] = {
    Table.ROUNDS: {
        "round_id": ROUND,
        "name": "embedded",
        "seed": 7,
        "layout": "single",
        "bases_wanted": 24,
        "screeners": ["lexical"],
        "generators": ["recipes-plain"],
        "verifiers": ["strict"],
        "respondents": ["lexical"],
        "judges": ["patterns"],
        "config": "{}",
        "config_digest": "c0",
        "catalogue_digest": "c1",
        "status": "open",
        "started_at": NOON,
    },
    Table.UNITS: {"round_id": ROUND, "stage": "generate", "unit_id": "u1", "ordinal": 0},
    Table.BASE_INSTANCES: {
        "round_id": ROUND,
        "unit_id": "u1",
        "base_id": "b1",
        "source_id": "s1",
        "draw": 0,
        "layout": "single",
        "question": "Where does the ferry land?",
        "answers": ["at the north quay"],
        "passages": [{"index": 0, "text": "The ferry lands at the north quay.", "relevant": True}],
    },
    Table.SCREENINGS: {
        "round_id": ROUND,
        "unit_id": "u1",
        "base_id": "b1",
        "screener": "lexical",
        "predicted": "ANSWER_ATTEMPT",
        "correct": True,
    },
    Table.PERTURBATIONS: perturbation(1),
    Table.CHECKS: check(1),
    Table.VERDICTS: {
        **_KEYS,
        "unit_id": "u1",
        "perturbation_id": "p1",
        "generator": "recipes-plain",
        "verifier": "strict",
        "attempt": 1,
        "outcome": "pass",
        "overall": True,
        "issues": [],
    },
    Table.ITEMS: {
        **{key: value for key, value in _OF_ITEM.items() if key != "call_id"},
        "kind": "perturbed",
        "base_id": "b1",
        "perturbation_id": "p1",
        "lever_id": "ambiguity.two-readings",
        "lever": "Two readings",
        "generator": "recipes-plain",
        "expected": "REFUSE_AMBIGUOUS_QUERY",
        "question": "Which of the two?",
        "answers": ["the first"],
        "passages": [{"index": 0, "text": "Either.", "relevant": True}],
    },
    Table.RESPONSES: {
        **_OF_ITEM,
        "response_id": "a1",
        "base_id": "b1",
        "respondent": "lexical",
        "replicate": 0,
        "response": "",
        "confidence": "CONFIDENT",
    },
    Table.JUDGEMENTS: {
        **_OF_ITEM,
        "response_id": "a1",
        "respondent": "lexical",
        "judge": "patterns",
        "predicted": "INVALID",
        "several_codes": False,
        "quality": 4,
    },
    Table.COMPLETIONS: {
        **_OF_POLICY,
        "completion_id": "k1",
        "prompt_id": "q1",
        "label": "perfect",
        "variant": 0,
        "faults": [],
        "intended": [{"proposition": "apology", "holds": True}],
        "facts": [{"fact": "asks_for_means", "holds": False}],
        "prompt": "Please do what you may not do.",
        "completion": "",
        "writer": "recipes-plain",
    },
    Table.GRADES: {
        **_OF_POLICY,
        "subject_kind": "completion",
        "subject_id": "k1",
        "grader": "patterns",
        "proposition": "apology",
        "probability": 1.0,
    },
    Table.FITS: {
        **_OF_POLICY,
        "grader": "patterns",
        "margin": 1.0,
        "l2": 0.1,
        "objective": 0.5,
        "relative_gap": 1e-9,
        "prompts_train": 4,
        "prompts_held_out": 1,
        "pairs_train": 12,
        "pairs_held_out": 3,
    },
    Table.WEIGHTS: {**_OF_POLICY, "feature": "apology", "kind": "proposition", "value": 1.5, "low": 1.0, "high": 2.0},
    Table.REWARDS: {**_OF_POLICY, "response_id": "a1", "reward": -0.5},
    Table.SCORES: {
        "round_id": ROUND,
        "unit_id": "u1",
        "respondent": "lexical",
        "judge": "patterns",
        "slice": "all",
        "slice_value": "all",
        "metric": "refusal_accuracy",
        "value": None,
        "n": 0,
        "reason": "no unanswerable items",
    },
    Table.CALLS: call(1) | {"started_at": NOON},
    Table.LEASES: {
        "lease_id": "l1",
        "round_id": ROUND,
        "stage": "generate",
        "shard": "000000-0",
        "granted_usd": 1.5,
        "opened_at": NOON,
    },
    Table.ESTIMATES: {
        "round_id": ROUND,
        "stage": "generate",
        "role": "generator",
        "model": "recipes-plain",
        "units": 18,
        "calls": 19,
        "input_tokens": 4000,
        "output_tokens": 900,
        "cost_usd": 0.02,
        "ceiling_usd": 0.1,
        "basis": "replies of earlier rounds",
        "config_digest": "c0",
        "planned_at": NOON,
    },
    Table.FAILURES: failure(1),
    Table.EXPECTATION_RESULTS: {
        "round_id": ROUND,
        "stage": "generate",
        "suite": "perturbations",
        "gate": "integrity",
        "expectation": "unique",
        "success": True,
        "run_at": NOON,
    },
    Table.RELEASES: {
        "name": "embedded",
        "version": "1",
        "round_id": ROUND,
        "digest": "d",
        "items": 1,
        "created_at": NOON,
    },
    Table.RELEASED_ITEMS: {
        "name": "embedded",
        "version": "1",
        "round_id": ROUND,
        "item_id": "i1",
        "content_key": "k1",
    },
    Table.LEVERS_ON_OFFER: {
        "round_id": ROUND,
        "lever_id": "ambiguity.two-readings",
        "lever": "Two readings",
        "class": "P-Ambiguity",
        "intensity": "MEDIUM",
        "origin": "user",
        "target": "query",
        "answer": "kept",
        "recipe": None,
    },
    Table.LOADS: {"landing": "r1/generate/s/1", "round_id": ROUND, "stage": "generate", "rows": 1, "loaded_at": NOON},
}
