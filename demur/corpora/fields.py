"""Checks of single fields. A check returns the clean value, or raises a fault that shows the value.

Text is data and is not interpreted. Only its Unicode normalisation (to NFC) and its line ends (to LF) are changed.
"""

import unicodedata
from datetime import datetime, time

from demur.corpora.faults import FaultReason, RowFault, shown
from demur.corpora.jsonl import Json, Record
from demur.corpora.rows import Acceptance, CorpusPassage
from demur.text.language import LANGUAGE_CODES, is_language
from demur.text.stated import Difference, differences, near_miss
from demur.text.support import says_yes_or_no


def clean_text(value: Json, field: str, reason: FaultReason, allowed: str, remedy: str) -> str:
    """Return a non-empty text in NFC with LF line ends.

    Raises:
        RowFault: the value is no text, is blank, or holds NUL or a lone surrogate.
    """
    if not isinstance(value, str) or not value.strip():
        raise RowFault(reason, field, f"is {shown(value)}", allowed, remedy)
    if "\0" in value:
        raise RowFault(
            FaultReason.NUL_CHARACTER,
            field,
            f"holds a NUL character near {_around(value, value.index(chr(0)))}",
            "text without NUL",
            "remove the character",
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise RowFault(
            FaultReason.LONE_SURROGATE,
            field,
            f"holds half a surrogate pair near {_around(value, exc.start)}",
            "whole Unicode characters",
            "export the row again; the text was cut in the middle of a character",
        ) from exc
    return unicodedata.normalize("NFC", value).replace("\r\n", "\n").replace("\r", "\n")


def _around(text: str, position: int) -> str:
    return shown(text[max(0, position - 10) : position + 10])


def required(record: Record, field: str, reason: FaultReason, remedy: str) -> str:
    """Return the non-empty text of a required field."""
    if field not in record:
        raise RowFault(reason, field, "is missing", "a non-empty string", remedy)
    return clean_text(record[field], field, reason, "a non-empty string", remedy)


def optional_label(record: Record, field: str, prefix: str = "") -> str | None:
    """Return a label such as domain or title; None if it is absent, null or empty."""
    value = record.get(field)
    if value is None or value == "":
        return None
    return clean_text(
        value, f"{prefix}{field}", FaultReason.BAD_LABEL, "a string, or nothing", "write a string, or leave it out"
    )


def optional_language(record: Record, field: str) -> str | None:
    """Return the declared language as a code of ISO 639-1; None if it is absent or null."""
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not is_language(value):
        raise RowFault(
            FaultReason.BAD_LANGUAGE,
            field,
            f"is {shown(value)}",
            LANGUAGE_CODES,
            "give the language of question and passages, or leave the field out to have it detected",
        )
    return value


def as_written(value: object) -> str:
    """Return a cell's number or date as people write it: tables keep 1945 as 1945.0, and days as midnights."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)


def identifier(record: Record, field: str) -> str:
    """Return the row's id as text."""
    value = record.get(field)
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        return as_written(value)
    if field not in record:
        raise RowFault(
            FaultReason.BAD_ID, field, "is missing", "a non-empty string or a whole number", "give each row its own id"
        )
    return clean_text(
        value, field, FaultReason.BAD_ID, "a non-empty string or a whole number", "give each row its own id"
    )


def answer_list(record: Record, field: str) -> tuple[str, ...]:
    """Return the accepted answers in the row's order, each once."""
    allowed = "a list of at least one non-empty string"
    remedy = "list every accepted answer as a string; numbers and dates too"
    value = record.get(field)
    if field not in record:
        raise RowFault(FaultReason.BAD_ANSWERS, field, "is missing", allowed, remedy)
    if not isinstance(value, list) or not value:
        raise RowFault(FaultReason.BAD_ANSWERS, field, f"is {shown(value)}", allowed, remedy)
    answers = (
        clean_text(answer, f"{field}[{index}]", FaultReason.BAD_ANSWERS, "a non-empty string", remedy)
        for index, answer in enumerate(value)
    )
    return tuple(dict.fromkeys(answers))


def acceptance_of(
    answers: tuple[str, ...], passages: tuple[CorpusPassage, ...], language: str | None, *, may_be_proved: bool
) -> tuple[Acceptance, frozenset[Difference]]:
    """Return why the answers count, and the differences between an answer and a relevant passage that states it.

    Args:
        answers: The accepted answers.
        passages: The passages of the row.
        language: The declared language.
        may_be_proved: Whether answers that no passage states are left to the screeners.

    Raises:
        RowFault: no passage is relevant, or none of the relevant ones states an accepted answer.
    """
    relevant = [passage.text for passage in passages if passage.relevant]
    if not relevant:
        raise RowFault(
            FaultReason.NO_RELEVANT_PASSAGE,
            "passages",
            f"has {len(passages)} entries, none of them with relevant: true",
            "at least one relevant passage",
            "mark the passages that bear on the answer",
        )
    if any(says_yes_or_no(answer) for answer in answers):
        return Acceptance.YES_NO, frozenset()
    met = [found for a in answers for text in relevant if (found := differences(a, text, language)) is not None]
    if met:
        least = min(met, key=len)
        return Acceptance.SPELLING if least else Acceptance.LETTERS, least
    if may_be_proved:
        return Acceptance.PROVED, frozenset()
    missed = next((miss for a in answers for text in relevant if (miss := near_miss(a, text))), None)
    raise RowFault(
        FaultReason.ANSWER_NOT_IN_TEXT,
        "answers",
        f"{shown(list(answers))} is in none of the {len(relevant)} relevant passages"
        + (f", though one has it with other {missed}" if missed else ""),
        "at least one answer that a relevant passage states, in any spelling (except for yes and no)",
        "add the wording of the passage to the answers, correct the passage, or let screeners prove it (--answers "
        "proved)",
    )
