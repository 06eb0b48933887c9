"""Which side of its subject a question asks about (who is cast, when it came out, how many), and who did it."""

import re
from dataclasses import dataclass
from enum import StrEnum

from demur.programs.rules.edits.grammar import is_plural, verb_form
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import WORKS, SubjectKind
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.lexicon import PREPOSITIONS, can_be, verb_lemma, verb_tags
from demur.programs.text.questions import WhWord
from demur.programs.text.tokens import tokenise


class Aspect(StrEnum):
    """The side of the subject that is asked about."""

    CASTING = "casting"
    SINGING = "singing"
    WRITING = "writing"
    DIRECTING = "directing"
    WINNING = "winning"
    LEADING = "leading"
    RELEASE = "release"
    FILMING = "filming"
    TIME = "time"
    LOCATION = "location"
    COUNT = "count"
    POPULATION = "population"
    PEOPLE = "people"
    NATURE = "nature"


_BY_VERB = {
    Aspect.CASTING: frozenset("play portray star voice".split()),
    Aspect.SINGING: frozenset("sing record perform".split()),
    Aspect.WRITING: frozenset("write compose".split()),
    Aspect.DIRECTING: frozenset("direct produce film shoot".split()),
    Aspect.WINNING: frozenset({"win"}),
    Aspect.LEADING: frozenset("lead rule run govern head found own chair preside".split()),
}
_MADE_FOR = {
    Aspect.CASTING: frozenset({SubjectKind.FILM, SubjectKind.SHOW, SubjectKind.STAGE, SubjectKind.CHARACTER}),
    Aspect.SINGING: frozenset({SubjectKind.SONG, SubjectKind.ALBUM}),
    Aspect.WRITING: WORKS,
    Aspect.DIRECTING: frozenset({SubjectKind.FILM, SubjectKind.SHOW, SubjectKind.STAGE, SubjectKind.ALBUM}),
    Aspect.WINNING: frozenset({SubjectKind.CONTEST, SubjectKind.TEAM, SubjectKind.GAME}),
    Aspect.LEADING: frozenset(
        {SubjectKind.PLACE, SubjectKind.COUNTRY, SubjectKind.TEAM, SubjectKind.COMPANY, SubjectKind.INSTITUTION}
    ),
}
_TIME_FOCUS = re.compile(r"^(?:year|date|month|day|decade|century|time)\b")
_PLACE_FOCUS = re.compile(
    r"^(?:city|country|state|county|town|place|region|territory|area|continent|province|island)\b"
)


_RELATIVE = frozenset("that which who whom whose where when".split())


def is_chained(analysis: Analysis) -> bool:
    """Say whether the question reaches what it asks for over a relative clause or a second step."""
    words = [t.norm for t in analysis.question.tokens if t.is_word]
    steps = sum(w == "of" for w in words) + analysis.question.text.count("'s ")
    return (
        len(words) > 14
        or bool(_RELATIVE & set(words[2:]))
        or (len(analysis.signal) > 1 and (steps > 1 or len(words) > 9))
    )


def aspect_of(analysis: Analysis, subject: Subject) -> Aspect:
    """Return the side of the subject that the question asks about; NATURE where nothing more can be said."""
    question = analysis.question
    owns = re.search(rf"{re.escape(subject.short)}['’]s\b", question.text) is not None
    if is_chained(analysis) or owns:
        return Aspect.NATURE
    focus = (question.focus or "").lower()
    if "population" in question.text.lower() and analysis.answer_type is AnswerType.NUMBER:
        return Aspect.POPULATION
    if counted(analysis) is not None:
        return Aspect.COUNT
    lemmas = {verb_lemma(t.norm) for t in question.tokens if t.is_word}
    if question.wh is WhWord.WHEN or _TIME_FOCUS.match(focus):
        released = lemmas & {"release", "come", "air", "make", "publish", "premiere"}
        return Aspect.RELEASE if released and subject.kind in WORKS else Aspect.TIME
    if question.wh is WhWord.WHERE or _PLACE_FOCUS.match(focus):
        return Aspect.FILMING if lemmas & {"film", "shoot"} and subject.kind in WORKS else Aspect.LOCATION
    if question.wh in (WhWord.WHO, WhWord.WHOSE):
        for aspect, verbs in _BY_VERB.items():
            if lemmas & verbs and subject.kind in _MADE_FOR[aspect]:
                return aspect
        return Aspect.PEOPLE
    return Aspect.NATURE


