"""Where the answer stands in a passage, as the whole phrase that has to go: full name, whole date, quotation marks."""

from dataclasses import dataclass
from functools import lru_cache

from demur.text.analysis import PassageAnalysis
from demur.text.answers import MentionKind
from demur.text.lexicon import PREPOSITIONS
from demur.text.names import NameKind
from demur.text.spans import Span
from demur.text.tokens import Token

_QUOTES = {'"': '"', "“": "”"}
_TITLE_KINDS = (NameKind.TITLE, NameKind.ORGANISATION)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase that gives the answer, with the words around it.

    `before` and `after` are the neighbouring tokens of the same passage, punctuation included; `text` is the phrase.
    """

    span: Span
    text: str
    before: Token | None
    after: Token | None

    @property
    def preposition(self) -> Token | None:
        """The preposition right before the phrase, None where there is none."""
        return self.before if self.before is not None and self.before.norm in PREPOSITIONS else None


def _grown(passage: PassageAnalysis, span: Span, partial: bool) -> Span:
    """Return `span` widened to the full name or whole date in which it stands, quotation marks included."""
    for date in passage.dates:
        if date.span.covers(span):
            span = date.span
    for name in passage.names:
        wider = name.span.covers(span) and name.span != span
        if wider and (partial or name.kind not in _TITLE_KINDS or len(name.span) <= 2 * len(span)):
            span = name.span
    text = passage.text
    opening = text[span.start - 1 : span.start]
    if opening in _QUOTES and opening:
        tail = text[span.end : span.end + 2]
        for length in (1, 2):
            if tail[:length].endswith(_QUOTES[opening]) and all(c in ",." for c in tail[: length - 1]):
                return Span(span.start - 1, span.end + 1) if length == 1 else span
    return span


@lru_cache(maxsize=512)
def answer_phrases(passage: PassageAnalysis) -> tuple[Phrase, ...]:
    """Return the phrases of a passage that give the answer, in order, none overlapping another."""
    spans: list[Span] = []
    for mention in passage.answers:
        span = _grown(passage, mention.span, mention.kind is MentionKind.PARTIAL)
        if spans and span.start < spans[-1].end:
            spans[-1] = Span(min(spans[-1].start, span.start), max(spans[-1].end, span.end))
        else:
            spans.append(span)
    return tuple(_phrase(passage, span) for span in spans)


def _phrase(passage: PassageAnalysis, span: Span) -> Phrase:
    before = next((t for t in reversed(passage.tokens) if t.end <= span.start), None)
    after = next((t for t in passage.tokens if t.start >= span.end), None)
    return Phrase(span, span.of(passage.text), before, after)
