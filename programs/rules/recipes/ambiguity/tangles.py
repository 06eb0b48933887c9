"""HIGH in the question: a sentence that can be taken apart in too many ways, or in none."""

import random
import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.asked_fact import AskedFact, FactKind, asked_fact
from programs.rules.analysis.names import NameKind
from programs.rules.edits.casing import in_register
from programs.rules.edits.pronouns import gender_of
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.ambiguity.material import names_around
from programs.rules.recipes.ambiguity.pointing import asking_words
from programs.rules.recipes.registry import Draft, recipe
from programs.rules.subjects.find import find_subject

MAZE = "The passages are untouched; no analysis of the question is better than another, so that nothing answers it."
_STAND_INS = ("the writer", "the editor", "the printer", "the reader")


def _cast(analysis: Analysis, rng: random.Random, wanted: int) -> list[str]:
    """Return names of the passages, filled up with plain roles."""
    names = names_around(analysis, rng, wanted, NameKind.PERSON)
    names += [n for n in names_around(analysis, rng, wanted) if n not in names]
    return [*names, *_STAND_INS][:wanted]


def _about(analysis: Analysis) -> str:
    subject = find_subject(analysis)
    return subject.phrase if subject is not None and not analysis.is_answer(subject.name) else "this"


def _short(analysis: Analysis) -> str:
    """Return the question word for an adjunct ('when', 'where') or 'what' for everything else."""
    asks = asking_words(analysis)
    return asks if asks in {"when", "where", "why", "how", "who"} else "what"


def _tangle(analysis: Analysis, body: str, reasoning: str) -> Draft:
    return Draft(in_register(analysis.question, body), {}, reasoning, MAZE)


@recipe("ambiguity.reduced_relative_clause_clash")
def reduced_relative_clause_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Ask in clauses that are each relative or main."""
    one, other = _cast(analysis, rng, 2)
    about, wh = _about(analysis), _short(analysis)
    forms = (
        f"{wh} did {one} told about {about} asked {other} left know",
        f"who told {one} sent {about} asked {other} left",
        f"{wh} was it {one} shown {about} asked {other} told",
        f"who shown {about} told {one} asked about {other} left",
    )
    return _tangle(analysis, rng.choice(forms), "Each clause can be a relative or the main one.")


@recipe("ambiguity.nested_garden_path_sentence")
def nested_garden_path_sentence(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Put one garden path into another."""
    one, other = _cast(analysis, rng, 2)
    about, wh = _about(analysis), _short(analysis)
    forms = (
        f"{wh} while {one} dressed {other} told about {about} sent for waited",
        f"{wh} did the man sent {about} {one} raced past {other} told fell laugh at",
        f"{wh} since {one} always reads {about} seems short to {other} told it left",
        f"{wh} did the old man {one} handed {about} told {other} ran past fall",
    )
    return _tangle(analysis, rng.choice(forms), "Every attempt at an analysis breaks down.")


@recipe("ambiguity.center_embedding_maze")
def center_embedding_maze(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Pile up three subjects before their verbs."""
    one, two, three = _cast(analysis, rng, 3)
    about, wh = _about(analysis), _short(analysis)
    verbs = rng.sample(("praised", "mentioned", "consulted", "followed", "met", "believed"), 2)
    last = rng.choice(("say about", "add to", "leave out of", "think of"))
    asked = "what" if wh == "who" else wh
    if asked != "what":
        last = rng.choice(("describe", "mention", "comment on"))
    body = f"{asked} did {one} {two} {three} {verbs[0]} {verbs[1]} {last} {about}"
    return _tangle(analysis, body, "Three subjects stand before their verbs and can't be paired with them.")


@recipe("ambiguity.attachment_cascade")
def attachment_cascade(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Hang a chain of phrases on the question, each of which can belong to any phrase before it."""
    one, two, three = _cast(analysis, rng, 3)
    about, wh = _about(analysis), _short(analysis)
    asked = {"who": "who was it", "what": "what was it"}.get(wh, f"{wh} was it")
    noun = rng.choice(("letter", "picture", "report", "note"))
    body = rng.choice((
        f"{asked} in the {noun} from {one} with the friend of {two} by {three} beside the one on {about} under the lamp",
        f"{asked} with the {noun} on {about} from the house of {one} near {two} by the brother of {three} in the hall",
    ))  # fmt: skip
    return _tangle(analysis, body, "Each phrase of the chain can belong to any phrase before it.")


@recipe("ambiguity.multi_pronoun_braid")
def multi_pronoun_braid(analysis: Analysis, style: Style, rng: random.Random) -> Draft:
    """Ask with a chain of pronouns over two people of the passages."""
    people = names_around(analysis, rng, 8, NameKind.PERSON)
    by_gender: dict[tuple[str, str], list[str]] = {}
    for name in people:
        forms = gender_of(name)
        if forms is not None:
            by_gender.setdefault((forms.subject, forms.object), []).append(name)
    pair = next((n[:2] for n in by_gender.values() if len(n) > 1), None)
    (he, him) = next((g for g, n in by_gender.items() if len(n) > 1), ("they", "them"))
    one, other = pair or (_cast(analysis, rng, 2))
    body = rng.choice(
        phrase(
            style,
            f"when {one} told {other} that {he} had done it before {he} did, who did {he} mean|"
            f"did {one} tell {other} that {he} had asked {him} before {he} asked {him}, and who was {he}",
            f"when {one} reminded {other} that {he} had told {him} that {he} knew it was {he}, who told {him} who {he} was|"
            f"if {one} said to {other} that {he} would do it unless {he} told {him} that {he} had, which of them was {he}",
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
        body = (
            f"{wh} is it that not all of these never fail not to say of {_about(analysis)} unless none of them does not"
        )
        return _tangle(analysis, body, "Negations and quantifiers can be ordered in too many ways.")
    body = rng.choice(
        phrase(
            style,
            f"{wh} does not every source not fail to deny {clause}|{wh} did none of them never not say {clause}",
            f"{wh} is it not the case that not every account never fails to deny {clause} unless none of them does|"
            f"{wh} does no account that is not among all of these not always fail to deny {clause}",
        ).split("|")
    )
    return _tangle(analysis, body, "Negations and quantifiers can be ordered in too many ways.")


def _open_clause(fact: AskedFact) -> str | None:
    """Return the asked fact as what is denied: 'plays Poppy' for a subject, 'that X was opened' for an adjunct."""
    if fact.kind is FactKind.SUBJECT and not fact.before:
        return fact.after or None
    if fact.kind is FactKind.ADJUNCT:
        return f"that {' '.join((fact.before, fact.after)).strip()}"
    if fact.kind is FactKind.EQUATION:
        return f"that it is {re.sub(r' (?:is|are|was|were)$', '', fact.before)}" if fact.before else None
    if fact.kind is FactKind.OBJECT:
        return f"that {' '.join((fact.before, fact.after)).strip()}"
    return None
