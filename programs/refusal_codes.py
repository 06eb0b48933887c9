"""Refusal codes inside a response, however a model mangles them.

Strict about what counts as a refusal: a code's words must stand together, joined as in an identifier, and the response
must give the code, not deny it, weigh it, or recite what codes there are. Prose that declines without a code is not
looked for here.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Code, Intensity, LeverClass, expected_code
from demur.programs.refusal_context import Stance, joined_by_or, listed, stance

_SPELLED: Final[dict[str, Code]] = {
    name.replace("_", ""): code
    for name, code in ({**load_taxonomy().short_codes} | {code.value: code for code in Code if code.is_refusal}).items()
}
_BARE: Final = {spelled.removeprefix("REFUSE"): code for spelled, code in _SPELLED.items() if spelled != "REFUSEOTHER"}
_OF_CLASS: Final = {
    f"REFUSE{lever_class.removeprefix('P-').upper()}": expected_code(lever_class, Intensity.HIGH)
    for lever_class in LeverClass
}
"""Codes by the names of their classes, as in REFUSE_MISSING_INFO."""
_INVENTED: Final = re.compile(r"REFUSED?(?:\\?_[A-Z]+)+")
_IDENTIFIER = re.compile(r"[A-Z]{2,}(?:\\?[_\- ]?(?!REFUS)[A-Z]{2,})*|\b[Rr]efuse(?:\\?_[A-Za-z]+)+")
_ALONE = re.compile(r"(?:^|[:=]|\n)[\s\"'`*_(\[]*$")
_ENDS = re.compile(r"^[\s\"'`*_)\].]*(?:\n|$)")
_SLIPS = 2
_WHOLE_LIST: Final = 3
"""So many different codes in a row, beside other words, are the list of codes and no decision."""


@dataclass(frozen=True, slots=True)
class StatedCode:
    """A code where it stands in a response: `text[start:end]`."""

    code: Code
    start: int
    end: int


@lru_cache(maxsize=4096)
def named_codes(text: str) -> tuple[StatedCode, ...]:
    """Return every code that a response names, in order, with its place; whatever it says of it.

    Accepted are long and short forms, hyphens, blanks or nothing for underscores, escaped underscores, up to two
    slips of the pen, a long form in small letters, a class's name for its code, full-width and other forms of Latin
    letters, and a missing REFUSE where the rest is several words in capitals, or one that stands alone. An invented
    code, as REFUSE_TO_ANSWER, is REFUSE_OTHER.
    """
    text = plain_letters(text)
    found: list[StatedCode] = []
    for match in _IDENTIFIER.finditer(text):
        code = _code_of(text, match)
        if code is not None:
            found.append(StatedCode(code, match.start(), match.end()))
    return tuple(found)


def plain_letters(text: str) -> str:
    """Return a text of the same length with compatibility forms of single characters, as full-width letters, undone."""
    if text.isascii():
        return text
    plain = (unicodedata.normalize("NFKC", character) for character in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, plain, strict=True))


@lru_cache(maxsize=4096)
def stated_codes(text: str) -> tuple[StatedCode, ...]:
    """Return the codes that a response decides on, in order, with their places; the first one counts.

    One that it denies, weighs ("I considered ..., but"), makes depend on something, or recites from the list of codes
    is not stated. A cautious one ("this seems to be ...") is, where the response begins with it and states no other.
    """
    named = named_codes(text)
    if not named:
        return ()
    text = plain_letters(text)
    recited = _recited(text, named)
    stances: list[Stance] = []
    for at, code in enumerate(named):
        before = text[_end_of_last(named, at) : code.start]
        if at in recited:
            stances.append(Stance.RECITED)
        elif stances and stances[-1] is Stance.DENIED and joined_by_or(before):
            stances.append(Stance.DENIED)
        else:
            stances.append(stance(before, text[code.end :]))
    stated = [code for code, how in zip(named, stances, strict=True) if how is Stance.GIVEN]
    if not stated and stances[0] is Stance.CAUTIOUS and not re.search(r"[.!?\n]\s", text[: named[0].start]):
        stated = [named[0]]
    return tuple(stated)


def codes_in(text: str) -> tuple[Code, ...]:
    """Return the codes that a response states, in the order in which they stand, repetitions left out."""
    return tuple(dict.fromkeys(stated.code for stated in stated_codes(text)))


def other_codes(text: str) -> tuple[Code, ...]:
    """Return the codes that a response names beside the one that it decides on: what makes it ambiguous."""
    decided = codes_in(text)[:1]
    return tuple(code for code in dict.fromkeys(named.code for named in named_codes(text)) if code not in decided)


def _recited(text: str, named: Sequence[StatedCode]) -> frozenset[int]:
    """Return the places in `named` of codes that belong to a list of many, unless the response is nothing else."""
    runs: list[list[int]] = []
    for at, code in enumerate(named):
        if runs and listed(text[: named[at - 1].start], text[named[at - 1].end : code.start]):
            runs[-1].append(at)
        else:
            runs.append([at])
    long = [run for run in runs if len({named[at].code for at in run}) >= _WHOLE_LIST]
    if len(long) == len(runs) == 1 and not re.search(r"\w", text[: named[0].start] + text[named[-1].end :]):
        return frozenset()
    return frozenset(at for run in long for at in run)


def _end_of_last(named: Sequence[StatedCode], at: int) -> int:
    return named[at - 1].end if at else 0


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    return bool(_ALONE.search(text[: match.start()]) and _ENDS.search(text[match.end() :]))


def _code_of(text: str, match: re.Match[str]) -> Code | None:
    identifier = match[0]
    letters = re.sub(r"[^A-Z]", "", identifier.upper())
    if letters in _SPELLED:
        return _SPELLED[letters]
    if letters.startswith("REFUS"):
        known = _nearest(letters, _SPELLED) or _nearest(letters, _OF_CLASS)
        return Code.OTHER if known is None and _INVENTED.fullmatch(identifier) else known
    if "_" in identifier or (
        len(letters) > 8 and (" " in identifier or "-" in identifier or _stands_alone(text, match))
    ):
        return _BARE.get(letters) or _nearest(letters, _BARE)
    return None


def _nearest(letters: str, known: dict[str, Code]) -> Code | None:
    """Return the code of the closest spelling within two slips, None where none is close or the text goes on."""
    from rapidfuzz.distance import Levenshtein  # of an extra; codes as they are spelled need it not

    distance, spelled = min((Levenshtein.distance(letters, spelled, score_cutoff=_SLIPS), spelled) for spelled in known)
    return known[spelled] if distance <= _SLIPS else None
