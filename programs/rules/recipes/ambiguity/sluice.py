"""MEDIUM: what is asked hangs on a bare 'which' or 'when' that two things answer to."""

import random

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.asked_fact import AskedFact, FactKind
from programs.rules.analysis.quantities import find_numbers
from programs.rules.analysis.tokens import fold
from programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from programs.rules.edits.casing import in_register
from programs.rules.edits.grammar import as_sentence
from programs.rules.edits.rival_values import spoken_answer
from programs.rules.edits.spoken_fact import spoken_fact
from programs.rules.edits.style import Style, pick
from programs.rules.recipes.ambiguity.candidates import alternatives, before_shared, other_value, same_shape
from programs.rules.recipes.ambiguity.material import BOTH, in_bearing_passages, names_around, subject_of
from programs.rules.recipes.ambiguity.pointing import OPEN, asking_words
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects.phrases import passage_subject

_TAILS = (
    (
        ", but which is not said",
        ", though which it was is left open",
        "; which of the two is not said",
        ", and the record does not say which",
    ),
    (
        ", although the source does not say which",
        ", and the records leave open which of the two",
        ", and nothing that has come down to us says which of the two",
        ", with no word as to which of the two it was",
    ),
)


@recipe("ambiguity.sluiced_wh_ambiguity")
def sluiced_wh_ambiguity(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Make the answer one of two alternatives with a bare 'it is not said which', or ask a bare '..., but when?'."""
    found = _in_context(analysis, style, rng)
    if isinstance(found, Draft):
        return found
    asked = _bare_question(analysis, style, rng)
    if asked is None:
        return found
    reasoning = "The question is a bare question word after two things that it could be asked of."
    return Draft(in_register(analysis.question, asked), {}, reasoning, OPEN)


def _in_context(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    fact = spoken_fact(analysis)
    listed = fact is not None and fact.choices is not None or len(analysis.base.answers) > _MOST_ANSWERS
    if analysis.answer_type in (AnswerType.LIST, AnswerType.YES_NO) or listed:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    other = other_value(analysis, rng)
    if other is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of the answer's kind can be made")
    tail = pick(style, rng, *_TAILS)
    reasoning = f"The answer became one of two alternatives, the other being '{other}'."
    changed = alternatives(analysis, "either {a} or {b}", tail, (other,), shared=True)
    if changed is not None:
        return Draft(analysis.question.text, changed, reasoning, BOTH)
    stated = _stated(fact, spoken_answer(analysis), other) if fact is not None else None
    if stated is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "'A or B' can't stand where the answer stands")
    sentence = as_sentence(f"{stated}{tail}")

    def edit(passage: PassageAnalysis) -> str | None:
        gone = leaning(passage, answer_indices(passage))
        if len(answer_indices(passage)) > _MOST_TOLD or 0 in gone and not _keeps_topic(passage, sentence):
            return None
        left = swap_sentences(passage, gone) if len(passage.sentences) > len(gone) else None
        kept = left is not None and len(left.split()) >= max(_FEWEST_LEFT, len(passage.text.split()) // 3)
        return swap_sentences(passage, gone, sentence) if kept else None

    return in_bearing_passages(analysis, edit, reasoning)


def _bare_question(analysis: Analysis, style: Style, rng: random.Random) -> str | None:
    """Return '<subject> and <another name> both come up, but where', None where there are no two such things."""
    subject, names = subject_of(analysis), names_around(analysis, rng, 1)
    asks = asking_words(analysis)
    if subject is None or not names or analysis.answer_type is AnswerType.YES_NO or len(asks.split()) > _MOST_ASKING:
        return None
    one, two = subject.phrase, names[0]
    if fold(two) in fold(one) or fold(one) in fold(two):
        return None
    one, two = (one, two) if rng.random() < _HALF else (two, one)
    return pick(
        style,
        rng,
        (
            f"{one} and {two} both come up, but {asks}",
            f"there is something on {one} and something on {two}, but {asks}",
            f"first there is {one}, then {two}, but {asks}",
        ),
        (
            f"the account speaks of {one} and also of {two}, but {asks}",
            f"it is told of {one}, and it is told of {two} as well, but {asks}",
            f"one thing is reported of {one} and another of {two}, but {asks}",
        ),
    )


_HALF = 0.5
_MOST_ASKING = 3
_MOST_ANSWERS = 3
_FEWEST_LEFT = 12
_MOST_TOLD = 2
_LONGEST = 20


def _keeps_topic(passage: PassageAnalysis, sentence: str) -> bool:
    """Say whether a sentence that is to open a passage names what the passage is about."""
    own = passage_subject(passage)
    said = fold(sentence)
    return own is not None and fold(own).removeprefix("the ").strip('"“”') in said


def _stated(fact: AskedFact, answer: str, other: str) -> str | None:
    """Return 'either A or B played X', None where the statement would be long or can't take two values."""
    if " and " in answer or fact.kind is FactKind.POLAR or len(fact.state(answer).split()) > _LONGEST:
        return None
    one, two = fact.fill(answer), fact.fill(same_shape(answer, other))
    said = fact.state(answer)
    if said.count(one) != 1:
        return None
    if two[:1].isupper() and any(n.in_words and n.span.start == 0 for n in find_numbers(two)):
        two = two[0].lower() + two[1:]
    return said.replace(one, f"either {before_shared(one, two, '')} or {two}")
