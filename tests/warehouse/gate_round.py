"""A small round with rows in every table that its gates find nothing wrong with, to be spoiled by tests."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.landing import ShardRows, load_shard
from demur.warehouse.plans import PlanWriter, register_plan
from demur.warehouse.round_rows import RoundRow, open_round
from demur.warehouse.tables import Table

from .examples import ROWS

ROUND = "r1"
BEFORE = "r0"
CLASSES = ("P-Ambiguity", "P-MissingInfo")
CODES = {"P-Ambiguity": "REFUSE_AMBIGUOUS_QUERY", "P-MissingInfo": "REFUSE_INFO_MISSING_IN_CONTEXT"}
INTENSITIES = ("LOW", "HIGH")
BASES = ("b1", "b2")
GENERATORS = ("g1", "g2")
VERIFIERS = ("v1", "v2")
RESPONDENTS = ("a1", "a2")
CONFIG = {
    "items_per_stratum": 2,
    "response_replicates": 1,
    "generation": {
        "classes": CLASSES,
        "intensities": INTENSITIES,
        "known": {"probe": ["q1"], "min_share": 0.5, "asked": 2},
    },
    "assemble": {"difficulty": {"target": 0.5, "probe": ["q1"], "max_share": 0.5}},
    "fit": {"policies": ["selective_refusal", "safety"]},
    "roles": {"asker": "k1", "prover": "p1"},
}
_KEPT = TemporaryDirectory(prefix="demur-gates-")

Row = dict[str, object]
Rows = dict[Table, list[Row]]


def whole_round(home: Home) -> None:
    """Give a home the loader's file of the round; it is made once a process and copied."""
    home.root.mkdir(parents=True, exist_ok=True)
    shutil.copy(_made(), home.loader)


def changed(home: Home, *statements: str) -> None:
    """Run statements in the loader's file."""
    with writing(home, wait_seconds=1) as con:
        for sql in statements:
            con.execute(sql)


@cache
def _made() -> Path:
    home = Home(Path(_KEPT.name))
    _make(home)
    return home.loader


def _make(home: Home) -> None:
    """Land, load and plan every stage of the round, the way the stage engine does it."""
    for round_id in (BEFORE, ROUND):
        with writing(home, wait_seconds=1) as con:
            open_round(con, _round(round_id))
    before = {Table.COMPLETIONS: [_safety_completion()], Table.GRADES: _grades("completion", "k-safety", {}, "safety")}
    for stage, table in (("write", Table.COMPLETIONS), ("grade", Table.GRADES)):
        _finish(home, BEFORE, stage, {table: [{**row, "round_id": BEFORE} for row in before[table]]})
    for stage, rows in stages().items():
        _finish(home, ROUND, stage, rows, [str(row["unit_id"]) for row in before.get(next(iter(rows)), [])])


def stages() -> dict[str, Rows]:
    """Return the rows that each stage lands in the round."""
    items = list(_items())
    responses = list(_responses(items))
    completions = [_completion(item, label) for item in items[:3] for label in ("ideal", "worse")]
    graded = [grade for row in completions for grade in _grades("completion", row["completion_id"], _stratum(row))]
    graded += [grade for row in responses for grade in _grades("response", row["response_id"], _stratum(row))]
    return {
        "read_documents": {
            Table.DOCUMENTS: [_row(Table.DOCUMENTS, f"read-{one}", document_id=one, path=one) for one in ("d1", "d2")],
            Table.PASSAGES: [
                _row(Table.PASSAGES, f"read-d{number}", passage_id=f"g{number}", document_id=f"d{number}")
                for number in (1, 2)
            ],
        },
        "match": {
            Table.QUESTIONS: [
                _row(
                    Table.QUESTIONS,
                    "match-n3",
                    question_id="n3",
                    asker="people",
                    status="rejected",
                    reason="not_answered",
                    faults=["not_answered: nothing"],
                    passage_ids=["g1"],
                    document_ids=["d1"],
                )
            ]
        },
        "ask": {
            Table.QUESTIONS: [
                _row(
                    Table.QUESTIONS,
                    f"ask-n{number}",
                    question_id=f"n{number}",
                    passage_ids=[f"g{number}"],
                    document_ids=[f"d{number}"],
                )
                for number in (1, 2)
            ]
        },
        "prove": {
            Table.PROOFS: [
                _row(Table.PROOFS, f"prove-n{number}", question_id=f"n{number}", passage_ids=[f"g{number}"])
                for number in (1, 2)
            ]
        },
        "recall": {
            Table.RECALLS: [
                _row(Table.RECALLS, f"recall-{base}", base_id=base, probe="q1", is_right=base == "b1") for base in BASES
            ]
        },
        "ingest": {
            Table.BASE_INSTANCES: [
                _row(Table.BASE_INSTANCES, f"ingest-{base}", base_id=base, draw=draw) for draw, base in enumerate(BASES)
            ]
        },
        "screen": {
            Table.SCREENINGS: [_row(Table.SCREENINGS, f"screen-{base}", base_id=base, screener="s1") for base in BASES]
        },
        "generate": {Table.PERTURBATIONS: list(_perturbations()), Table.CHECKS: list(_checks())},
        "deduplicate": {Table.CHECKS: list(_compared())},
        "verify": {Table.VERDICTS: list(_verdicts())},
        "agree": {Table.VERIFICATIONS: [_row(Table.VERIFICATIONS, "agree")]},
        "assemble": {Table.ITEMS: items},
        "respond": {Table.RESPONSES: responses},
        "judge": {Table.JUDGEMENTS: [_judgement(row) for row in responses]},
        "score": {Table.SCORES: list(_scores())},
        "write": {Table.COMPLETIONS: completions},
        "grade": {Table.GRADES: graded},
        "rate": {
            Table.BASE_REWARDS: [
                _row(Table.BASE_REWARDS, f"rate-{row[key]}", subject_kind=kind, subject_id=row[key])
                for kind, key, rated in (
                    ("completion", "completion_id", completions),
                    ("response", "response_id", responses),
                )
                for row in rated
            ]
        },
        "fit": {
            Table.FITS: [_row(Table.FITS, f"fit-{name}", policy=name, behaviour="refuse") for name in _policies()],
            Table.WEIGHTS: [
                _row(Table.WEIGHTS, f"fit-{name}", policy=name, behaviour="refuse", feature=feature)
                for name in _policies()
                for feature in ("p1", "p2")
            ],
        },
        "reward": {
            Table.REWARDS: [
                _row(
                    Table.REWARDS,
                    f"reward-{row['response_id']}",
                    policy="selective_refusal",
                    behaviour="refuse",
                    response_id=row["response_id"],
                )
                for row in responses
            ]
        },
    }


