"""Recognition of refusals in plain words, and of their reasons.

The rules are strict: a response that also says anything about the matter is an attempt. This module needs only Python's
standard library, since exported tasks hold a copy of it (`scoring.standalone`).
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Final, Generic

from demur.programs.replies.code_reader import CodeName

_BREAK: Final = re.compile(
    r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St|No|vs)\.)(?<!\b(?:Mrs|e\.g|i\.e|Art)\.)(?<!\bProf\.)"
    r"[\s\"'”’)*_]+(?=\S)|(?<=[。！？])|\n+"
)
_WORD: Final = re.compile(r"\w+(?:['’\-]\w+)*")


def sentences_of(text: str) -> list[str]:
    """Return the sentences and lines of a text that have a word."""
    return [part.strip() for part in _BREAK.split(text) if _WORD.search(part)]


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    return len(_WORD.findall(text))


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole-word alternatives; case does not matter, and a space stands for white space."""
    joined = "|".join(alternatives).replace(" ?", r"\s*")
    spaced = re.sub(r" (?![?*+{])", r"\\s+", joined)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)", re.IGNORECASE)


_CANNOT: Final = (
    r"(?:cannot|can not|can['’]t|could not|couldn['’]t|am unable to|are unable to|am not able to|is not possible to|"
    r"is impossible to)"
)
_DECLINES: Final = any_of(
    rf"(?:i|we|one|you|it|this|that)(?: \w+)? {_CANNOT}(?: \w+){{0,3}} (?:answer(?:ed)?|say|tell|determined?|know|"
    rf"respond|establish(?:ed)?|decided?|conclude)",
    rf"(?:question|answer|it|this|that|which) {_CANNOT} be (?:\w+ )?(?:answered|determined|established|known|decided|"
    rf"given|derived|inferred|found)",
    r"unable to (?:answer|say|tell|determine|give)|(?:i|we) (?:do not|don['’]t) (?:actually )?know|"
    r"no answer (?:can be|is|could be)|unanswerable",
    r"(?:i|we) (?:must|have to|will|would|shall)? ?(?:refuse|decline)(?: to answer)?|without an answer|"
    r"not answerable|no (?:clear |definite |single )?answer",
)
_META: Final = any_of(
    r"passages?|texts?|contexts?|documents?|sources?|excerpts?|search results|question|answer|asked|is meant|meant|"
    r"information|premise|granularity|i|we"
)
_POLITE: Final = any_of(
    r"sorry|apolog\w+|unfortunately|i['’]m afraid|please|if you|let me know|could you|would you|thank you|"
    r"i would say|so i (?:must|have to)"
)
_TURNS: Final = any_of(
    r"but|however|although|though|still|nevertheless|that said|most likely|probably|it (?:may|might) be|i would guess"
)
_FEW: Final = 3


class SentencePart(Enum):
    """What a sentence of a response does."""

    DECLINES = auto()
    REASON = auto()
    COURTESY = auto()
    CLAIM = auto()


class Declining(Generic[CodeName]):
    """Tells refusals in plain words from attempts.

    Args:
        reasons: wordings of reasons (regular expressions) by code, in the order in which they are looked for.
        other: the code of a refusal without a reason.
    """

    def __init__(self, reasons: Mapping[CodeName, Sequence[str]], other: CodeName) -> None:
        self._reasons = tuple((code, any_of(*wordings)) for code, wordings in reasons.items())
        self._other = other

    def declined(self, response: str) -> CodeName | None:
        """Return the refusal code of a response that declines in plain words; None for attempts.

        The response's reason decides the code.
        """
        parts = [self.part(sentence) for sentence in sentences_of(response)]
        if SentencePart.CLAIM in parts or not (SentencePart.DECLINES in parts or SentencePart.REASON in parts):
            return None
        return next((code for code, pattern in self._reasons if pattern.search(response)), self._other)

    def part(self, sentence: str) -> SentencePart:
        """Return what a sentence does: decline, give a reason for declining, be polite, or claim something."""
        stops = _DECLINES.search(sentence)
        reason = bool(_META.search(sentence)) and self._gives_reason(sentence)
        turn = _TURNS.search(sentence)
        if (stops or reason) and turn:
            rest = sentence[turn.end() :]
            if count_words(rest) > _FEW and not (_DECLINES.search(rest) or self._gives_reason(rest)):
                return SentencePart.CLAIM
        if stops:
            return SentencePart.DECLINES
        if reason:
            return SentencePart.REASON
        polite = sentence.endswith("?") or (_POLITE.search(sentence) and count_words(sentence) <= 2 * _FEW)
        return SentencePart.COURTESY if polite else SentencePart.CLAIM

    def _gives_reason(self, text: str) -> bool:
        return any(pattern.search(text) for _, pattern in self._reasons)
