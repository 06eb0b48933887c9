"""MEDIUM: what is asked hangs on a bare 'which' or 'when' that two things answer to."""

import random
import re

from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.grammar import as_sentence, indefinite, is_plural
from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.edits.spoken_fact import spoken_fact
from demur.programs.rules.edits.style import Style, pick
from demur.programs.rules.recipes.ambiguity.candidates import alternatives, before_shared, other_value, same_shape
from demur.programs.rules.recipes.ambiguity.material import (
    BOTH,
    BOUND,
    dates_between,
    dates_in_sequence,
    in_bearing_passages,
    is_distinct_name,
    keeps_topic,
    names_around,
    subject_of,
)
from demur.programs.rules.recipes.ambiguity.pointing import OPEN, asking_words
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import find_subject
from demur.programs.rules.subjects.kinds import WORKS, SubjectKind
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import AskedFact, FactKind
from demur.programs.text.lexicon import can_be
from demur.programs.text.names import NameKind
from demur.programs.text.quantities import find_numbers
from demur.programs.text.tokens import fold

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


@recipe("ambiguity.sluiced_wh_ambiguity", last=True)
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
    if analysis.answer.islower() and analysis.answer.isalpha() and can_be(analysis.answer, "ADJ"):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is a quality and no thing")
    if "/" in analysis.answer or is_personal(analysis) and " " not in analysis.answer:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value would be like it")
    if BOUND.match(analysis.answer):
        return Declined(DeclineReason.ANSWER_TYPE, "two bounds can both hold")
    if dates_in_sequence(analysis):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "other dates in the sentence would tell which of two it is")
    if dates_between(analysis, other):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "other dates of the passage would tell which of two it is")
    if fact is not None and len(analysis.passages) == 1 and _is_uncased(analysis, fact):
        fact = None
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
        if len(answer_indices(passage)) > _MOST_TOLD or 0 in gone and not keeps_topic(passage, sentence):
            return None
        left = swap_sentences(passage, gone) if len(passage.sentences) > len(gone) else None
        kept = left is not None and len(left.split()) >= max(_FEWEST_LEFT, len(passage.text.split()) // 3)
        return swap_sentences(passage, gone, sentence) if kept else None

    return in_bearing_passages(analysis, edit, reasoning)


def _bare_question(analysis: Analysis, style: Style, rng: random.Random) -> str | None:
    """Return 'somebody had to do with X and somebody with Y, but who', None where there are no two such things."""
    subject = subject_of(analysis)
    kind = subject.kind if subject is not None else None
    pool = names_around(analysis, rng, _MOST_NAMES, *_ALIKE.get(kind, _BEARERS))
    if not pool and kind not in WORKS:
        pool = names_around(analysis, rng, _MOST_NAMES, *_BEARERS)
    names = [name for name in pool if is_distinct_name(name) and not re.search(r"\.[A-Z.]|^[A-Z]{2,5}$", name)]
    asks = asking_words(analysis)
    if subject is None or not names or analysis.answer_type is AnswerType.YES_NO:
        return None
    if not subject.is_named and (len(subject.phrase.split()) == 1 or len(analysis.passages) > 1):
        return None
    if asks == "what" and is_personal(analysis):
        return None
    one, two = subject.phrase, names[0]
    if fold(two) in fold(one) or fold(one) in fold(two):
        return None
    forms = _CORRELATES.get(asks.split()[0])
    if forms is None or asks.split()[0] == "which" and len(asks.split()) == 1:
        return None
    noun = " ".join(asks.split()[2 if asks.startswith("how many") else 1 :])
    if asks.startswith("how") and asks not in {"how", "how many of them"} and not asks.startswith("how many"):
        return None
    if re.match(rf"(?:{_COUNTS})\b", noun) or noun and is_plural(noun) and asks.startswith("which"):
        return None
    one, two = (one, two) if rng.random() < _HALF else (two, one)
    said = pick(style, rng, *forms).replace("{a} {n}", indefinite(noun) if noun else "").replace("{n}", noun)
    return f"{said.replace('{one}', one).replace('{two}', two)}, but {asks}"


_BEARERS = (NameKind.PERSON, NameKind.PLACE, NameKind.ORGANISATION, NameKind.TITLE)
_ALIKE: dict[SubjectKind | None, tuple[NameKind, ...]] = {
    None: _BEARERS,
    SubjectKind.PERSON: (NameKind.PERSON,),
    SubjectKind.PEOPLE: (NameKind.PERSON, NameKind.ORGANISATION),
    SubjectKind.CHARACTER: (NameKind.PERSON,),
    SubjectKind.PLACE: (NameKind.PLACE,),
    SubjectKind.COUNTRY: (NameKind.PLACE,),
    SubjectKind.LANDFORM: (NameKind.PLACE,),
    SubjectKind.BUILDING: (NameKind.PLACE, NameKind.ORGANISATION),
    SubjectKind.TEAM: (NameKind.ORGANISATION, NameKind.PLACE),
    SubjectKind.COMPANY: (NameKind.ORGANISATION,),
    SubjectKind.INSTITUTION: (NameKind.ORGANISATION, NameKind.PLACE),
    **dict.fromkeys(WORKS, (NameKind.TITLE, NameKind.PERSON)),
}
"""Names of what kinds a subject of a kind can be put beside: no channel beside its series, no act beside its town."""
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten"
_MOST_NAMES = 12
_CORRELATES = {
    "who": (
        (
            "somebody had to do with {one} and somebody else with {two}",
            "{one} had somebody behind it, and so did {two}",
        ),
        (
            "there was somebody who had to do with {one}, and somebody who had to do with {two}",
            "one reads of somebody in connection with {one} and of somebody else in connection with {two}",
        ),
    ),
    "when": (
        ("something happened with {one}, and something with {two}",),
        ("something came to pass in connection with {one}, and something else in connection with {two}",),
    ),
    "where": (
        ("something to do with {one} is somewhere, and so is something to do with {two}",),
        ("one thing to do with {one} took place somewhere, and so did another to do with {two}",),
    ),
    "why": (
        ("something was done about {one}, and something about {two}",),
        ("there was a reason for what is told of {one}, and one for what is told of {two}",),
    ),
    "how": (
        ("something was done about {one}, and something about {two}",),
        ("something came about with {one}, and something else came about with {two}",),
    ),
    "what": (
        ("something is told of {one} and something else of {two}",),
        ("one thing is reported of {one} and quite another of {two}",),
    ),
    "which": (
        ("{a} {n} goes with {one} and another with {two}",),
        ("{a} {n} is mentioned in connection with {one}, and another in connection with {two}",),
    ),
}
"""What two things have in common, put indefinitely, by the question word that is left hanging on it."""


_HALF = 0.5
_MOST_ANSWERS = 3
_FEWEST_LEFT = 12
_MOST_TOLD = 2
_LONGEST = 20


def _is_uncased(analysis: Analysis, fact: AskedFact) -> bool:
    """Say whether a lower-case question names a work that no passage writes, so that its capitals are unknown."""
    subject = find_subject(analysis)
    if subject is None or not analysis.question.lower_case or subject.kind not in WORKS:
        return False
    return subject.short.islower() and subject.short in f"{fact.before} {fact.after}"


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
