"""Shared by the recipes of LOW: which cuts can be spared, and one of them made in every signal passage."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from demur.programs.rules.edits.strategy import apply_to_signal_passages
from demur.programs.rules.edits.style import Style
from demur.programs.rules.edits.text import remove_modifier
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.modifiers import ModifierKind
from demur.programs.text.questions import content_words
from demur.programs.text.tokens import fold

_COMPARES = re.compile(
    r"\b(?:older|younger|oldest|youngest|earlier|later|first|more|most|larger|largest|bigger|longer|longest|"
    r"taller|same|both|closer|share|which of|or)\b"
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A possible cut: what goes, and the text of the passage without it."""

    removed: str
    text: str


Finder = Callable[[Analysis, PassageAnalysis, random.Random], Iterator[Cut]]


def _compares(analysis: Analysis) -> bool:
    return analysis.answer_type is AnswerType.YES_NO or _COMPARES.search(fold(analysis.question.text)) is not None


def _dispensable(analysis: Analysis, passage: PassageAnalysis, cut: Cut) -> bool:
    """Say whether the answer can still be found without what a cut removes.

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
    return not (len(analysis.signal) > 1 and _compares(analysis) and re.search(r"\d|[A-Z]", inner))


def cut_in_signal(
    finder: Finder, reasoning: str, analysis: Analysis, style: Style, rng: random.Random
) -> Draft | Declined:
    """Make one cut of the finder's kind in each signal passage that allows one; at least one must.

    The terse style takes a shorter cut and the elaborate one a longer, so that two generators seldom cut alike.
    """

    def edit(passage: PassageAnalysis) -> str | None:
        cuts = [c for c in finder(analysis, passage, rng) if _dispensable(analysis, passage, c)]
        if not cuts:
            return None
        cuts.sort(key=lambda c: len(c.removed), reverse=style is Style.ELABORATE)
        return rng.choice(cuts[: max(1, len(cuts) // 2)]).text

    changed = apply_to_signal_passages(analysis, edit, every=False)
    if changed is None:
        return Declined(DeclineReason.NOTHING_PERIPHERAL)
    note = "The sentence that answers still gives an accepted answer; what went is not asked for."
    return Draft(analysis.question.text, changed, reasoning, note)


def modifier_cuts(*kinds: ModifierKind) -> Finder:
    """Return a finder of the modifiers of some kinds, each of which is a possible cut."""

    def find(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
        for modifier in passage.modifiers_of(*kinds):
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))

    return find