def _policies() -> tuple[str, ...]:
    return ("selective_refusal", "safety")


def _finish(home: Home, round_id: str, stage: str, rows: Mapping[Table, list[Row]], more: Iterable[str] = ()) -> None:
    shard = ShardRows.of(round_id, stage, "s1", {table.value: list(found) for table, found in rows.items()})
    units = dict.fromkeys(str(row["unit_id"]) for found in rows.values() for row in found)
    with PlanWriter(home, round_id, stage) as writer:
        for unit in (*units, *dict.fromkeys(more)):
            writer.add(unit, "{}")
    with writing(home, wait_seconds=1) as con:
        load_shard(con, shard)
        register_plan(con, writer.plan)


def _round(round_id: str) -> RoundRow:
    return RoundRow(
        round_id=round_id,
        name="small",
        seed=7,
        layout="single",
        bases_wanted=2,
        screeners=["s1"],
        generators=GENERATORS,
        verifiers=VERIFIERS,
        respondents=RESPONDENTS,
        judges=["j1"],
        config=CONFIG,
        config_digest="c0",
        catalogue_digest="c1",
    )


def _row(table: Table, unit_id: str, **changes: object) -> Row:
    return {**ROWS[table], "round_id": ROUND, "unit_id": unit_id, **changes}


def _stratum(row: Row) -> Row:
    return {"class": row["class"], "intensity": row["intensity"]}


def _perturbations() -> Iterator[Row]:
    for base in BASES:
        for lever_class in CLASSES:
            for intensity in INTENSITIES:
                for generator in GENERATORS:
                    name = f"p-{base}-{lever_class}-{intensity}-{generator}"
                    changes: Row = {
                        "perturbation_id": name,
                        "base_id": base,
                        "class": lever_class,
                        "intensity": intensity,
                        "generator": generator,
                        "content_key": name,
                    }
                    if (base, generator, lever_class, intensity) == ("b2", "g2", "P-Ambiguity", "LOW"):
                        changes |= {"status": "rejected", "reason": "target"}
                    if (base, generator, lever_class, intensity) == ("b2", "g2", "P-MissingInfo", "LOW"):
                        changes |= {"status": "declined", "reason": "nothing to take away", "changed": []}
                    yield _row(Table.PERTURBATIONS, name, **changes)


def _candidates() -> list[Row]:
    return [row for row in _perturbations() if row["status"] == "candidate"]


def _checks() -> Iterator[Row]:
    for row in _perturbations():
        if row["status"] != "declined":
            outcome = "fail" if row["status"] == "rejected" else "pass"
            of = {"perturbation_id": row["perturbation_id"], **_stratum(row)}
            yield _row(Table.CHECKS, str(row["unit_id"]), **of, check_name="target", outcome=outcome)
            yield _row(Table.CHECKS, str(row["unit_id"]), **of, check_name="answer", outcome="pass")


