"""Fields of a response row: parsing, allowed values and faults."""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from demur.corpora.corpus_rows import shown
from demur.corpora.jsonl import Json, Record
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import (
    ATTEMPT,
    EXPECTATIONS,
    INVALID,
    PREDICTED,
    AnyReason,
    Code,
    Confidence,
    Expectation,
    Intensity,
    ItemKind,
    Layout,
    LeverClass,
    expectations,
)
from demur.programs.replies.refusal_codes import plain_letters, read_reply
from demur.scoring.confidence import level_of

Word = TypeVar("Word")
UNNAMED: Final = "unnamed"
KINDS: Final = tuple(kind.value for kind in ItemKind)
FLAGS: Final = ("eligible", "supported_all", "supported_relevant", "correct")
FILTERED: Final = frozenset({"content_filter", "refusal"})
"""Finish reasons of a response that the provider refused."""
COLUMNS: Final = (
    "item_id", "source_id", "class", "intensity", "expected", "predicted", "response", "reasoning",
    "is_mixed", "refused_by_provider", "quality", "confidence",
    *FLAGS, "model", "language", "layout", "kind", "replicate",
)  # fmt: skip
FIELDS: Final = frozenset(COLUMNS) - {"is_mixed"} | {"finish_reason"}
"""Fields of a row that are read."""
_CONFIDENCES: Final = tuple(Confidence)
_LAYOUTS: Final = tuple(Layout)
_CLASS_NAMES: Final = tuple(LeverClass)
_INTENSITY_NAMES: Final = tuple(Intensity)
_WORDS: Final[Mapping[str, Expectation]] = {"ANSWER": Code.ANSWER_CORRECTLY, "REFUSE": AnyReason.REFUSE}
"""Expected behaviours in plain words."""
_BY_LETTERS: Final = {"".join(filter(str.isalpha, one)): one for one in EXPECTATIONS}


class ResponseFault(Exception):
    """A fault of a row. The message has the field, the actual value and the allowed values."""


def response_row(record: Record) -> Record:
    """Parse a row into the columns COLUMNS. Missing fields are null; `kind`, `model` and `replicate` have defaults.

    A numeric confidence is replaced by its level, and the number is stored under `probability`.

    Raises:
        ResponseFault: a required field is missing, or a value is not allowed.
    """
    given = {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in record.items()}
    kind = _one_of(given, "kind", KINDS) or "perturbed"
    lever_class, intensity = (None, None) if kind == "control" else stratum(given)
    row: Record = {
        "item_id": _id(given, "item_id"),
        "source_id": _id(given, "source_id"),
        "class": lever_class and lever_class.value,
        "intensity": intensity and intensity.value,
        "expected": _expected(given, kind, lever_class, intensity),
        **_reading(given),
        "quality": _quality(given),
        "confidence": _confidence(given),
        **{name: _flag(given, name) for name in FLAGS},
        "model": _label(given, "model") or UNNAMED,
        "language": _label(given, "language"),
        "layout": _one_of(given, "layout", _LAYOUTS),
        "kind": kind,
        "replicate": _whole(given, "replicate"),
    }
    if isinstance(stated := given.get("confidence"), (int, float)):
        row["probability"] = float(stated)
    return row


def _fault(name: str, value: Json, allowed: str) -> ResponseFault:
    return ResponseFault(f"{name} {shown(value)} is not {allowed}")


def _needed(given: Record, name: str) -> Json:
    if name not in given:
        raise ResponseFault(f"{name} is missing")
    return given[name]


