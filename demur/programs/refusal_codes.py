"""Refusal codes of the taxonomy in responses, found by `code_reader`."""

from functools import lru_cache
from typing import Final, TypeAlias

import demur.programs.code_reader as code_reader
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Code, Intensity, LeverClass, expected_code

StatedCode: TypeAlias = code_reader.StatedCode[Code]

SPELLED: Final[dict[str, Code]] = {
    name.replace("_", ""): code
    for name, code in ({**load_taxonomy().short_codes} | {code.value: code for code in Code if code.is_refusal}).items()
}
"""Codes by their long and short forms without underscores."""
OF_CLASS: Final = {
    f"REFUSE{lever_class.removeprefix('P-').upper()}": expected_code(lever_class, Intensity.HIGH)
    for lever_class in LeverClass
}
"""Codes by the names of their classes, as in REFUSE_MISSING_INFO."""
_READER: Final = code_reader.CodeReader(SPELLED, OF_CLASS, Code.OTHER)
plain_letters = code_reader.plain_letters


@lru_cache(maxsize=4096)
def sole_code(text: str) -> Code | None:
    """Return the code that a response consists of; None if it says anything else. See `CodeReader.sole_code`."""
    return _READER.sole_code(text)


@lru_cache(maxsize=4096)
def named_codes(text: str) -> tuple[StatedCode, ...]:
    """Return all codes that a response names. See `CodeReader.named_codes`."""
    return _READER.named_codes(text)


@lru_cache(maxsize=4096)
def stated_codes(text: str) -> tuple[StatedCode, ...]:
    """Return the codes that a response decides on. See `CodeReader.stated_codes`."""
    return _READER.stated_codes(text)


def codes_in(text: str) -> tuple[Code, ...]:
    """Return the distinct codes that a response states, in order."""
    return tuple(dict.fromkeys(stated.code for stated in stated_codes(text)))


def other_codes(text: str) -> tuple[Code, ...]:
    """Return the distinct codes that a response names, without the first code that it states."""
    decided = codes_in(text)[:1]
    return tuple(code for code in dict.fromkeys(named.code for named in named_codes(text)) if code not in decided)
