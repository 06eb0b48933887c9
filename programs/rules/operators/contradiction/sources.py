"""What answers, once more with another value: by a second source, a weaker one, a scanner, or on another scale."""

import random
from typing import Final

from demur.programs.rules.operators.contradiction.copying import (
    SLOTS,
    Original,
    copied,
    original_of,
    said_in,
)
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.programs.rules.rivals import Rival, exchanged, find_rival
from demur.programs.text.analysis import Analysis
from demur.programs.text.tokens import fold


def _rivalled(pull: Pull, note: str, factor: float = 0.0) -> Draft | Declined:
    """Copy what answers with the answer exchanged."""
    rival = find_rival(pull.analysis, pull.corpus, pull.rng, factor=factor)
    if rival is None:
        return Declined(DeclineReason.NO_RIVAL)
    original = original_of(pull)
    if original is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing that answers can be copied")
    copy, other = exchanged(pull.analysis, original.text, rival), _other(pull.analysis, original, rival)
    if copy is None or other is None or fold(other) in fold(original.source.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the answer cannot be exchanged as it is written")
    why = f"The passage that answers is given once more with {other} instead of the answer."
    return copied(pull, original, copy, why, note, other, rival.kind)


def _other(analysis: Analysis, original: Original, rival: Rival) -> str | None:
    return rival.value(said_in(analysis, original))


@operator("contradiction.second_source", *SLOTS)
def second_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more, by a source of equal rank, with another value."""
    return _rivalled(pull, "Both values are stated, and nothing says which of them holds.")


@operator("contradiction.weaker_source", *SLOTS)
def weaker_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more with another value, by a source that the frame marks as withdrawn or as hearsay."""
    return _rivalled(pull, "The passage keeps its statement; the other one is marked as not to be relied on.")


@operator("contradiction.other_magnitude", *SLOTS)
def other_magnitude(pull: Pull) -> Draft | Declined:
    """Give the asked figure once more, whole orders of magnitude apart."""
    factor = pull.rng.choice((100.0, 1000.0))
    return _rivalled(pull, "The two figures are whole orders of magnitude apart and stand for the same thing.", factor)


_LOOK_ALIKE: Final = {
    "l": "1",
    "o": "0",
    "i": "1",
    "e": "c",
    "s": "5",
    "a": "u",
    "b": "6",
    "B": "8",
    "O": "0",
    "S": "5",
}
_DIGITS: Final = {"0": "O", "1": "l", "5": "S", "8": "B"}


@operator("contradiction.scanned_copy", *SLOTS, last=True)
def scanned_copy(pull: Pull) -> Draft | Declined:
    """Give what answers once more as a scanner read it, the answer garbled."""
    original = original_of(pull)
    if original is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing that answers can be copied")
    copy = original.text
    mentions = [m.text for m in original.source.answers if m.text in copy]
    for text in sorted(set(mentions), key=len, reverse=True):
        garbled = _garbled(text, pull.rng)
        if garbled is None:
            return Declined(DeclineReason.ANSWER_TYPE, "the answer has no characters that a scanner confuses")
        copy = copy.replace(text, garbled)
    if not mentions or pull.analysis.is_answer(copy):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN)
    note = "The clean statement stays, and the garbled one is said to be a scan."
    return copied(pull, original, copy, "What answers is given once more as a scanner misread it.", note)


def _garbled(text: str, rng: random.Random) -> str | None:
    """Return a text with two characters exchanged for others that look alike, one where it has only one."""
    at = [i for i, c in enumerate(text) if i and (c in _LOOK_ALIKE or c in _DIGITS)]
    if not at or len(text) < 3:
        return None
    chars = list(text)
    for i in rng.sample(at, min(2, len(at))):
        chars[i] = _LOOK_ALIKE.get(chars[i]) or _DIGITS[chars[i]]
    return "".join(chars)
