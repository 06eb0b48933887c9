"""Questions that people have asked, such as those of a chat log: one a line, or rows of JSONL."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from demur.errors import CorpusError

JSON_SUFFIXES: Final = (".jsonl", ".ndjson")
_TABLES: Final = (".csv", ".tsv", ".tab", ".xlsx", ".xls", ".ods", ".parquet", ".json")
"""Suffixes of files whose lines are no questions."""
_LONGEST: Final = 1000
_ALLOWED: Final = "allowed: a question a line, or JSONL with `question` and, if known, `answers`"


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question that somebody asked, with its line, and the answers that people accept, if the file has them."""

    line: int
    question: str
    answers: tuple[str, ...] = ()


def read_questions(path: Path) -> list[OwnQuestion]:
    """Return the questions of a file, each once: the same words in other capitals or spaces are the same question.

    A question has the answers of all of its rows.

    Empty lines are left out, and so are lines of a text that begin with #.

    Raises:
        CorpusError: the file cannot be read, or a line is no question.
    """
    if path.suffix.lower() in _TABLES:
        raise CorpusError(
            f"{path}: is named as {path.suffix}, whose lines are no questions; {_ALLOWED}; remedy: save the column of "
            "questions as .txt, or write the rows to .jsonl"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as exc:
        raise CorpusError(f"{path}: does not exist; {_ALLOWED}; remedy: check --questions or corpus.questions") from exc
    except (OSError, UnicodeDecodeError) as exc:
        raise CorpusError(f"{path}: cannot be read as UTF-8 ({exc}); remedy: save it as a text in UTF-8") from exc
    is_json = path.suffix.lower() in JSON_SUFFIXES
    found: dict[str, OwnQuestion] = {}
    for one in _rows(path, text) if is_json else _lines(text):
        if len(one.question) > _LONGEST:
            raise CorpusError(
                f"{path}, line {one.line}: the question has {len(one.question):,} characters; {_LONGEST:,} are read; "
                "remedy: shorten it or leave it out"
            )
        same = " ".join(one.question.casefold().split())
        first = found.setdefault(same, one)
        found[same] = replace(first, answers=tuple(dict.fromkeys((*first.answers, *one.answers))))
    if not found:
        raise CorpusError(f"{path}: has no question; {_ALLOWED}; remedy: add questions")
    return list(found.values())


def _lines(text: str) -> Iterator[OwnQuestion]:
    for number, line in enumerate(text.splitlines(), start=1):
        if (question := " ".join(line.split())) and not question.startswith("#"):
            yield OwnQuestion(number, question)


def _rows(path: Path, text: str) -> Iterator[OwnQuestion]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise CorpusError(f"{place}: is not JSON ({exc}); {_ALLOWED}; remedy: write one object a line") from exc
        question = row.get("question") if isinstance(row, dict) else None
        if not isinstance(question, str) or not question.strip():
            raise CorpusError(f"{place}: has no `question` that is a text; {_ALLOWED}; remedy: add it")
        yield OwnQuestion(number, " ".join(question.split()), _answers(place, row.get("answers")))


def _answers(place: str, given: Any) -> tuple[str, ...]:
    answers = [given] if isinstance(given, str) else given
    if answers is None:
        return ()
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise CorpusError(f"{place}: `answers` is no list of texts; {_ALLOWED}; remedy: write them in brackets")
    return tuple(dict.fromkeys(one.strip() for one in answers if one.strip()))
