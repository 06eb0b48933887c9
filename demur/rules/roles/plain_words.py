"""Reactions of responses in plain words: full or partial answer, question back, or refusal, with its reason.

The rules miss some refusals and answers: they know only the wordings of `plain_words.yaml`, and look for an answer only
at the start of the response.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from demur.levers.vocabulary import ATTEMPT, Code
from demur.programs.signatures.judgement import ASKED_BACK, PARTIAL
from demur.rules.roles.marks import any_of, parts, read_patterns, shown
from demur.text.analysis import content_words
from demur.text.tokens import sentences, words

_WORDINGS: Final = read_patterns(Path(__file__).with_name("plain_words.yaml"))
_DECLINES, _CAVEATS, _PARTIAL, _DENIALS, _ASKS, _OFFERS = (
    any_of(*_WORDINGS[name]) for name in ("declines", "caveats", "partial", "denials", "asks", "offers")
)
_REASONS: Final = {
    Code(code): (any_of(*wordings["strong"]), any_of(*wordings["weak"]))
    for code, wordings in _WORDINGS["reasons"].items()
}
_OPPOSED: Final = frozenset({Code.CONTRADICTORY, Code.AMBIGUOUS, Code.FALSE_PREMISE})
"""Reasons that withdraw even a short answer, or an answer in numbers, given before."""
_MARKDOWN: Final = re.compile(r"[*_`#>]+")
_POLITE: Final = any_of(r"sorry|apolog\w+|unfortunately|i'm afraid|please|thanks?|hmm|good question|let me know")
_MEASURED: Final = any_of(
    r"when|how (?:many|much|old|long|far|high|large|big|tall|often)|"
    r"(?:what|which) (?:year|date|day|month|age|share|price)"
)
_NUMBER: Final = any_of(
    r"\S*\d\S*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|million|"
    r"half|dozen"
)
_TURNS: Final = any_of(r"(?:but|though|although|however|still|yet),? (?:it|they|he|she|the answer|probably|i'd say)")
_ATTRIBUTED: Final = any_of(
    r"in (?:my|our|his|her|their|its|(?:\w+ ){0,2}\w+'s) (?:own )?(?:humble )?(?:opinion|view)|"
    r"in the (?:opinion|view) of (?:the |our |a )?\w+"
)
"""Words that attribute a statement to somebody and are no reason for refusing."""
_GIVEN: Final = any_of(_WORDINGS["given"])
_WH: Final = any_of(r"who|whom|whose|what|which|when|where|why|how")
_STRONG: Final = 3
"""Points of a strong wording of a reason; a weak wording has 1."""
_STRONG_IF_MISSING: Final = 2
"""Points of a strong wording of missing information."""
_MOST_COUNTED: Final = 2
"""The most strong, and the most weak wordings of a reason that count in one sentence."""
_FEW: Final = 6
"""The most words of a courtesy, and of a short answer."""
_ECHO: Final = 0.9
"""Smallest share of common content words of a sentence and the question that it repeats."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a response, and how the rules read it.

    `declines` and `asks` tell whether the sentence declines, or asks back. `reasons` has the codes of the reasons that
    the sentence gives for declining. `points` measures the evidence for each code.
    """

    text: str
    declines: bool
    asks: bool
    reasons: frozenset[Code]
    points: dict[Code, int]

    @property
    def is_reserved(self) -> bool:
        """True if the sentence declines or gives a reason for declining."""
        return self.declines or bool(self.reasons)

    @property
    def is_courtesy(self) -> bool:
        return bool(_POLITE.search(self.text)) and len(words(self.text)) <= _FEW

    @property
    def is_stated(self) -> bool:
        return not (self.is_courtesy or self.asks or self.text.endswith("?"))

    @property
    def is_claim(self) -> bool:
        """True for a claim about the matter: the sentence does not ask, decline or give a reason."""
        return self.is_stated and not self.is_reserved


def plain_class(response: str, question: str) -> str:
    """Return the reaction of a response in plain words: a refusal's code, PARTIAL, ASKED_BACK or ATTEMPT."""
    read = [_read(part) for part in _split(response) if not _echoes(part, question)]
    opening = next((at for at, s in enumerate(read) if s.is_stated), None)
    if opening is not None and _denies(read[opening], question):
        read[opening] = _as_denial(read[opening])
    stated = [s for s in read if s.is_stated]
    claims = any(s.is_claim for s in stated)
    # A wording of `partial` limits an answer. In a sentence that declines, it needs a claim beside it.
    limited = any(_PARTIAL.search(s.text) and (claims or not s.declines) for s in read)
    if not limited and _asks_back(read):
        return ASKED_BACK
    reserved = any(s.is_reserved for s in read)
    if _is_answered(stated, question):
        return PARTIAL if reserved or any(_CAVEATS.search(s.text) for s in read) else ATTEMPT
    if limited or (stated and _turns_to_answer(stated[0].text, question)):
        return PARTIAL
    return _reason(read).value if reserved else ATTEMPT