def _compared() -> Iterator[Row]:
    for row in _candidates():
        of = {"perturbation_id": row["perturbation_id"], **_stratum(row)}
        yield _row(Table.CHECKS, f"deduplicate-{row['base_id']}", **of, check_name="no_duplicate", outcome="pass")


def _verdicts() -> Iterator[Row]:
    """All pass, but for one that fails, and one that could be read at the second attempt only."""
    for number, row in enumerate(_candidates()):
        for verifier in VERIFIERS:
            of = {"perturbation_id": row["perturbation_id"], "generator": row["generator"], **_stratum(row)}
            unit = f"verify-{row['perturbation_id']}-{verifier}"
            passing = {"verifier": verifier, "attempt": 1, "outcome": "pass"}
            if number == 0 and verifier == "v1":
                missing = {"verifier": verifier, "attempt": 1, "outcome": "missing", "overall": None}
                yield _row(Table.VERDICTS, unit, **of, **missing)
                passing |= {"attempt": 2}
            if number == 1 and verifier == "v2":
                passing |= {"outcome": "fail", "overall": False, "lever_fidelity": False}
            yield _row(Table.VERDICTS, unit, **of, **passing)


def _items() -> Iterator[Row]:
    """Two accepted perturbations of every stratum, and the controls."""
    taken: dict[tuple[object, object], int] = {}
    for number, row in enumerate(_candidates()):
        stratum = (row["class"], row["intensity"])
        if number == 1 or taken.get(stratum, 0) == 2:
            continue
        taken[stratum] = taken.get(stratum, 0) + 1
        shared = {key: row[key] for key in ("base_id", "perturbation_id", "lever_id", "lever", "generator", "question")}
        expected = "ANSWER_CORRECTLY" if row["intensity"] == "LOW" else CODES[str(row["class"])]
        name = str(row["perturbation_id"])
        yield _row(Table.ITEMS, f"item-{name}", item_id=f"i-{name}", expected=expected, **shared, **_stratum(row))
    plain = dict.fromkeys(("perturbation_id", "class", "intensity", "lever_id", "lever", "generator"))
    for base in BASES:
        question = ROWS[Table.BASE_INSTANCES]["question"]
        control = {"kind": "control", "base_id": base, "expected": "ANSWER_CORRECTLY", "question": question}
        yield _row(Table.ITEMS, f"item-{base}", item_id=f"i-{base}", **control, **plain)


def _responses(items: Iterable[Row]) -> Iterator[Row]:
    for item in items:
        for respondent in RESPONDENTS:
            name = f"{item['item_id']}-{respondent}"
            of = {"item_id": item["item_id"], "base_id": item["base_id"], "respondent": respondent, **_stratum(item)}
            yield _row(Table.RESPONSES, f"respond-{name}", response_id=name, **of)


def _judgement(response: Row) -> Row:
    """Answerable items are answered well by the first respondent, badly by the second; the others are refused."""
    answerable = response["intensity"] in (None, "LOW")
    quality = 5 if response["respondent"] == "a1" else 2
    given: Row = {
        "response_id": response["response_id"],
        "item_id": response["item_id"],
        "respondent": response["respondent"],
        "judge": "j1",
        "predicted": "ANSWER_ATTEMPT" if answerable else CODES[str(response["class"])],
        "quality": quality if answerable else None,
        "correct": quality >= 4 if answerable else None,
        **_stratum(response),
    }
    return _row(Table.JUDGEMENTS, f"judge-{response['response_id']}", **given)


def _scores() -> Iterator[Row]:
    for respondent in RESPONDENTS:
        of = {"respondent": respondent, "judge": "j1", "slice": "overall", "slice_value": "overall"}
        known = {"metric": "refusal_accuracy", "value": 0.5, "low": 0.25, "high": 0.75, "n": 8, "reason": None}
        yield _row(Table.SCORES, "score-j1", **of, **known)
        yield _row(Table.SCORES, "score-j1", **of, metric="answer_quality", value=None, n=0, reason="no such items")


def _completion(item: Row, label: str) -> Row:
    name = f"k-{item['item_id']}-{label}"
    of = {"completion_id": name, "policy": "selective_refusal", "behaviour": "refuse", "label": label}
    return _row(Table.COMPLETIONS, f"write-{name}", prompt_id=item["item_id"], **of, **_stratum(item))


def _safety_completion() -> Row:
    return _row(Table.COMPLETIONS, "write-safety", completion_id="k-safety", behaviour="refuse")


def _grades(kind: str, subject: object, stratum: Row, policy: str = "selective_refusal") -> list[Row]:
    of = {"policy": policy, "behaviour": "refuse", "subject_kind": kind, "subject_id": subject, **stratum}
    return [
        _row(Table.GRADES, f"grade-{subject}", **of, proposition=name, probability=probability)
        for name, probability in (("p1", 0.0), ("p2", 1.0))
    ]
