"""HIGH: the answer is affirmed and denied in one breath, or together with a rival that excludes it."""

import random
import re

from demur.programs.rules.edits.clauses import mid_sentence
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.recipes.contradiction.conflict import Conflict, read_conflict, written
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, leans_back
from demur.programs.text.asked_fact import FactKind

_REASONING = "What is asked is asserted in a way that excludes itself."
_NOTE = "The answer stands in the passages beside a statement that it can't be reconciled with."


_FEWEST_SIDE, _LONGEST_SIDE = 4, 20
"""Words of the other side of a biconditional."""


def _needs_rival(found: Conflict | Declined) -> Declined | None:
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    if found.fact.kind is FactKind.POLAR:
        return Declined(DeclineReason.ANSWER_TYPE, "a yes and a no are no two values")
    return None


def _be(found: Conflict) -> str:
    return "was" if found.fact.past else "is"


@recipe("contradiction.must_vs_cannot_rule")
def must_vs_cannot_rule(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the same rules demand the asked fact and rule it out."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    must = found.holds(found.answer, past="had to be", present="must be")
    verb = "could not be" if found.fact.past else "cannot be"
    barred = f"it {verb} {found.fact.fill(found.answer)}" if found.is_split else f"this {verb} so"
    opening = pick(
        style,
        rng,
        ("under the rules in force,", "the official rules say that"),
        ("under the binding rules, which allow of no exception,", "the official rules lay down without exception that"),
    )
    return written(analysis, rng, f"{opening} {must}, and under the same rules {barred}", _REASONING, _NOTE)


@recipe("contradiction.exclusive_or_violation")
def exclusive_or_violation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """State that exactly one of two values holds, and confirm both."""
    found = read_conflict(analysis, rng)
    refusal = _needs_rival(found)
    if refusal is not None or isinstance(found, Declined) or found.rival is None:
        return refusal or Declined(DeclineReason.ANSWER_TYPE)
    fill, be = found.fact.fill, _be(found)
    if not found.is_split:
        if found.is_long:
            return Declined(DeclineReason.QUESTION_NOT_PARSED, "the statement would be too long to repeat")
        first = f"either {found.original} or {found.opposite}, but never both"
        second = "the official records confirm the former and, just as firmly, the latter"
        return written(analysis, rng, [first, second], _REASONING, _NOTE)
    either = f"either {fill(found.answer)} or {fill(found.rival)}"
    first = (
        found.holds(found.answer, past="was", present="is").replace(fill(found.answer), either, 1) + ", but never both"
    )
    second = phrase(
        style,
        f"the official records confirm that it {be} {fill(found.answer)} and that it {be} {fill(found.rival)}",
        f"the official records confirm that it {be} {fill(found.answer)}, and they confirm just as firmly that it {be} "
        f"{fill(found.rival)}",
    )
    return written(analysis, rng, [first, second], _REASONING, _NOTE)


@recipe("contradiction.contradictory_universals")
def contradictory_universals(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let all records say one thing, and none of them."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    kept = rng.choice(("records", "registers", "documents"))
    said = [
        phrase(
            style,
            f"all {kept} on this point state that {found.original}, without a single exception",
            f"all {kept} that exist on this point state, without a single exception, that {found.original}",
        ),
        phrase(
            style,
            f"none of these {kept} states this, and every one of them states that {found.opposite_again}",
            f"not one of these same {kept} states this, and every one of them states that {found.opposite_again}",
        ),
    ]
    return written(analysis, rng, said, _REASONING, _NOTE)


@recipe("contradiction.binary_state_flip")
def binary_state_flip(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the asked matter be so and not so at the same moment."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    moment = rng.choice(("at one and the same moment", "at exactly the same time", "at the very same time"))
    sense = phrase(style, "", ", in every respect and without any change in between")
    said = f"{moment}, it {_be(found)} both true and false that {found.original}{sense}"
    if found.is_split and found.fact.kind is not FactKind.EQUATION:
        denied = f"it {_be(found)} not {found.fact.fill(found.answer)}"
        said = f"{found.fact.stress(found.answer)}, and {moment} {denied}{sense}"
    opening = pick(
        style,
        rng,
        ("the official record states that", "the register says that"),
        ("the official record states in plain words that", "one reads in the official record, in so many words, that"),
    )
    return written(analysis, rng, f"{opening} {said}", _REASONING, _NOTE)


@recipe("contradiction.mutual_exclusion_claim")
def mutual_exclusion_claim(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Claim each of two values as the only true one."""
    found = read_conflict(analysis, rng)
    refusal = _needs_rival(found)
    if refusal is not None or isinstance(found, Declined) or found.rival is None:
        return refusal or Declined(DeclineReason.ANSWER_TYPE)
    if not found.is_split:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the value can't be brought to the front")
    only = ("was only", "is only")
    one = found.holds(found.answer, past=only[0], present=only[1])
    verb, rival = only[0] if found.fact.past else only[1], found.fact.fill(found.rival.removesuffix(" alone"))
    tail = phrase(
        style,
        "each excludes the other, and the official record affirms both",
        "each of these statements excludes the other, and the official record affirms both of them as the whole truth",
    )
    return written(analysis, rng, [f"{one}, and it {verb} {rival}", tail], _REASONING, _NOTE)


@recipe("contradiction.logical_biconditional_break")
def logical_biconditional_break(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Tie the asked fact to another statement of the passages by 'if and only if', and break the tie."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    sides = _other_statements(analysis)
    if not sides:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no other statement of the passages stands on its own")
    said = [
        f"{found.fact.stress(found.answer)} if and only if {rng.choice(sides)}",
        phrase(
            style,
            f"the latter is the case, and {found.denial_again}",
            f"the latter is the case beyond all doubt, and nevertheless {found.denial_again}",
        ),
    ]
    return written(analysis, rng, said, _REASONING, _NOTE)


def _other_statements(analysis: Analysis) -> list[str]:
    """Return short statements of the signal passages that stand on their own and do not tell the answer."""
    found = []
    for passage in analysis.signal:
        for sentence in passage.sentences:
            text = sentence.text
            plain = re.match(r"[A-Z][a-z]+ ", text) and text.endswith(".") and not re.search(r'[";“”:(\[]', text)
            alone = not leans_back(text) and _FEWEST_SIDE <= len(text.split()) <= _LONGEST_SIDE
            if plain and alone and not analysis.is_answer(text):
                named = any(n.span.start == sentence.span.start for n in passage.names)
                found.append((text if named else mid_sentence(text)).rstrip("."))
    return found


@recipe("contradiction.errata_cancel")
def errata_cancel(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add two correction notices that leave no value standing."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    other = found.rival if found.fact.kind is not FactKind.POLAR else None
    first = phrase(
        style,
        f"an official correction states that {found.denial}" + (f", but that {found.opposite_again}" if other else ""),
        f"an official correction of the accounts of this matter states that {found.denial}"
        + (f", and that in truth {found.opposite_again}" if other else ""),
    )
    second = phrase(
        style,
        "a second correction, issued on the same day, declares both the first one and what it corrected to be wrong",
        "a second official correction, issued on the same day and of the same rank, declares the first one to be "
        "wrong, and declares what the first one had corrected to be wrong as well",
    )
    return written(analysis, rng, [first, second], _REASONING, _NOTE)
