"""MEDIUM in context: two candidates of one kind are named together, and the fact is told of 'it', 'there' or 'then'."""

import random
import re

from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.date_words import date_noun
from demur.programs.rules.edits.grammar import as_sentence, is_plural, plural
from demur.programs.rules.edits.pronouns import Pronouns
from demur.programs.rules.edits.rival_people import is_long_ago
from demur.programs.rules.edits.rival_values import OFFICES, is_personal, spoken_answer
from demur.programs.rules.edits.spoken_fact import spoken_fact
from demur.programs.rules.edits.text import insert_sentence
from demur.programs.rules.recipes.ambiguity.candidates import alternatives, other_value, same_shape
from demur.programs.rules.recipes.ambiguity.material import (
    BOTH,
    BOUND,
    accepts_several,
    dates_between,
    dates_in_sequence,
    in_bearing_passages,
)
from demur.programs.rules.recipes.ambiguity.pair_words import FIGURES, Pair
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import AskedFact, FactKind, Role
from demur.programs.text.lexicon import FUNCTION_WORDS, PREPOSITIONS, SCALE_WORDS, can_be, verb_tags
from demur.programs.text.tokens import fold, sentences

_MOST_ANSWERS = 3
_MOST_TOLD = 4
_FEWEST_LEFT = 10
_LONGEST = 24
_MOST_WORDS = 5
_OWNED = frozenset({"his", "her", "its", "their", "my", "our"})


def pair_of(analysis: Analysis, rng: random.Random) -> Pair | Declined:
    """Return the two candidates with the statement that fits both; why there are none, otherwise."""
    fact, answer = spoken_fact(analysis), spoken_answer(analysis)
    kind = analysis.answer_type
    listed = len(analysis.base.answers) > _MOST_ANSWERS or BOUND.match(answer) or " and " in answer or "/" in answer
    if listed or fact is not None and fact.choices is not None:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is a list, a bound or one of two that are asked about")
    if accepts_several(analysis) or is_personal(analysis) and is_long_ago(analysis):
        return Declined(DeclineReason.ANSWER_TYPE, "several are accepted, or no invented name would fit the time")
    if dates_in_sequence(analysis):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "other dates in the sentence would tell which of two it is")
    if kind in (AnswerType.YES_NO, AnswerType.LIST) or not _is_nominal(answer):
        return Declined(DeclineReason.ANSWER_TYPE, kind)
    other = other_value(analysis, rng)
    if other is None or " and " in other:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of the answer's kind can be made")
    if dates_between(analysis, other):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "other dates of the passage would tell which of two it is")
    values = [_named(_bare(answer)), _named(_bare(same_shape(_bare(answer), other)))]
    rng.shuffle(values)
    told = _of_either(fact, kind, answer) if fact is not None else None
    told = told if told is None or len(told.split()) <= _LONGEST else None
    kind = AnswerType.PERSON if is_personal(analysis) else kind
    return Pair(values[0], values[1], other, kind, told, _either(kind, answer))


def _either(kind: AnswerType, answer: str) -> str:
    if kind is AnswerType.DATE:
        return f"one of the two {'seasons' if 'season' in answer else plural(date_noun(answer))}"
    return "one of the two figures" if kind in FIGURES else "one of the two"


def _is_nominal(answer: str) -> bool:
    """Say whether an answer can stand as the subject of a sentence: a name, a date, a figure or a few nouns."""
    words = re.findall(r"(?<!\d)(?<!\d[a-z])[^\W\d_][\w'’-]*", re.sub(r"^(?:in|on|at|by|from|to) ", "", answer))
    if (
        words
        and words[0].lower() in _OWNED
        or len(words) > _MOST_WORDS
        or not all(w[0].islower() or w[0].isupper() for w in words)
    ):
        return False
    common = [w for w in words if w[0].islower() and w not in FUNCTION_WORDS]
    if common and (len(words) == 1 and can_be(words[0], "ADJ") or any(w in PREPOSITIONS for w in words)):
        return False
    return all(can_be(w, "NOUN") or can_be(w, "ADJ") or w in SCALE_WORDS for w in common) and answer[:1] != "("


def _named(value: str) -> str:
    """Return an office with its article."""
    return f"the {value}" if value.lower() in OFFICES else value


def _bare(value: str) -> str:
    """Return a value without a preposition of its own and without a stop."""
    return re.sub(r"^(?:in|on|at|by|from|to) ", "", value).rstrip(".")


