"""HIGH in the question: a sentence that can be taken apart in too many ways, or in none."""

import random
import re

from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.pronouns import gender_of
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.ambiguity.material import is_distinct_name, names_around, subject_of
from demur.programs.rules.recipes.ambiguity.pointing import asking_words
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import find_subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import AskedFact, FactKind, asked_fact
from demur.programs.text.names import NameKind
from demur.programs.text.questions import WhWord

MAZE = "The passages are untouched; no analysis of the question is better than another, so that nothing answers it."
_LONGEST_ASKED = 18
_NESTED = 3
_SCREEN = ("the actor", "the director", "the studio")
_ROLES = {
    SubjectKind.FILM: _SCREEN,
    SubjectKind.SHOW: _SCREEN,
    SubjectKind.STAGE: ("the actor", "the director", "the theatre"),
    SubjectKind.CHARACTER: _SCREEN,
    SubjectKind.SONG: ("the singer", "the producer", "the label"),
    SubjectKind.ALBUM: ("the singer", "the producer", "the label"),
    SubjectKind.BAND: ("the drummer", "the singer", "the manager"),
    SubjectKind.BOOK: ("the author", "the editor", "the publisher"),
    SubjectKind.GAME: ("the player", "the designer", "the publisher"),
    SubjectKind.TEAM: ("the player", "the coach", "the owner"),
    SubjectKind.CONTEST: ("the player", "the coach", "the referee"),
    SubjectKind.PLACE: ("the mayor", "the builder", "the council"),
    SubjectKind.COUNTRY: ("the envoy", "the minister", "the parliament"),
    SubjectKind.BUILDING: ("the mayor", "the architect", "the council"),
    SubjectKind.LAW: ("the judge", "the lawyer", "the minister"),
    SubjectKind.INSTITUTION: ("the clerk", "the director", "the board"),
    SubjectKind.COMPANY: ("the clerk", "the manager", "the board"),
    SubjectKind.BODY: ("the nurse", "the doctor", "the patient"),
    SubjectKind.ORGANISM: ("the gardener", "the botanist", "the neighbour"),
}


def _people(analysis: Analysis, rng: random.Random) -> list[str]:
    """Return people whom the passages name in full, in seeded order."""
    names = names_around(analysis, rng, 12, NameKind.PERSON)
    return [n for n in names if " " in n and gender_of(n) is not None]


def _roles(analysis: Analysis, rng: random.Random) -> tuple[str, str, str]:
    """Return three people by role who could have to do with the subject."""
    subject = find_subject(analysis)
    roles = _ROLES.get(subject.kind) if subject is not None else None
    return roles or rng.choice(
        (("the writer", "the editor", "the reader"), ("the guide", "the warden", "the visitor"),
         ("the student", "the teacher", "the librarian"))
    )  # fmt: skip


def _pair(analysis: Analysis, rng: random.Random) -> tuple[str, str]:
    """Return two people: of the passages where they name two, else by role."""
    names = _people(analysis, rng)
    one, two, _ = _roles(analysis, rng)
    return (names[0], names[1]) if len(names) > 1 else (one, two)


def _about(analysis: Analysis) -> str:
    subject = subject_of(analysis)
    return subject.phrase if subject is not None else "this"


def _short(analysis: Analysis) -> str:
    """Return the question word for an adjunct ('when', 'where'), 'who', or 'what' for everything else."""
    asks = asking_words(analysis)
    return asks if asks in {"when", "where", "why", "how", "who"} else "what"


def _tangle(analysis: Analysis, body: str, reasoning: str) -> Draft:
    return Draft(in_register(analysis.question, body), {}, reasoning, MAZE)


@recipe("ambiguity.reduced_relative_clause_clash")
def reduced_relative_clause_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Ask in clauses that are each relative or main."""
    one, other = _pair(analysis, rng)
    about, wh = _about(analysis), _short(analysis)
    if wh in {"who", "what"}:
        forms = (
            f"which of those told about {about} asked {one} sent for {other} left",
            f"which of those shown {about} told {one} asked about {other} stayed",
            f"who among those asked about {about} told {one} sent to {other} left",
        )
    else:
        forms = (
            f"{wh} did those told about {about} {one} asked sent for {other} leave",
            f"{wh} was {one} told about {about} asked by those sent for {other} left",
            f"{wh} did {one} shown {about} {other} asked about told by those sent stay",
        )
    return _tangle(analysis, rng.choice(forms), "Each clause can be a relative or the main one.")


@recipe("ambiguity.nested_garden_path_sentence")
def nested_garden_path_sentence(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Put one garden path into another."""
    one, other = _pair(analysis, rng)
    about, wh = _about(analysis), _short(analysis)
    asked = {"who": "who was it that left", "what": "what was it that happened"}.get(wh, f"{wh} was it")
    first = rng.choice(
        phrase(
            style,
            "while {a} dressed|after {a} visited|when {a} phoned|once {a} stopped",
            "at the time that {a} visited|just as {a} followed|while {a} was calling|the moment {a} met",
        ).split("|")
    )
    then = rng.choice(("waited", "had gone", "answered", "came back", "laughed"))
    told = rng.choice((f"told about {about}", f"shown {about}", f"asked about {about}"))
    body = f"{asked} {first.format(a=one)} {other} {told} {then}"
    return _tangle(analysis, body, "Every attempt at an analysis breaks down.")


