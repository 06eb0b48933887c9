"""A page of responses for people to classify, without the classes of judges, and labels made from the marks."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from demur.engine.context import home_reading
from demur.errors import FlowError
from demur.flows.evaluations.calibration import HumanLabel, HumanVerdict, calibrate_judges
from demur.levers.durable import replace_durably
from demur.levers.vocabulary import ATTEMPT, PREDICTED, Code, ReadObject
from demur.reports import names
from demur.reports.audits.marks import MarkedCard, MarksFile, read_marks, require_known, seed_of_page
from demur.reports.audits.page import Card, ReaderQuestion, ReadingPage
from demur.reports.texts import Row
from demur.warehouse.home import Home
from demur.warehouse.statements import records

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


class MarkedResponse(MarkedCard):
    """A person's marks of a response. What is not marked is None."""

    criteria: Mapping[Literal["predicted", "correct"], str | bool | None]


class ReadResponsesFile(MarksFile):
    """The marks of one reader on one sample of an evaluation's responses."""

    object: Literal["responses"]
    items: tuple[MarkedResponse, ...]


@dataclass(frozen=True, slots=True)
class ResponsesRead:
    """An imported file: the number of labelled responses, where the labels are, and the agreement of judges with them.

    `agreement` has rows of `judge_calibrations`.
    """

    path: Path
    file: ReadResponsesFile
    labelled: int
    labels: Path
    agreement: Sequence[Row]


def responses_page(home: Home, round_id: str, size: int, seed: int | None) -> ReadingPage:
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
    with home_reading(home) as con:
        lot = seed_of_page(con, round_id, seed)
    rng = random.Random(f"responses|{round_id}|{lot}")
    sizes = {name: len(rows) for name, rows in by_class.items()}
    chosen: list[dict[str, Any]] = []
    for predicted, number in shares(sizes, size).items():
        chosen += rng.sample(by_class[predicted], number)
    rng.shuffle(chosen)
    return ReadingPage(
        kind=ReadObject.RESPONSES,
        one="response",
        title=f"Responses of {round_id}",
        round_id=round_id,
        seed=lot,
        how=HOW,
        questions=QUESTIONS,
        cards=[_card(row) for row in chosen],
        remark="" if len(chosen) >= size else f"There are only {len(chosen):,} responses that a judge was asked about.",
    )


def shares(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """Return how many of `size` each class gets: in proportion to its size, but at least 1, and at most all."""
    total = sum(sizes.values())
    wanted = {name: min(number, max(1.0, size * number / total)) for name, number in sizes.items()}
    found = {name: int(number) for name, number in wanted.items()}
    # Numbers are rounded down. The responses that are still wanted go to the classes with the largest remainders.
    remainders = {name: wanted[name] - found[name] for name in sizes}
    for name in sorted(sizes, key=lambda one: (-remainders[one], one)):
        if sum(found.values()) < min(size, total) and found[name] < sizes[name]:
            found[name] += 1
    # At least 1 for each rare class can make too many. The largest classes then give some up.
    while sum(found.values()) > size and max(found.values()) > 1:
        found[max(found, key=lambda name: found[name])] -= 1
    return found


def import_labels(home: Home, paths: Sequence[Path]) -> list[ResponsesRead]:
    """Compare judges with the marks of each file, store the agreement, and write the marks as labels beside the file.

    The labels are lines for `demur judge calibrate`. Responses without a mark of their class are left out. All files
    are checked before anything is written.

    Raises:
        FlowError: a file is invalid or has no marks, or the labels cannot be written.
    """
    files = read_marks(paths, ReadResponsesFile)
    found = [(path, file, _labels(home, path, file)) for path, file in files]
    read = []
    for path, file, labels in found:
        target = path.with_suffix(".labels.jsonl")
        lines = "".join(f"{label.model_dump_json()}\n" for label in labels)
        try:
            replace_durably(target, lines.encode())
        except OSError as exc:
            raise FlowError(
                f"{target}: the labels cannot be written ({exc.strerror}). Move the file of marks to another folder"
            ) from exc
        agreement = calibrate_judges(home, file.round, target)
        read.append(ResponsesRead(path, file, len(labels), target, agreement))
    return read


def _labels(home: Home, path: Path, file: ReadResponsesFile) -> list[HumanLabel]:
    known = {row["response_id"]: row for row in _responses(home, file.round)}
    marked = [one for one in file.items if one.criteria.get(CLASS) is not None]
    if not marked:
        raise FlowError(f"{path}: no response is marked. Mark some on the page, and download the file again")
    require_known(
        path,
        marked,
        known,
        f"responses that a judge of {file.round} was asked about. If the evaluation was made again, draw a new sample: "
        f"demur audit sample {file.round} --object responses",
    )
    return [_label(path, one, known[one.item_id]) for one in marked]


def _label(path: Path, marked: MarkedResponse, row: Mapping[str, Any]) -> HumanLabel:
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
        found = list(records(con, "responses_to_read", [round_id]))
    if not found:
        raise FlowError(
            f"'{round_id}' has no responses that a judge was asked about. `demur evaluations list` shows evaluations"
        )
    return found
