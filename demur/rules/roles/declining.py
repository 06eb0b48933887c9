"""Recognition of refusals in plain words, and of their reasons, for the judge.

The rules are strict: a response that also says anything about the matter is an attempt.
"""

from pathlib import Path
from typing import Final

from demur.levers.vocabulary import Code
from demur.rules.roles.marks.patterns import any_of, read_patterns
from demur.text.tokens import sentences, words

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
_REASONS: Final = tuple(
    (Code(code), any_of(*wordings))
    for code, wordings in read_patterns(Path(__file__).with_name("declining.yaml"))["reasons"].items()
)
_POLITE: Final = any_of(
    r"sorry|apolog\w+|unfortunately|i['’]m afraid|please|if you|let me know|could you|would you|thank you|"
    r"i would say|so i (?:must|have to)"
)
_TURNS: Final = any_of(
    r"but|however|although|though|still|nevertheless|that said|most likely|probably|it (?:may|might) be|i would guess"
)
_FEW: Final = 3


def declined(response: str) -> Code | None:
    """Return the refusal code of a response that declines in plain words; None for attempts.

    The response's reason decides the code. Without a reason the code is REFUSE_OTHER.
    """
    found = [s.text for s in sentences(response) if words(s.text)]
    if not found:
        return None
    kinds = [_kind(text) for text in found]
    if any(kind == "claim" for kind in kinds) or not any(kind in ("declines", "reason") for kind in kinds):
        return None
    return next((code for code, pattern in _REASONS if pattern.search(response)), Code.OTHER)


def is_declining(sentence: str) -> bool:
    """Return whether a sentence declines, gives a reason for declining, or is mere courtesy."""
    return _kind(sentence) != "claim"


def _kind(text: str) -> str:
    """Return the function of a sentence: declining, a reason, courtesy, or a claim about the matter."""
    stops = _DECLINES.search(text)
    reason = bool(_META.search(text)) and any(pattern.search(text) for _, pattern in _REASONS)
    turn = _TURNS.search(text)
    if (stops or reason) and turn and len(words(text[turn.end() :])) > _FEW and not _declines_after(text[turn.end() :]):
        return "claim"
    if stops:
        return "declines"
    if reason:
        return "reason"
    polite = text.rstrip().endswith("?") or (_POLITE.search(text) and len(words(text)) <= 2 * _FEW)
    return "courtesy" if polite else "claim"


def _declines_after(text: str) -> bool:
    return bool(_DECLINES.search(text)) or any(pattern.search(text) for _, pattern in _REASONS)
