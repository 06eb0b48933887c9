"""HIGH: in the place of every passage that bears on the question stands one of the corpus, or what surrounds a text."""

from typing import Final

from demur.levers.frames import Kind, Slot
from demur.rules.described import entry_of
from demur.rules.operators.missing_info.cutting import compares
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.topics import topics
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.kinds import entry_name, kind_of_answer
from demur.text.names import NameKind
from demur.text.questions import content_words
from demur.text.tokens import fold

_GONE: Final = "Nothing that bears on the question is left in any passage."
_LEAST = 0.6
_MOST = 1.5
"""How much shorter or longer than the passage one of the corpus may be."""


def _bearing(analysis: Analysis) -> tuple[PassageAnalysis, ...]:
    """Return the passages that have to go: all signal ones, and noise that gives the answer.

    Where two things are compared, those too that name one of them.
    """
    names = [fold(topic.bare) for topic in topics(analysis)] if compares(analysis) else []
    return tuple(
        p for p in analysis.passages if p.relevant or p.gives_answer or any(name in fold(p.text) for name in names)
    )


@operator("missing_info.strange_passages", last=True)
def strange_passages(pull: Pull) -> Draft | Declined:
    """Put passages of the corpus in their place that share no word with the question and are about as long."""
    analysis = pull.analysis
    kinds = {entry[1] for p in analysis.signal if (entry := entry_of(p.text)) is not None}
    strange = [(t, len(t.split())) for t in pull.corpus.strange_to(analysis.base)]
    pull.rng.shuffle(strange)
    texts: dict[int, str] = {}
    for passage in _bearing(analysis):
        size = len(passage.text.split())
        alike = (t for t, length in strange if _LEAST * size <= length <= _MOST * size and t not in texts.values())
        others = (t for t in alike if (entry := entry_of(t)) is None or entry[1] not in kinds)
        found = next((t for t in others if not analysis.is_answer(t)), None)
        if found is None:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "no passage of the corpus is strange and as long")
        texts[passage.index] = found
    why = "Passages on other subjects stand in the place of all that bear on the question."
    return Draft(analysis.question.text, texts, why, _GONE)


@operator("missing_info.shell", Slot.NAME, Slot.NOUN)
def shell(pull: Pull) -> Draft | Declined:
    """Leave the title of every passage that bears on the question and what the frame puts around it."""
    analysis = pull.analysis
    texts = dict[int, str]()
    kind = kind_of_answer(analysis)
    frames = [f for f in pull.lever.frames if f.fits(pull.style, analysis.base.layout, kind)]
    bearing = _bearing(analysis)
    titles = [_title(analysis, passage) for passage in bearing]
    label = _LABELS.get(kind) if kind is not None else None
    if label is None and any(Slot.NOUN in frame.slots for frame in frames):
        return Declined(DeclineReason.ANSWER_TYPE, "no heading for a column of such answers")
    if not all(titles) or len(bearing) > len(frames):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "a passage has no title that would not give the answer away")
    for passage, title, frame in zip(bearing, titles, pull.rng.sample(frames, len(bearing)), strict=True):
        texts[passage.index] = fill(frame, name=title or "", noun=label or "")
    return Draft(analysis.question.text, texts, "Only the shell of every passage that bears on it is left.", _GONE)


_LABELS: Final = {
    Kind.YEAR: "Year", Kind.DATE: "Date", Kind.NUMBER: "Number", Kind.MEASURE: "Measure", Kind.MONEY: "Amount",
    Kind.PERCENT: "Share", Kind.PERSON: "Name", Kind.CITY: "Place", Kind.COUNTRY: "Country", Kind.STATE: "State",
}  # fmt: skip


def _title(analysis: Analysis, passage: PassageAnalysis) -> str | None:
    """Return what a passage is about: its entry, else a name in it that the question says, else the topic."""
    asked = fold(analysis.question.text)
    named = [n.text for n in passage.names if n.kind is not NameKind.OTHER and len(n.text) > 3]
    names = [entry_name(passage.text), *(n for n in named if fold(n) in asked), *(t.bare for t in topics(analysis))]
    held = set().union(*(content_words(answer) for answer in analysis.base.answers))
    return next((n for n in names if n and not content_words(n) & held), None)
