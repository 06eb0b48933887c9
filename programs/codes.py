"""Refusal codes found in what a model wrote, in the spellings that models give them.

Strict about what counts as a refusal: a code's words must stand together, joined as in an identifier. Prose that
declines without a code is not looked for here.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from levers.taxonomy import load_taxonomy
from levers.vocabulary import Code

_SPELLED: Final[dict[str, Code]] = {
    name.replace("_", ""): code
    for name, code in ({**load_taxonomy().short_codes} | {code.value: code for code in Code if code.is_refusal}).items()
}
_BARE: Final = {spelled.removeprefix("REFUSE"): code for spelled, code in _SPELLED.items() if spelled != "REFUSEOTHER"}
_IDENTIFIER = re.compile(r"[A-Z]{2,}(?:\\?[_\- ]?(?!REFUS)[A-Z]{2,})*|\b[Rr]efuse(?:\\?_[A-Za-z]+)+")
_DENIED = re.compile(
    r"\b(?:not|never|no|rather than|instead of|than|nor|without)(?: \w+){0,2}[\s\"'`*(]*$", re.IGNORECASE
)
_SLIPS = 2


@dataclass(frozen=True, slots=True)
class StatedCode:
    """A code where it stands in a response: `text[start:end]`."""

    code: Code
    start: int
    end: int


@lru_cache(maxsize=4096)
def stated_codes(text: str) -> tuple[StatedCode, ...]:
    """Return the codes that a response states, in order, with their places; one that it denies is not stated.

    Accepted are long and short forms, hyphens, blanks or nothing for underscores, escaped underscores, up to two
    slips of the pen, a long form in small letters, and a missing REFUSE where the rest is several words in capitals.
    """
    found: list[StatedCode] = []
    for match in _IDENTIFIER.finditer(text):
        code = _code_of(match[0])
        if code is not None and not _DENIED.search(text[: match.start()]):
            found.append(StatedCode(code, match.start(), match.end()))
    return tuple(found)


def codes_in(text: str) -> tuple[Code, ...]:
    """Return the codes that a response states, in the order in which they stand, repetitions left out."""
    return tuple(dict.fromkeys(stated.code for stated in stated_codes(text)))


def _code_of(identifier: str) -> Code | None:
    letters = re.sub(r"[^A-Z]", "", identifier.upper())
    if letters in _SPELLED:
        return _SPELLED[letters]
    if letters.startswith("REFUS"):
        return _nearest(letters, _SPELLED)
    if "_" in identifier or len(letters) > 8:
        return _BARE.get(letters) or _nearest(letters, _BARE)
    return None


def _nearest(letters: str, known: dict[str, Code]) -> Code | None:
    """Return the code of the closest spelling within two slips, None where none is close or the text goes on."""
    distance, spelled = min((Levenshtein.distance(letters, spelled, score_cutoff=_SLIPS), spelled) for spelled in known)
    return known[spelled] if distance <= _SLIPS else None