def _id(given: Record, name: str) -> str:
    value = _needed(given, name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise _fault(name, value, "a text that is not empty, or a whole number")
    return _clean(value)


def _text(given: Record, name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise _fault(name, value, "a text or null")
    return None if value is None else _clean(value)


def _label(given: Record, name: str) -> str | None:
    value = _text(given, name)
    if value is not None and not value.strip():
        raise _fault(name, value, "a text that is not empty, or null")
    return value if value is None else unicodedata.normalize("NFC", value)


def _clean(text: str) -> str:
    """Return text that UTF-8 can encode: a lone surrogate becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).lower()


def _spellings() -> dict[str, LeverClass]:
    """Return the classes by spelling. A spelling is reduced to its letters in lower case.

    Each class has up to three spellings: its name, the name without `P-`, and the name without `P-` and `Mismatch`.
    """
    found: dict[str, LeverClass] = {}
    for lever_class in LeverClass:
        bare = _letters(lever_class.removeprefix("P-"))
        found |= dict.fromkeys((_letters(lever_class), bare, bare.removesuffix("mismatch")), lever_class)
    return found


_CLASSES: Final = _spellings()
_INTENSITIES: Final = {_letters(intensity): intensity for intensity in Intensity}


def stratum(given: Record) -> tuple[LeverClass | None, Intensity | None]:
    """Return class and intensity of a row, each None if the row gives none.

    Raises:
        ResponseFault: a value is not allowed, or one of the two fields is missing.
    """
    missing = {"class", "intensity"} - given.keys()
    if len(missing) == 1:
        raise ResponseFault(f"{missing.pop()} is missing")
    return (
        _spelled(given, "class", _CLASSES, _CLASS_NAMES),
        _spelled(given, "intensity", _INTENSITIES, _INTENSITY_NAMES),
    )


def _spelled(given: Record, name: str, known: Mapping[str, Word], allowed: Sequence[str]) -> Word | None:
    value = given.get(name)
    if value is None:
        return None
    found = known.get(_letters(value)) if isinstance(value, str) else None
    if found is None:
        raise _fault(name, value, f"one of {', '.join(allowed)}, or null")
    return found


def _one_of(given: Record, name: str, allowed: tuple[str, ...]) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    found = _by_letters(allowed).get(_letters(value)) if isinstance(value, str) else None
    if found is None:
        raise _fault(name, value, f"one of {', '.join(allowed)}, or null")
    return found


@lru_cache(maxsize=16)
def _by_letters(allowed: tuple[str, ...]) -> Mapping[str, str]:
    return {_letters(word): str(word) for word in allowed}


@lru_cache(maxsize=4096)
def _code(value: str) -> str:
    """Return a code in upper case. A short code is replaced by the full code."""
    name = plain_letters(value).strip().upper()
    short = load_taxonomy().short_codes
    return short[name].value if name in short else name


def expectation(given: Record, lever_class: LeverClass | None, intensity: Intensity | None) -> Expectation:
    """Return the expected behaviour of a row: a code, or one of the words answer and refuse.

    Case, blanks and signs between the letters of a code are ignored, since judges mistype codes.

    Raises:
        ResponseFault: the field is missing, its value is not allowed, or it does not fit class and intensity.
    """
    value = _needed(given, "expected")
    found = _expectation(value) if isinstance(value, str) else None
    if found is None:
        raise _fault("expected", value, f"answer, refuse, or one of {', '.join(EXPECTATIONS)}")
    if found not in (allowed := expectations(lever_class, intensity)):
        whose = " at ".join(filter(None, (lever_class, intensity)))
        raise ResponseFault(f"expected {shown(value)} does not fit: {whose} expects {' or '.join(allowed)}")
    return found


@lru_cache(maxsize=4096)
def _expectation(value: str) -> Expectation | None:
    name = _code(value)
    return _WORDS.get(name) or _BY_LETTERS.get("".join(filter(str.isalpha, name)))


def _expected(given: Record, kind: str, lever_class: LeverClass | None, intensity: Intensity | None) -> str:
    found = expectation(given, lever_class, intensity)
    if kind == "control" and found is not Code.ANSWER_CORRECTLY:
        raise ResponseFault(
            f"expected {shown(given['expected'])} does not fit: a control expects {Code.ANSWER_CORRECTLY}"
        )
    return found.value


def _reading(given: Record) -> Record:
    """Return the classification and the parts of a response.

    The classification is the value of `predicted`. Without it, a response that the provider refused is a refusal
    without a reason, and any other response is read as `read_reply` does.
    """
    stated = given.get("predicted")
    sent = _text(given, "response")
    if stated is None and "predicted" not in given and "response" not in given:
        raise ResponseFault("neither predicted nor response is given")
    refused = bool(_flag(given, "refused_by_provider")) or _text(given, "finish_reason") in FILTERED
    reading = read_reply(sent or "", _text(given, "reasoning") or "")
    predicted = Code.OTHER.value if refused else reading.predicted
    return {
        "predicted": str(predicted) if stated is None else _classified(stated),
        "response": None if sent is None else reading.response,
        "reasoning": reading.reasoning or None,
        "is_mixed": None if sent is None else reading.is_mixed,
        "refused_by_provider": refused,
    }


def _classified(value: Json) -> str:
    if isinstance(value, str):
        name = _code(value)
        if name == Code.ANSWER_CORRECTLY:
            return ATTEMPT
        if name in PREDICTED:
            return name
        if not name:
            return INVALID
        code = read_reply(value).code
        if code is not None:
            return code.value
    raise _fault("predicted", value, f"one of {', '.join(PREDICTED)}")


def _quality(given: Record) -> float | None:
    value = given.get("quality")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1 <= value <= 5:
        raise _fault("quality", value, "a number from 1 to 5, or null")
    return float(value)


def _confidence(given: Record) -> str | None:
    """Return the level of confidence in a row. A probability is converted into a level."""
    value = given.get("confidence")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return _one_of(given, "confidence", _CONFIDENCES)
    if not 0 <= value <= 1:
        raise _fault("confidence", value, f"a number from 0 to 1, one of {', '.join(_CONFIDENCES)}, or null")
    return level_of(value).value


def _flag(given: Record, name: str) -> bool | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, (bool, int, float)) or value not in (0, 1):
        raise _fault(name, value, "true, false or null")
    return bool(value)


def _whole(given: Record, name: str) -> int:
    value = given.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**31 or value % 1:
        raise _fault(name, value, "a whole number from 0, or null")
    return int(value)
