"""Which cuts can be spared, one of them made in every signal passage; and an edit wherever the answer stands."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from demur.levers.frames import Style
from demur.rules.edits.text import remove_modifier
from demur.rules.operators.missing_info.remains import what_stays
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.modifiers import ModifierKind
from demur.text.questions import content_words
from demur.text.tokens import fold

_ENDED = re.compile(r"[?!.][\"”]? ?$")
_COMPARES = re.compile(
    r"\b(?:older|younger|oldest|youngest|earlier|later|first|more|most|larger|largest|bigger|longer|longest|"
    r"taller|same|both|closer|share|which of|or)\b"
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A possible cut: what goes, and the text of the passage without it."""

    removed: str
    text: str


Finder = Callable[[Analysis, PassageAnalysis], Iterator[Cut]]


def compares(analysis: Analysis) -> bool:
    """Return whether the question compares things or asks whether something is so."""
    return analysis.answer_type is AnswerType.YES_NO or _COMPARES.search(fold(analysis.question.text)) is not None


def _dispensable(analysis: Analysis, passage: PassageAnalysis, cut: Cut) -> bool:
    """Return whether the answer can still be found without what a cut removes.

    What goes may hold no answer, no word of the question and no name that leads from one signal passage to another;
    a comparison needs all names and figures.
    """
    if analysis.is_answer(cut.removed) or len(cut.text.split()) < 6 or cut.text == passage.text:
        return False
    if content_words(cut.removed) & content_words(analysis.question.text):
        return False
    others = " ".join(fold(p.text) for p in analysis.signal if p.index != passage.index)
    names = [n for n in passage.names if n.text in cut.removed]
    if any(n.norm in others for n in names):
        return False
    inner = re.sub(r"^\W*\w+", "", cut.removed)
    return not (len(analysis.signal) > 1 and compares(analysis) and re.search(r"\d|[A-Z]", inner))


def cut_in_signal(finder: Finder, reasoning: str, pull: Pull) -> Draft | Declined:
    """Make one cut of the finder's kind in each signal passage that allows one; at least one must.

    The terse style takes a shorter cut and the elaborate one a longer, so that two generators seldom cut alike.
    """
    analysis = pull.analysis

    def edit(passage: PassageAnalysis) -> str | None:
        cuts = [c for c in finder(analysis, passage) if _dispensable(analysis, passage, c)]
        if not cuts:
            return None
        cuts.sort(key=lambda c: len(c.removed), reverse=pull.style is Style.ELABORATE)
        return pull.rng.choice(cuts[: max(1, len(cuts) // 2)]).text

    edited = {passage.index: edit(passage) for passage in analysis.signal}
    changed = {index: text for index, text in edited.items() if text is not None}
    if not changed:
        return Declined(DeclineReason.NOTHING_PERIPHERAL)
    note = "The sentence that answers still gives an accepted answer; what went is not asked for."
    return Draft(analysis.question.text, changed, reasoning, note)


def modifier_cuts(*kinds: ModifierKind) -> Finder:
    """Return a finder of the modifiers of some kinds, each of which is a possible cut."""

    def find(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
        for modifier in passage.modifiers_of(*kinds):
            if modifier.kind is ModifierKind.PARENTHETICAL and _ENDED.search(passage.text[: modifier.span.start]):
                continue  # a title that ends like a sentence: 'Why Is There Fog? (1965) is'
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))

    return find


Edit = Callable[[PassageAnalysis], str | None]
"""Returns the new text of a passage, or None where the edit does not apply to it."""


def everywhere(pull: Pull, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer; nothing may stay from which it could be told."""
    analysis = pull.analysis
    changed = dict[int, str]()
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    for passage in analysis.answering:
        text = edit(passage)
        if text is None or text == passage.text or analysis.is_answer(text):
            return Declined(DeclineReason.NO_SUITABLE_SPAN)
        changed[passage.index] = text
    stays = what_stays(analysis, changed)
    if stays is not None:
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, stays)
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")
