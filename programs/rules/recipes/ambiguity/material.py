"""What ambiguity recipes work with: the subject, names of the passages that are neither asked for nor asked about."""

import random
import re
from dataclasses import dataclass

from demur.programs.rules.edits.rival_values import rival_value, spoken_answer
from demur.programs.rules.edits.spoken_fact import spoken_fact
from demur.programs.rules.edits.strategy import Edit, apply_to_answering_signal, apply_to_signal_passages
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.rules.subjects.find import Subject, find_subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.rules.subjects.phrases import passage_subject
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import AskedFact
from demur.programs.text.dates import DateMention
from demur.programs.text.lexicon import DETERMINERS, PREPOSITIONS, can_be, is_known
from demur.programs.text.names import NamedMention, NameKind
from demur.programs.text.spans import Sentence
from demur.programs.text.tokens import fold

_MOST_ACCEPTED = 4
BOTH = "The accepted answer still stands; it is open whether it is the one asked for."
KEPT = "The sentence that answers is untouched; what was added is settled at once and not asked for."
BOUND = re.compile(r"(?:more|less|fewer) than |(?:at least|at most|over|under|up to) ", re.IGNORECASE)
"""Opens a value that another can hold beside."""
_GOOD_NAME = re.compile(r"[A-Z][\w'’.-]+(?: (?:[A-Z][\w'’.-]+|of|the|de|van|von|and))* ?[A-Z]?[\w'’-]*")


@dataclass(frozen=True, slots=True)
class Rivalry:
    """The asked fact, the answer as it is spoken of, and another value of its kind."""

    fact: AskedFact
    answer: str
    value: str


