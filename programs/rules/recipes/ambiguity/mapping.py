"""HIGH in context: three subjects and two values are lined up, and no pairing is sure."""

import random
import re

from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.grammar import as_sentence
from demur.programs.rules.edits.rival_values import rival_value, spoken_answer
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.ambiguity.candidates import same_shape
from demur.programs.rules.recipes.ambiguity.material import in_bearing_passages, named_subject
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.aspects import is_chained
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.asked_fact import AskedFact, FactKind, asked_fact

_COMPANY = {
    SubjectKind.COUNTRY: ("its northern neighbour", "its southern neighbour"),
    SubjectKind.PERSON: ("a brother", "a cousin"),
    SubjectKind.TEAM: ("its reserve team", "its youth team"),
}
_ORDINARY = ("its forerunner", "its successor")


@recipe("ambiguity.ambiguous_respectively_mapping")
def ambiguous_respectively_mapping(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """State the asked fact for three subjects and two values, 'respectively'."""
    fact, subject, other = (
        asked_fact(analysis),
        named_subject(analysis),
        rival_value(analysis, asked_fact(analysis), rng),
    )
    if fact is None or subject is None or is_chained(analysis):
        return Declined(DeclineReason.NO_TOPIC)
    if other is None or fact.kind is FactKind.POLAR or fact.choices is not None or len(analysis.base.answers) > 3:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of the answer's kind can be made")
    answer = spoken_answer(analysis)
    values = [fact.fill(answer), fact.fill(same_shape(answer, other))]
    rng.shuffle(values)
    lined = _lined_up(fact, subject, f"{values[0]} and {values[1]}")
    if lined is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the statement can't take three subjects")
    sentence = as_sentence(f"{lined}, respectively")

    def edit(passage: PassageAnalysis) -> str | None:
        gone = leaning(passage, answer_indices(passage))
        kept = len(passage.sentences) - len(gone) >= len(passage.sentences) // 3
        return swap_sentences(passage, gone, sentence) if kept else None

    return in_bearing_passages(analysis, edit, "Three subjects are mapped to two values, so that no pairing is sure.")


def _lined_up(fact: AskedFact, subject: Subject, values: str) -> str | None:
    """Return the asked fact for the subject and two companions of it, None where number or place do not allow that."""
    first, second = _COMPANY.get(subject.kind, _ORDINARY)
    line = f"{subject.name}, {first} and {second}"
    stated = re.sub(r"\s+", " ", f"{fact.before} {values} {fact.after}").strip()
    at = stated.find(subject.name)
    after = stated[at + len(subject.name) :]
    if stated.count(subject.name) != 1 or after[:1].isalnum() or after.startswith(("'", "’", '"')):
        return None
    if at == 0 or stated[:at].lower() in {"the ", "a "}:
        verb = re.match(r" (was|is|has|are|were|had|[a-z]+ed|came|began|won|took|left)\b", after)
        if not verb:
            return None
        many = {"was": "were", "is": "are", "has": "have"}.get(verb[1], verb[1])
        return f"{stated[:at]}{line} {many}{after[verb.end() :]}"
    closed = not after or after.startswith((" in ", " on ", " at ")) and fact.kind is not FactKind.COUNT
    if len(stated.split()) > 16 or "," in fact.after:
        return None
    lead = re.search(
        r"\b(?:in|of|for|on|at|with|to|from|wrote|sang|played|directed|produced|won|founded|built) (?:the )?$",
        stated[:at],
    )
    if not closed or not lead:
        return None
    made = f"{stated[:at]}{line}{after}"
    return re.sub(
        r"\b(plays|sings|portrays|voices|writes|is)\b",
        lambda m: "are" if m[0] == "is" else m[0][:-1],
        made,
        count=1,
    )
