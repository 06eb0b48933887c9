"""Stating the asked fact of two bearers of one name, side by side."""

import re
from dataclasses import replace

from demur.programs.rules.edits.casing import recase
from demur.programs.rules.edits.grammar import as_sentence, sentence_case
from demur.programs.rules.edits.remarks import add_remark
from demur.programs.rules.edits.spoken_fact import WITHIN, as_title
from demur.programs.rules.recipes.ambiguity.material import Rivalry, in_bearing_passages, named_subject, subject_of
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import WORKS, SubjectKind
from demur.programs.rules.subjects.kinds_told import noun_kind
from demur.programs.rules.subjects.phrases import kind_nouns
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.asked_fact import FactKind
from demur.programs.text.lexicon import FUNCTION_WORDS, is_known
from demur.programs.text.tokens import fold

_ANY_VERSION = frozenset({SubjectKind.SHOW, SubjectKind.TEAM, SubjectKind.CONTEST})


def says_its_kind(analysis: Analysis, subject: Subject) -> bool:
    """Say whether question words beside the name tell its kind ('the movie X'), so that another sense is ruled out."""
    if subject.kind in _ANY_VERSION:
        return False
    own = set(fold(_bare(subject.name)).split())
    words = [t.norm for t in analysis.question.tokens if t.is_word and t.norm not in own]
    named = {noun_kind(w) for w in words} - {None}
    acts = {"act", "bill", "law", "book", "film", "song"} & own
    return subject.kind in named or bool(acts) or subject.noun in words


_DESCRIBED = re.compile(
    r"^(?:the )?(?:new|newest|latest|last|first|second|third|old|next|final)\b|\b(?:movie|film|song|show|lyrics)$",
    re.IGNORECASE,
)
"""What is a description of a work and not its title: 'the new scooby doo movie'."""
_CLEFT = (FactKind.SUBJECT, FactKind.OBJECT, FactKind.ADJUNCT)
_LONGEST = 26
_REPEATED = 12
"""A statement of more words is not said twice: 'in the case of the other, it was X'."""


def bearer_of(analysis: Analysis) -> Subject | None:
    """Return the question's subject with a proper name that can be borne twice, None otherwise.

    In a single document the name may stand in the question alone ('rio bravo'); it gets the capitals of a name.
    """
    named = named_subject(analysis)
    if named is not None:
        said = _bare(named.name)
        alone = " " not in said and named.kind is not SubjectKind.PERSON and is_known(fold(said))
        vague = named.kind is SubjectKind.THING and named.noun is None and (" " not in said or " of " in said)
        return None if alone or vague else named
    if len(analysis.passages) > 1:
        return None
    subject = subject_of(analysis)
    if subject is None:
        return None
    if _DESCRIBED.search(subject.short):
        return None
    if subject.kind in WORKS and analysis.question.lower_case and subject.short.islower():
        return replace(subject, name=as_title(subject.short))
    said = _bare(recase(subject.short, analysis))
    content = [w for w in said.split() if fold(w) not in FUNCTION_WORDS]
    return replace(subject, name=said) if len(content) > 1 and all(w[:1].isupper() for w in content) else None


def doubled(
    analysis: Analysis,
    subject: Subject,
    opening: str,
    labels: tuple[str, str],
    made: Rivalry,
    reasoning: str,
    *,
    alike: bool = False,
) -> Draft | Declined:
    """State both values side by side behind a sentence on the two bearers, in every bearing passage that names them.

    Where the two bearers are `alike` in kind, the accepted value comes first or second.
    """
    fact = made.fact
    given, rival = fact.state(made.answer), fact.state(made.value)
    if _bare(subject.name).lower() not in given.lower():
        return Declined(DeclineReason.NO_TOPIC, "the fact can't be stated of what is asked about")
    if len(given.split()) > _LONGEST or given.startswith(("they ", "you ", "we ")):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the statement can't be made of two in turn")
    if WITHIN.search(given[: given.lower().index(_bare(subject.name).lower())]):
        return Declined(DeclineReason.NO_TOPIC, "the name is a part of what the question quotes")
    values = [made.answer, made.value]
    if alike and _falls(made.value):
        given, rival, values = rival, given, values[::-1]
    if len(given.split()) > _REPEATED and fact.asked is not None and fact.kind in _CLEFT:
        be = "was" if fact.past else "is"
        given, rival = fact.stress(values[0]), f"it {be} {fact.fill(values[1])}"
    first, second = labels

    def told(label: str, clause: str) -> str:
        return f"{label} {clause}" if label.endswith(" that") else f"{label}, {clause}"

    remark = f"{opening} {sentence_case(told(first, given))}; {as_sentence(f'x {told(second, rival)}')[2:]}"
    name = _bare(subject.name)

    def edit(passage: PassageAnalysis) -> str | None:
        return add_remark(passage, remark) if name in passage.text or len(analysis.passages) == 1 else None

    return in_bearing_passages(analysis, edit, reasoning)


def _falls(value: str) -> bool:
    """Return a coin's fall that depends on a drawn value only, so that the accepted answer stands first or second."""
    return sum(map(ord, value)) % 2 == 1


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", name, flags=re.IGNORECASE)


def kinds_of(subject: Subject) -> str:
    """Return the plural noun for what the subject is one of, 'different things' where there is none."""
    kinds = kind_nouns(subject)
    return "different things" if kinds == "cases" else kinds