@recipe("ambiguity.center_embedding_maze")
def center_embedding_maze(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Pile up four subjects before their verbs: what is asked about and three people of the passages."""
    people = _people(analysis, rng)
    if len(people) < _NESTED:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the passages name fewer than three people")
    one, two, three = people[:_NESTED]
    about, wh = _about(analysis), _short(analysis)
    inner = rng.choice(("hired", "trusted", "called in", "met"))
    middle = rng.choice(("praised", "mentioned", "replaced", "thanked"))
    outer = rng.choice(("gave", "wrote", "read", "kept"))
    noun = rng.choice(("account of", "story of", "report on", "description of"))
    end = "concern" if wh in {"who", "what"} else rng.choice(("appear", "change", "end"))
    body = f"{wh} did the {noun} {about} {one} {two} {three} {inner} {middle} {outer} {end}"
    return _tangle(analysis, body, "Four subjects stand before their verbs and can hardly be paired with them.")


@recipe("ambiguity.attachment_cascade")
def attachment_cascade(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Hang a chain of phrases on the question as it stands, each of which can belong to any phrase before it."""
    asked = analysis.question.bare
    if len(asked.split()) > _LONGEST_ASKED or analysis.question.wh in (WhWord.YES_NO, WhWord.NONE) or ". " in asked:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "nothing can be hung on such a question")
    people = _people(analysis, rng)
    names = (
        people
        if len(people) > 1
        else [n for n in names_around(analysis, rng, 12) if is_distinct_name(n) and "." not in n]
    )
    if len(names) < 2:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the passages name no two things to hang phrases on")
    one, other = names[:2]
    noun, piece = rng.choice(("letter", "parcel", "report")), rng.choice(("book", "note", "picture"))
    forms = phrase(
        style,
        "with the {noun} from the friend of {one} by the {piece} of the sister of {other} in the hall|"
        "from the friend of {one} with the {piece} by the brother of {other} beside the {noun} on the table",
        "in the {noun} from the friend of {one} with the {piece} by the brother of {other} at the house by the window|"
        "for the sister of {one} with the {noun} from the neighbour of {other} beside the {piece} on the table",
    )
    if len(people) < 2:
        forms = phrase(
            style,
            "in the {noun} on {one} with the {piece} from the writer on {other} by the door|"
            "with the {noun} about {one} in the {piece} on {other} by the window of the house",
            "from the {noun} about {one} with the {piece} on {other} in the box by the window|"
            "in the {piece} on {one} beside the {noun} from the writer on {other} at the house by the river",
        )
    chain = rng.choice(forms.split("|")).format(noun=noun, piece=piece, one=one, other=other)
    return _tangle(analysis, f"{asked} {chain}", "Each phrase of the chain can belong to any phrase before it.")


@recipe("ambiguity.multi_pronoun_braid")
def multi_pronoun_braid(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask with a chain of pronouns over two people of the passages."""
    by_gender: dict[tuple[str, str], list[str]] = {}
    for name in _people(analysis, rng):
        forms = gender_of(name)
        if forms is not None:
            by_gender.setdefault((forms.subject, forms.object), []).append(name)
    (he, him), names = max(by_gender.items(), key=lambda g: len(g[1]), default=(("", ""), []))
    if len(names) < 2:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the passages name no two people of one gender")
    one, other = names[:2]
    fact = asked_fact(analysis)
    asked = fact.asked if fact is not None and fact.asked else "it"
    asked = asked if 1 < len(asked.split()) < 16 else f"about {_about(analysis)}"
    was = "were" if he == "they" else "was"
    body = rng.choice(
        phrase(
            style,
            f"when {one} told {other} that {he} had asked {him} {asked} before {he} did, who did {he} mean|"
            f"if {one} asked {other} whether {he} had told {him} {asked}, who did {he} think knew",
            f"when {one} reminded {other} that {he} had asked {him} {asked} before {he} told {him} that {he} knew, "
            f"who {was} {he} speaking of|"
            f"after {one} had let {other} know that {he} could tell {him} {asked} if {he} asked {him}, who told {him}",
        ).split("|")
    )
    return _tangle(analysis, body, "The pronouns can be assigned to the two people in many ways.")


@recipe("ambiguity.stacked_quantifier_and_negation_tangle")
def stacked_quantifier_and_negation_tangle(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Pile negations and quantifiers onto the question."""
    fact = asked_fact(analysis)
    wh = _short(analysis)
    clause = _open_clause(fact) if fact is not None else None
    if clause is None:
        body = f"{wh} do not all accounts of {_about(analysis)} never fail not to mention unless none of them does not"
        return _tangle(analysis, body, "Negations and quantifiers can be ordered in too many ways.")
    body = rng.choice(
        phrase(
            style,
            f"{wh} does not every source fail not to deny {clause}|{wh} did none of them never not say {clause}",
            f"{wh} does not every account never fail not to deny {clause} unless none of them does|"
            f"{wh} does no account that not all of them reject not always fail to deny {clause}",
        ).split("|")
    )
    return _tangle(analysis, body, "Negations and quantifiers can be ordered in too many ways.")


def _open_clause(fact: AskedFact) -> str | None:
    """Return the asked fact as what is denied: 'plays Poppy' for a subject, 'that X was opened' for an adjunct."""
    if fact.kind is FactKind.SUBJECT and not fact.before:
        return fact.after or None
    if fact.kind in (FactKind.ADJUNCT, FactKind.OBJECT):
        return f"that {' '.join((fact.before, fact.after)).strip()}"
    if fact.kind is FactKind.EQUATION and fact.before:
        return f"is {re.sub(r' (?:is|are|was|were)$', '', fact.before)}"
    return None