def rivalry(analysis: Analysis, rng: random.Random) -> Rivalry | Declined:
    """Return the asked fact with a second value, or why there is none."""
    fact = spoken_fact(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if analysis.answer_type is AnswerType.YES_NO or fact.choices is not None:
        return Declined(DeclineReason.ANSWER_TYPE, "a choice between two has no second bearer")
    if BOUND.match(spoken_answer(analysis)) or len(analysis.base.answers) > _MOST_ACCEPTED:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is a bound or a list")
    value = rival_value(analysis, fact, rng)
    if value is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of the answer's kind can be made")
    return Rivalry(fact, spoken_answer(analysis), value)


_PEOPLES = re.compile(r"(?:ans?|ese|ish|ench|utch|erman|reeks?|ermans|atin|rabic|indi)$")


def subject_of(analysis: Analysis) -> Subject | None:
    """Return the question's subject if its phrase can be put into another question, None otherwise."""
    subject = find_subject(analysis)
    if subject is None or analysis.is_answer(subject.name):
        return None
    words = subject.phrase.split()
    broken = words[-1].lower() in DETERMINERS | PREPOSITIONS or words[0].lower() in PREPOSITIONS
    return None if broken else subject


def named_subject(analysis: Analysis) -> Subject | None:
    """Return the question's subject if it has a proper name that a passage writes, None otherwise."""
    subject = subject_of(analysis)
    if subject is None or not _is_proper(subject.name) or subject.plural:
        return None
    known = any(subject.name in p.text for p in analysis.signal)
    small = re.compile(rf"\b{re.escape(subject.name.lower())}\b")
    said = re.sub(r"^(?:The|An?) ", "", subject.name)
    lone = (
        len(said.split()) == 1
        and is_known(fold(said))
        and (subject.kind is SubjectKind.THING or any(small.search(p.text) for p in analysis.passages))
    )
    lone = lone or " " not in subject.name and _PEOPLES.search(subject.name) is not None
    return subject if known and not lone and not analysis.is_answer(subject.name) else None


def _is_proper(name: str) -> bool:
    """Say whether a name is more than common nouns behind a capital article ('The majority of jobs')."""
    bare = re.sub(r"^(?:The|An?) ", "", name)
    return bare[:1].isupper() or bare[:1] in '"“'


def side_names(analysis: Analysis, passage: PassageAnalysis, *kinds: NameKind, inside: bool = True) -> tuple[str, ...]:
    """Return names of a passage that are no answer and no part of the question, most usable first.

    With `inside` false, names of the sentences that answer are left out.
    """
    asked, found = fold(analysis.question.text), dict[str, NamedMention]()
    subject = find_subject(analysis)
    about = fold(subject.name) if subject else ""
    held = [s.span for s in passage.answer_sentences]
    for name in passage.names:
        adjective = can_be(name.norm, "ADJ") and (name.kind is not NameKind.PERSON or " " not in name.norm)
        plain = (
            not adjective
            and _GOOD_NAME.fullmatch(name.text)
            and 2 < len(name.text) < 40
            and len(name.norm.split()) <= 4
        )
        known = len(name.norm.split()) == 1 and is_known(name.norm)
        taken = analysis.is_answer(name.text) or fold(name.text) in asked or fold(name.text) in about
        inner = any(s.covers(name.span) for s in held)
        part = any(w in asked for w in name.norm.split() if len(w) > 3)
        if (
            plain
            and not known
            and not taken
            and not part
            and (inside or not inner)
            and (not kinds or name.kind in kinds)
        ):
            found.setdefault(name.text, name)
    full = [n for n in found if not any(n != m and n in m for m in found)]
    return tuple(sorted(full, key=lambda n: (found[n].kind is not NameKind.PERSON, -len(n.split()), n)))


def is_distinct_name(name: str) -> bool:
    """Say whether a name is more than common nouns with capitals ('Doctor of Laws') or a people ('European')."""
    words = [w for w in re.findall(r"[^\W\d_][\w'’-]*", name) if w[:1].isupper()]
    return any(not is_known(w.lower()) for w in words) and not (len(words) == 1 and _PEOPLES.search(name))


def names_around(analysis: Analysis, rng: random.Random, wanted: int, *kinds: NameKind) -> list[str]:
    """Return up to `wanted` side names of the signal passages, in seeded order."""
    pool = list(dict.fromkeys(n for p in analysis.signal for n in side_names(analysis, p, *kinds)))
    rng.shuffle(pool)
    return pool[:wanted]


def in_bearing_passages(analysis: Analysis, edit: Edit, reasoning: str, note: str = BOTH) -> Draft | Declined:
    """Edit every signal passage that gives the answer; all signal passages where none gives it."""
    answering = any(p.gives_answer for p in analysis.signal)
    changed = apply_to_answering_signal(analysis, edit) if answering else apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(analysis.question.text, changed, reasoning, note)


def dates_in_sequence(analysis: Analysis) -> bool:
    """Say whether a date that answers stands in one sentence with another date, whose order may settle which holds."""
    if analysis.answer_type is not AnswerType.DATE:
        return False
    held = [(p, s) for p in analysis.signal for s in p.answer_sentences]
    return any(sum(_is_told(p, s, d) for d in p.dates) > 1 for p, s in held)


def accepts_several(analysis: Analysis) -> bool:
    """Say whether the accepted answers are different things by name: two of them share no word."""
    answers = [a for a in analysis.base.answers if a[:1].isupper()]
    words = [set(re.findall(r"\w+", a.lower())) for a in answers]
    return any(" and " in a for a in answers) or any(not one & two for one in words for two in words)


def dates_between(analysis: Analysis, other: str) -> bool:
    """Say whether a passage gives a year between that of the answer and that of `other`, or that of the answer anew."""
    if analysis.answer_type is not AnswerType.DATE:
        return False
    years = [int(y) for value in (analysis.answer, other) for y in re.findall(r"\b(?:1\d|20)\d\d\b", value)]
    given = [d.year for p in analysis.signal if p.gives_answer for d in p.dates if d.year]
    own = {int(y) for y in re.findall(r"\b(?:1\d|20)\d\d\b", analysis.answer)}
    beside = [d.year for p in analysis.signal for d in p.dates if d.year and not _answers(p, d)]
    return bool(years) and (any(min(years) < year < max(years) for year in given) or any(y in own for y in beside))


def _answers(passage: PassageAnalysis, date: DateMention) -> bool:
    return any(m.span.overlaps(date.span) for m in passage.answers)


def _is_told(passage: PassageAnalysis, sentence: Sentence, date: DateMention) -> bool:
    """Say whether a date stands in a sentence and outside brackets, where it tells of more than a life's span."""
    before = passage.text[sentence.span.start : date.span.start]
    return sentence.span.covers(date.span) and before.count("(") <= before.count(")")


def keeps_topic(passage: PassageAnalysis, sentence: str) -> bool:
    """Say whether a sentence that is to open a passage names what the passage is about."""
    own = passage_subject(passage)
    said = fold(sentence)
    return own is not None and fold(own).removeprefix("the ").strip('"“”') in said
