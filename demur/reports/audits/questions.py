"""The page on which people keep, drop or mend accepted questions about documents, and the import of their marks."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StrictBool, StringConstraints

from demur.corpora.documents.passages import heading_of, shown_text
from demur.engine.context import home_reading
from demur.errors import FlowError
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import ReadObject
from demur.reports.audits.marks import (
    MarkedCard,
    MarksFile,
    read_marks,
    require_known,
    require_round,
    seed_of_page,
    store_marks,
)
from demur.reports.audits.page import Card, ReaderQuestion, ReadingPage
from demur.reports.pages.word_differences import compared
from demur.reports.texts import Row
from demur.warehouse.home import Home
from demur.warehouse.round_rows import record_question_marks
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

HOW: Final = (
    "A model, or a person, asked each question, and another model answered it from the passages alone. Keep a question "
    "if somebody would ask it and the passage answers it with the accepted answers. Drop it otherwise. If only the "
    "answers are wrong, or one is missing, keep it and mend them. Base instances are drawn from what is kept."
)
QUESTIONS: Final = (
    ReaderQuestion(
        "keep",
        "Keep the question?",
        "Somebody would ask it, it is clear without the passage, and the passage answers it.",
        (("pass", "Keep"), ("fail", "Drop")),
        keys="kx",
    ),
    ReaderQuestion(
        "answers",
        "Accepted answers",
        "One a line, each as short as it can be, in the words of the passage. Change them only if they are wrong.",
        (),
        asked_if="pass",
        keys="m",
    ),
)
Answer = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class QuestionVerdict(Strict):
    """A reader's marks of a question. `answers` is None if the accepted answers are right."""

    keep: StrictBool | None = None
    answers: Annotated[tuple[Answer, ...], Field(min_length=1, max_length=20)] | None = None


class MarkedQuestion(MarkedCard):
    """A reader's marks and note on a question."""

    criteria: QuestionVerdict


class QuestionFile(MarksFile):
    """The marks of one reader on one page of questions."""

    object: Literal["questions"]
    items: tuple[MarkedQuestion, ...]


@dataclass(frozen=True, slots=True)
class QuestionsRead:
    """An imported file with counts of its questions: `mended` ones are among those that were kept."""

    path: Path
    file: QuestionFile
    kept: int
    dropped: int
    mended: int
    unread: int


def questions_page(home: Home, round_id: str, most: int | None, seed: int | None) -> ReadingPage:
    """Return the page with a round's accepted questions: all, or the first `most` in a random order.

    Questions that nobody has marked come first. The default seed is the round's own. The same round, seed and marks
    give the same page.

    Raises:
        FlowError: there is no such round, or the round has no accepted questions about documents.
    """
    with home_reading(home) as con:
        lot = seed_of_page(con, round_id, seed)
        found = list(records(con, "questions_to_read", [round_id]))
    if not found:
        raise FlowError(
            f"round {round_id}: has no accepted questions about documents. Run a round with corpus.documents at least "
            "up to prove"
        )
    random.Random(f"questions|{round_id}|{lot}").shuffle(found)
    chosen = sorted(found, key=lambda row: bool(row["readers"]))[:most]
    return ReadingPage(
        kind=ReadObject.QUESTIONS,
        one="question",
        title=f"Questions of {round_id}",
        round_id=round_id,
        seed=lot,
        how=HOW,
        questions=QUESTIONS,
        cards=[_card(row) for row in chosen],
        remark="" if len(chosen) == len(found) else f"{len(found):,} questions are accepted.",
    )


def _card(row: Row) -> Card:
    shown = {"question": row["question"], "kind": row["kind"], "passages": list(proved_passages(row))}
    return Card(row["question_id"], shown, lines=row["answers"])


def proved_passages(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the passages of a question, with the sentences of its proof marked."""
    for index, passage in enumerate(row["passages"] or ()):
        text = shown_text(passage["document"], passage["headings"], passage["text"])
        spans = [(span["start"], span["end"]) for span in row["proof"] or () if span["passage"] == index]
        heading = heading_of(passage["document"], passage["headings"])
        yield {**passage, "heading": heading, "stretches": compared(text, text, spans)["stretches"]}


def import_question_marks(home: Home, paths: Sequence[Path]) -> list[QuestionsRead]:
    """Import the marks of all files in one transaction, and publish the warehouse.

    Earlier marks of the same reader on the same questions are replaced.

    Raises:
        FlowError: a file is invalid, or names an unknown round or question.
    """
    files = read_marks(paths, QuestionFile)
    store_marks(home, files, _rows, record_question_marks)
    return [_counted(path, file) for path, file in files]


def _rows(con: Connection, path: Path, file: QuestionFile, now: datetime) -> list[Mapping[str, object]]:
    require_round(con, path, file)
    known = {str(row["question_id"]) for row in records(con, "questions_to_read", [file.round])}
    require_known(
        path,
        file.items,
        known,
        f"{len(known)} accepted questions of round {file.round}. If the round was made again, write a new page: "
        f"demur audit sample {file.round} --object questions",
    )
    return [
        {
            "round_id": file.round,
            "question_id": card.item_id,
            "reader": file.reader,
            "seed": file.seed,
            "keep": card.criteria.keep,
            "answers": list(card.criteria.answers) if card.criteria.answers else None,
            "note": card.said,
            "imported_at": now,
        }
        for card in file.items
        if card.criteria.keep is not None or card.said
    ]


def _counted(path: Path, file: QuestionFile) -> QuestionsRead:
    marks = [card.criteria for card in file.items]
    return QuestionsRead(
        path,
        file,
        kept=sum(one.keep is True for one in marks),
        dropped=sum(one.keep is False for one in marks),
        mended=sum(one.keep is True and one.answers is not None for one in marks),
        unread=sum(one.keep is None for one in marks),
    )