def _of_either(fact: AskedFact, kind: AnswerType, answer: str) -> str | None:
    """Return the statement with 'it', 'there', 'then' or 'one of them' for its value."""
    be = "was" if fact.past else "is"
    if kind in FIGURES:
        return f"one of them {be} {fact.noun}" if fact.noun else None
    if fact.kind is FactKind.ADJUNCT and fact.role is not Role.BARE:
        if fact.role is Role.WHERE and not (fact.asked or "").startswith(("where", "in ", "at ")):
            return None
        return f"it {be} {'then' if fact.role is Role.WHEN else 'there'} that {fact.before} {fact.after}".strip()
    if kind is AnswerType.DATE or fact.role is not Role.BARE:
        return None
    if fact.kind is FactKind.SUBJECT and not fact.before and not is_plural(answer.split()[-1].lower()):
        return f"one of them {fact.after}"
    if fact.kind is FactKind.EQUATION and re.search(r" (?:is|was)$", fact.before) and not fact.after:
        return f"one of them {be} {re.sub(r' (?:is|was)$', '', fact.before)}"
    last = fact.before.split()[-1] if fact.before else ""
    taken = last in PREPOSITIONS or bool(verb_tags(last))
    return fact.state("one of them") if fact.kind is FactKind.OBJECT and taken else None


def told_of_either(analysis: Analysis, pair: Pair, said: str, reasoning: str) -> Draft | Declined:
    """Put `said` and the fact where the sentences stood that answer; else let 'one of the two' stand for the answer."""
    made = told_instead(analysis, said, pair.fact, reasoning) if pair.fact is not None else None
    if isinstance(made, Draft):
        return made
    if pair.kind in FIGURES:  # 'it needs one of the two figures for one orbit'
        return made or Declined(DeclineReason.NO_SUITABLE_SPAN, "a figure can't be replaced where it stands")
    changed = alternatives(analysis, pair.either, "", (pair.other,), shared=True)
    if changed is None:
        return made or Declined(DeclineReason.STRATEGY)
    old = {p.index: p.text for p in analysis.passages}
    texts = {index: _before_change(old[index], text, said) for index, text in changed.items()}
    return Draft(analysis.question.text, texts, reasoning, BOTH)


def _before_change(old: str, new: str, said: str) -> str:
    """Return the new text with a sentence before the first one that is not as it was."""
    kept = 0
    for before, after in zip(sentences(old), sentences(new), strict=False):
        if before.text != after.text:
            break
        kept += 1
    return insert_sentence(new, said, after=kept - 1)


def told_instead(analysis: Analysis, said: str, fact: str, reasoning: str, absent: str = "") -> Draft | Declined:
    """Put `said` and the fact where the sentences stood that answer; `absent` is a name that may stand nowhere else."""
    told = f"{said} {as_sentence(fact)}"

    def edit(passage: PassageAnalysis) -> str | None:
        gone = leaning(passage, answer_indices(passage))
        if len(answer_indices(passage)) > _MOST_TOLD or len(passage.sentences) <= len(gone):
            return None
        left = swap_sentences(passage, gone)
        if left is None or len(left.split()) < max(_FEWEST_LEFT, len(passage.text.split()) // 6):
            return None
        if absent and re.search(rf"\b{re.escape(fold(absent))}\b", fold(left)):
            return None
        return swap_sentences(passage, gone, told)

    return in_bearing_passages(analysis, edit, reasoning)


def person_told(fact: AskedFact | None, forms: Pronouns) -> str | None:
    """Return the asked fact with a pronoun for the person, None where it can't be told so in few words."""
    if fact is None or fact.choices is not None:
        return None
    be, told = "was" if fact.past else "is", None
    if fact.kind is FactKind.SUBJECT and not fact.before:
        told = f"{forms.subject} {fact.after}"
    elif fact.kind is FactKind.EQUATION and re.search(r"^(?!.*\bnames?\b).* (?:is|was)$", fact.before):
        told = f"{forms.subject} {be} {re.sub(r' (?:is|was)$', '', fact.before)} {fact.after}".strip()
    elif fact.kind is FactKind.OBJECT and re.search(r" (?:by|with|to|for|of|from)$", fact.before):
        told = f"{fact.before} {forms.object} {fact.after}".strip()
    return told if told is not None and len(told.split()) <= _LONGEST else None
