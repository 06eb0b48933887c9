"""A mark of the lever's in the place of the answer, wherever it stands: unreadable, a pointer, a link, an initial."""

import re
from typing import Final

from demur.levers.frames import Slot
from demur.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.rules.operators.missing_info.cutting import everywhere
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.rivals import is_one_fact
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.kinds import kind_of_answer
from demur.text.quantities import find_numbers

MOST_PHRASES: Final = 3
"""More different phrases than this in one passage are a list, and a list of marks reads badly."""
_MOST_MENTIONS: Final = 2
_EXPLAINED: Final = re.compile(r",? (?:such as|including|like|e\.g\.|for example)|,? (?:\(|and |or )|, (?:the|an?) ")
"""What stands behind the answer and lets it be guessed, or makes it one of several."""


def _is_choice(analysis: Analysis) -> bool:
    """Return whether the question names the answer, as one of its choices."""
    return analysis.is_answer(analysis.question.text)


def _several(found: tuple[Phrase, ...]) -> bool:
    """Return whether the phrases name different things: two of them share no word."""
    words = [{w.lower() for w in re.findall(r"\w+", p.text)} for p in found]
    return any(not one & other for i, one in enumerate(words) for other in words[i + 1 :])


def _tells(passage: PassageAnalysis, phrase: Phrase) -> bool:
    """Return whether the words around a phrase tell what it was: it opens its sentence, or is explained behind it.

    Before a noun a mark is no word of the sentence.
    """
    opens = phrase.span.start == passage.sentence_at(phrase.span).span.start
    described = phrase.after is not None and phrase.after.is_capitalised and passage.text[phrase.span.end] == " "
    return opens and passage.relevant or described or _EXPLAINED.match(passage.text, phrase.span.end) is not None


@operator("missing_info.mark", Slot.NUMBER)
def mark(pull: Pull) -> Draft | Declined:
    """Put one of the lever's marks in the place of every mention of the answer."""
    analysis = pull.analysis
    fitting = pull.frames(kind_of_answer(analysis))
    chosen = [f for f in fitting if f.kinds] or fitting
    if not chosen:
        return Declined(DeclineReason.NO_FRAME)
    if _is_choice(analysis) or not is_one_fact(analysis):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the answer is one of several things")
    said = fill(pull.rng.choice(chosen), number=str(pull.rng.randint(2, 9)))

    def edit(passage: PassageAnalysis) -> str | None:
        found = answer_phrases(passage)
        if len({p.text for p in found}) > MOST_PHRASES or len(found) > _MOST_MENTIONS or _several(found):
            return None
        if any(_tells(passage, phrase) for phrase in found):
            return None
        text = passage.text
        for phrase in reversed(found):
            if phrase.text[:1].islower() and not phrase.stands_alone and not find_numbers(phrase.text):
                return None
            behind = re.sub(r"^\.(?= [a-z])", "", text[phrase.span.end :])
            text = text[: phrase.span.start] + said + behind
        return text

    return everywhere(pull, edit, f"Every mention of the answer became '{said}'.")
