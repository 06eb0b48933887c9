"""Faults of rows of a corpus, with remedies, and the choices of how rows are read."""

import reprlib
from enum import StrEnum

LONGEST_SHOWN_VALUE = 80

_SHORT = reprlib.Repr()
_SHORT.maxstring = LONGEST_SHOWN_VALUE
_SHORT.maxlist = _SHORT.maxdict = 4
_SHORT.maxlevel = 3


class OnBadRow(StrEnum):
    """Handling of a faulty row: stop, or count the row and leave it out."""

    FAIL = "fail"
    SKIP = "skip"


class AnswersBy(StrEnum):
    """Proofs that a question is answerable: its passages state an answer, or screeners derive one."""

    STATED = "stated"
    PROVED = "proved"


class FaultReason(StrEnum):
    """Kinds of faulty rows. Reports use these names."""

    LINE_TOO_LONG = "line_too_long"
    NOT_UTF8 = "not_utf8"
    MALFORMED_JSON = "malformed_json"
    NOT_AN_OBJECT = "not_an_object"
    NUL_CHARACTER = "nul_character"
    LONE_SURROGATE = "lone_surrogate"
    BAD_ID = "bad_id"
    BAD_LABEL = "bad_label"
    BAD_LANGUAGE = "bad_language"
    BAD_QUESTION = "bad_question"
    BAD_ANSWERS = "bad_answers"
    BAD_CONTEXT = "bad_context"
    BAD_EXPECTED = "bad_expected"
    BAD_STRATUM = "bad_stratum"
    OTHER_LAYOUT = "other_layout"
    NO_RELEVANT_PASSAGE = "no_relevant_passage"
    ANSWER_NOT_IN_TEXT = "answer_not_in_text"
    DUPLICATE_ID = "duplicate_id"
    DUPLICATE_CONTENT = "duplicate_content"


class RowFault(Exception):
    """One fault of one row. The reader of the corpus adds file and line number to the message, or only counts the row.

    Args:
        reason: the kind of fault.
        field: the place in the row, such as `passages[3].text`; None for the line itself.
        problem: what was found, as a predicate of the field, such as `is missing`.
        allowed: the allowed values.
        remedy: the correction.
    """

    def __init__(self, reason: FaultReason, field: str | None, problem: str, allowed: str, remedy: str) -> None:
        self.reason = reason
        subject = f"{field} " if field else ""
        super().__init__(f"{subject}{problem}; allowed: {allowed}; remedy: {remedy}")


def shown(value: object) -> str:
    """Return a value as one printable line of at most 80 characters.

    Line breaks, control characters, direction marks and lone surrogates are escaped, so that a hostile text cannot
    disturb a terminal or a log.
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = _SHORT.repr(value)
    return text if len(text) <= LONGEST_SHOWN_VALUE else text[: LONGEST_SHOWN_VALUE - 3] + "..."