def _echoes(text: str, question: str) -> bool:
    """True if a sentence of the response is the asked question itself, which asks nothing back."""
    said, asked = content_words(text), content_words(question)
    return text.endswith("?") and bool(asked) and len(said & asked) >= _ECHO * len(said | asked)


def _asks_back(read: list[_Sentence]) -> bool:
    """True if a response asks back.

    The response must end in a question that is no offer, or it must ask for a clarification and not decline afterwards.
    """
    longer = [s for s in read if len(words(s.text)) > _FEW or s.text.endswith("?")]
    if longer and longer[-1].text.endswith("?") and not _OFFERS.search(longer[-1].text):
        return True
    for at, sentence in enumerate(read):
        declines_later = any(s.is_reserved for s in read[at + 1 :])
        if sentence.asks and not declines_later:
            return True
    return False


def _denies(first: _Sentence, question: str) -> bool:
    """True if a sentence denies a presupposition of a question that is not a yes/no question."""
    if first.declines or first.points[Code.MISSING] or _has_measure(first.text, question):
        return False
    return bool(_WH.search(question)) and bool(_DENIALS.search(first.text))


def _as_denial(said: _Sentence) -> _Sentence:
    premise = Code.FALSE_PREMISE
    points = {**said.points, premise: said.points[premise] + _STRONG}
    return replace(said, reasons=said.reasons | {premise}, points=points)


def _has_measure(text: str, question: str) -> bool:
    """True if a number or date is asked for, and a text has one."""
    return bool(_MEASURED.search(question)) and bool(_NUMBER.search(text))


def _split(response: str) -> list[str]:
    plain = _MARKDOWN.sub("", response.replace("’", "'"))
    return [part.strip() for s in sentences(plain) for part in parts(s.text) if words(part)]


def _read(text: str) -> _Sentence:
    reasoned = _ATTRIBUTED.sub(" ", text)
    reasons = set()
    points = {}
    for code, (strong, weak) in _REASONS.items():
        strong_wordings = _wordings(strong, reasoned)
        if strong_wordings:
            reasons.add(code)
        points_each = _STRONG_IF_MISSING if code is Code.MISSING else _STRONG
        points[code] = points_each * min(_MOST_COUNTED, strong_wordings)
        points[code] += min(_MOST_COUNTED, _wordings(weak, reasoned))
    asks = bool(_ASKS.search(text)) and not _OFFERS.search(text)
    return _Sentence(text, bool(_DECLINES.search(text)), asks, frozenset(reasons), points)


def _wordings(pattern: re.Pattern[str], text: str) -> int:
    """Count the different wordings of a pattern in a sentence."""
    return len(shown(pattern, text))


def _is_answered(stated: list[_Sentence], question: str) -> bool:
    """True if the response begins with a claim that answers, and does not withdraw this claim later."""
    if not stated or not stated[0].is_claim:
        return False
    first = stated[0].text
    measured = bool(_MEASURED.search(question))
    firm = measured or len(words(first)) <= _FEW
    lacks_measure = measured and not _has_measure(first, question)
    adds_nothing = not firm and content_words(first) <= content_words(question)
    if lacks_measure or adds_nothing:
        return False
    opposed = _OPPOSED if firm else set(_REASONS) - {Code.MISSING}
    return not any(s.points[code] >= _STRONG for s in stated[1:] for code in opposed)


def _turns_to_answer(text: str, question: str) -> bool:
    """True if a sentence turns to a claim: 'not stated, but it was ...'.

    The claim must have a number if the question asks for a number.
    """
    turn = _TURNS.search(text)
    rest = text[turn.end() :] if turn else ""
    return bool(rest) and _read(rest).is_claim and (_has_measure(rest, question) or not _MEASURED.search(question))


def _reason(read: list[_Sentence]) -> Code:
    """Return the reason with the most points, and among equals the first in the text; REFUSE_OTHER without a reason.

    A refusal that only points to what it was given, such as "from the context provided", lacks information there.
    """
    totals = {code: sum(s.points[code] for s in read) for code in _REASONS}
    best = max(totals.values())
    if best < _STRONG_IF_MISSING:
        points_to_text = any(s.declines and _GIVEN.search(s.text) for s in read)
        return Code.MISSING if points_to_text else Code.OTHER
    leading = [code for code, points in totals.items() if points == best]
    # Lists are compared element by element: the first sentence with more points for one code decides.
    return max(leading, key=lambda code: [s.points[code] for s in read])