def counted(analysis: Analysis) -> str | None:
    """Return the plural noun phrase that a 'how many' question counts ('strong verbs'), None where it can't be told."""
    question = analysis.question
    if question.wh is not WhWord.HOW_MANY or not question.focus:
        return None
    words = [t for t in tokenise(question.focus) if t.is_word]
    kept: list[str] = []
    for word in words:
        if word.norm in PREPOSITIONS or (
            kept and verb_tags(word.norm) & {"VBD", "VB"} and not can_be(word.norm, "ADJ")
        ):
            break
        kept.append(word.text)
        if is_plural(word.norm):
            break
    phrase = " ".join(kept)
    return phrase if kept and is_plural(kept[-1]) and len(kept) <= 3 and kept[-1].lower() != "times" else None


_FEATURE = re.compile(
    r"^(?:what|which|who) (?:is|was|are|were) (?:the|a) (?P<feature>[a-z' -]{3,40}?) (?:of|for|in|on|to) (?P<rest>.*)$"
)
_NO_FEATURE = frozenset(
    "name another other type kind sort term thing things example person most song full country year".split()
)


def feature_of(analysis: Analysis, subject: Subject) -> str | None:
    """Return the feature of the subject that the question asks for ('meaning', 'genre'), None where it names none."""
    question = analysis.question
    if question.wh not in (WhWord.WHAT, WhWord.WHICH, WhWord.WHO) or is_chained(analysis):
        return None
    match = _FEATURE.match(question.bare[:1].lower() + question.bare[1:])
    if match and match["rest"].lower().startswith(subject.phrase.lower()):
        found = match["feature"]
    else:
        follows = question.body.lower().startswith(subject.phrase.lower())
        owned = follows and (
            question.auxiliary in {"is", "was", "are", "were"} or question.bare.lower().endswith(" have")
        )
        found = question.focus or "" if question.wh is not WhWord.WHO and owned else ""
    words = found.lower().split()
    plain = 0 < len(words) <= 2 and not set(words) & _NO_FEATURE and not words[0].endswith("est")
    return found if plain and can_be(words[-1], "NOUN") and not is_plural(words[-1]) and found.islower() else None


def has_counted(analysis: Analysis, subject: Subject) -> bool:
    """Say whether the counted things are the subject's own: 'how many seasons of the rugrats are there'."""
    counts = counted(analysis)
    if counts is None:
        return False
    rest = analysis.question.bare.lower().partition(counts.lower())[2].strip()
    owner = re.escape(subject.phrase.lower())
    return (
        re.match(rf"(?:of|in|on|are there in|are in|are there on) {owner}|(?:does|do|did) {owner} have\b", rest)
        is not None
    )


@dataclass(frozen=True, slots=True)
class Doing:
    """What the one asked for did: 'who played stumpy' gives 'played stumpy' in the forms that recipes need."""

    finite: str
    participle: str
    infinitive: str


def doing_of(analysis: Analysis) -> Doing | None:
    """Return what the person asked for did, None unless the question is a plain 'who did it'."""
    question = analysis.question
    text = question.bare
    if question.wh is not WhWord.WHO or not question.fronted or not text.lower().startswith("who "):
        return None
    rest = text[4:]
    if re.search(r",| or | and (?:who|how|what|when|where)\b", rest) or len(rest.split()) < 2:
        return None
    head, _, tail = rest.partition(" ")
    if head.lower() in {"is", "was", "are", "were"}:
        opens = tail.split()[0].lower()
        ends = tail.split()[-1].lower()
        if opens not in {"the", "a", "an"} or ends in PREPOSITIONS or _inverted(tail):
            return None
        return Doing(rest, f"been {tail}", f"be {tail}")
    if question.auxiliary is not None or not verb_tags(head.lower()) & {"VBD", "VBZ"}:
        return None
    return Doing(rest, f"{verb_form(head, 'VBN')} {tail}", f"{verb_form(head, 'VB')} {tail}")


def _inverted(tail: str) -> bool:
    """Say whether a participle ends the phrase: 'who was the film charly produced by'."""
    last = tail.split()[-1].lower()
    return bool(verb_tags(last) & {"VBN", "VBG"}) and not can_be(last, "NOUN")
