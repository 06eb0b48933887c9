"""A check of judges by hand: a page with responses to be classified by people, who do not see what judges say."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from demur.engine.context import home_reading
from demur.errors import FlowError
from demur.flows.evaluations.calibration import (
    HumanLabel,
    HumanVerdict,
    agreements,
    judged_responses,
    keep_calibrations,
)
from demur.levers.models import Strict
from demur.levers.vocabulary import ATTEMPT, PREDICTED, Code
from demur.reports import names
from demur.reports.audits.marks import Name, read_marks
from demur.reports.audits.page import Card, ReaderQuestion, ReadingPage
from demur.warehouse.home import Home
from demur.warehouse.records import records
from demur.warehouse.release import sha256

RESPONSES: Final = "responses"
"""The object of the page."""
HOW: Final = (
    "Read the question, what counts as its answer, and the response. Then mark what the response is: an attempt to "
    "answer, however bad; a refusal, by the reason that it gives first; or neither. If it is an attempt and there are "
    "accepted answers, mark whether it is right. You do not see who answered, nor what judges say."
)
CLASS: Final = "predicted"
CORRECT: Final = "correct"
QUESTIONS: Final = (
    ReaderQuestion(
        CLASS,
        "What the response is",
        "The first decision that it states counts.",
        tuple((value, names.CODES.get(value, value)) for value in PREDICTED),
        keys="123456789"[: len(PREDICTED)],
    ),
    ReaderQuestion(
        CORRECT,
        "Is the answer right?",
        "It says what an accepted answer says, and answers the question with it.",
        (("pass", "Right"), ("fail", "Wrong")),
        asked_if=ATTEMPT,
        keys="rw",
    ),
)


class CheckedResponse(Strict):
    """A person's marks of a response. What is not marked is None."""

    item_id: Name
    criteria: Mapping[Literal["predicted", "correct"], str | bool | None]
    note: str | None = Field(default=None, max_length=10_000)
    suspected: bool = False


class CheckFile(Strict):
    """The marks of one reader on one sample of an evaluation's responses."""

    object: Literal["responses"]
    round: Name
    seed: Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
    reader: Name
    items: tuple[CheckedResponse, ...]


def check_page(home: Home, round_id: str, size: int, seed: int) -> ReadingPage:
    """Return the page with a sample of responses that judges were asked about.

    The sample is stratified by the class that the first judge gives: each class has its share of the sample, and at
    least one response. The same evaluation, size and seed give the same page.

    Raises:
        FlowError: the evaluation has no responses that a judge was asked about.
    """
    by_class: dict[str, list[dict[str, Any]]] = defaultdict(list)
    seen: set[str] = set()
    for row in _responses(home, round_id):
        if row["response_id"] not in seen:
            seen.add(row["response_id"])
            by_class[row["predicted"]].append(row)
    rng = random.Random(f"check|{round_id}|{seed}")
    chosen = [
        row
        for predicted, number in shares({name: len(rows) for name, rows in by_class.items()}, size).items()
        for row in rng.sample(by_class[predicted], number)
    ]
    rng.shuffle(chosen)
    return ReadingPage(
        kind=RESPONSES,
        one="response",
        title=f"Check of the judges of {round_id}",
        round_id=round_id,
        seed=seed,
        how=HOW,
        command=f"demur judge check {round_id} --read FILE",
        file="check",
        questions=QUESTIONS,
        cards=[_card(row) for row in chosen],
        remark="" if len(chosen) >= size else f"There are only {len(chosen):,} responses that a judge was asked about.",
    )


def shares(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """Return how many of `size` each class gets: in proportion to its size, but at least 1, and at most all."""
    total = sum(sizes.values())
    wanted = {name: min(number, max(1.0, size * number / total)) for name, number in sizes.items()}
    found = {name: int(number) for name, number in wanted.items()}
    for name in sorted(sizes, key=lambda one: (int(wanted[one]) - wanted[one], one)):
        if sum(found.values()) < min(size, total) and found[name] < sizes[name]:
            found[name] += 1
    while sum(found.values()) > size and max(found.values()) > 1:  # the least 1 of rare classes comes from the largest
        found[max(found, key=lambda name: found[name])] -= 1
    return found


def read_check(home: Home, round_id: str, path: Path) -> list[dict[str, Any]]:
    """Return the agreement of judges with a reader's marks, as rows of `judge_calibrations`, and store it.

    Responses without a mark of their class are left out.

    Raises:
        FlowError: the file is invalid, belongs to another evaluation, or has no marks.
    """
    file = read_marks(path, CheckFile)
    if file.round != round_id:
        raise FlowError(f"{path}: has marks of '{file.round}'. Give this evaluation: demur judge check {file.round}")
    known = {row["response_id"]: row for row in _responses(home, round_id)}
    labels = {}
    for marked in file.items:
        if marked.criteria.get(CLASS) is None:
            continue
        if marked.item_id not in known:
            raise FlowError(
                f"{path}: response '{marked.item_id}' is not one that a judge of {round_id} was asked about. If the "
                f"evaluation was made again, draw a new sample: demur judge check {round_id}"
            )
        label = _label(path, marked, known[marked.item_id])
        labels[label.response] = label
    if not labels:
        raise FlowError(f"{path}: no response is marked. Mark some on the page, and download the file again")
    return keep_calibrations(
        home, round_id, sha256(path), list(agreements(judged_responses(home, round_id), labels, path))
    )


def _label(path: Path, marked: CheckedResponse, row: Mapping[str, Any]) -> HumanLabel:
    try:
        verdict = HumanVerdict.model_validate(dict(marked.criteria))
    except ValueError as exc:
        allowed = ", ".join(PREDICTED)
        raise FlowError(
            f"{path}: response '{marked.item_id}': {dict(marked.criteria)} is not a mark; predicted is one of "
            f"{allowed}, correct is true, false or null"
        ) from exc
    where = {name: row[name] for name in ("item_id", "respondent", "replicate")}
    return HumanLabel(**verdict.model_dump(), **where)


def _card(row: Mapping[str, Any]) -> Card:
    answerable = row["expected"] == Code.ANSWER_CORRECTLY
    shown = {
        **{name: row[name] for name in ("response", "question", "passages")},
        "answers": row["answers"] if answerable else [],
    }
    return Card(row["response_id"], shown, lacks="" if answerable else CORRECT)


def _responses(home: Home, round_id: str) -> Sequence[dict[str, Any]]:
    with home_reading(home) as con:
        found = list(records(con, "responses_to_check", [round_id]))
    if not found:
        raise FlowError(
            f"'{round_id}' has no responses that a judge was asked about. `demur evaluations list` shows evaluations"
        )
    return found
