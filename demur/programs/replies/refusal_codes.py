"""Replies and the refusal codes of the taxonomy in them, read by `reply_reader`."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Code, Intensity, LeverClass, expected_code
from demur.programs.replies import code_reader
from demur.programs.replies.declining import SentencePart
from demur.programs.replies.reply_reader import Reading as AnyReading
from demur.programs.replies.reply_reader import ReplyReader

StatedCode: TypeAlias = code_reader.StatedCode[Code]
Reading: TypeAlias = AnyReading[Code]

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
WORDS: Final[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("reply_reader.yaml").read_text(encoding="utf-8"))
"""The words by which replies are read."""
_READER: Final = code_reader.CodeReader(SPELLED, OF_CLASS, Code.OTHER)
_REPLIES: Final = ReplyReader(
    _READER, {**WORDS, "declining": {Code(code): said for code, said in WORDS["declining"].items()}}
)
plain_letters = code_reader.plain_letters


@lru_cache(maxsize=4096)
def read_reply(reply: str, reasoning: str = "") -> Reading:
    """Return what a reply counts as. See `ReplyReader.read`."""
    return _REPLIES.read(reply, reasoning)


def is_declining(sentence: str) -> bool:
    """Return whether a sentence declines, gives a reason for declining, or is mere courtesy."""
    return _REPLIES.declining.part(sentence) is not SentencePart.CLAIM


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
