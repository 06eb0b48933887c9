"""Questions that leave open what they ask about: a short description for a name, follow-ups of nothing, pronouns."""

import re
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.rules.described import described
from demur.rules.edits.casing import in_register
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.topics import topics
from demur.text.questions import WhWord
from demur.text.tokens import fold

_ASKS_FOR: Final = {
    WhWord.WHO: Kind.PERSON, WhWord.WHEN: Kind.DATE, WhWord.WHERE: Kind.CITY, WhWord.HOW_MANY: Kind.NUMBER,
}  # fmt: skip
"""Who plays whom: 'Stumpy (Walter Brennan)', 'Walter Brennan as Stumpy'."""
_HEAD: Final = 60
"""Entries of one kind among the passages from which on two of them can be pointed at in several ways."""
_COMPARES: Final = re.compile(
    r"^(?i:who|which|what)\b.*\b(?:older|younger|larger|bigger|taller|longer|higher|smaller|more|most|earlier|later|first)\b"
    r".*?[,:]? (?P<both>(?:the )?[\"A-Z][^,]*? or (?:the )?[\"A-Z][^,?]*)\?*$"
)
_BOTH: Final = re.compile(
    r"^(?:Are|Were) (?:both )?(?P<both>[A-Z][^,?]*? and (?:the )?[A-Z][^,?]*?) "
    r"(?:both|members|located|from|in the same|the same)\b"
)


@operator("ambiguity.keywords", Slot.NAME)
def keywords(pull: Pull) -> Draft | Declined:
    """Leave nothing of the question but the name of what it asks about, as it is typed into a search box."""
    about = described(pull.analysis)
    named = next(iter(topics(pull.analysis)), None)
    frame = pull.frame()
    name = about.name if about is not None else named.bare if named is not None else ""
    name = fold(name).removeprefix("the ")
    if " " not in name or name not in fold(pull.analysis.question.text) or frame is None:
        return Declined(DeclineReason.NO_TOPIC)
    return Draft(fill(frame, name=name), reasoning="Which fact is wanted is no longer said.")


@operator("ambiguity.follow_up")
def follow_up(pull: Pull) -> Draft | Declined:
    """Put the follow-up of a conversation that is not there, by what the question asks for, in the question's place."""
    kind = _ASKS_FOR.get(pull.analysis.question.wh)
    fitting = pull.frames(kind)
    chosen = [f for f in fitting if f.kinds] or fitting
    if not chosen or sum(len(p.names) for p in pull.analysis.signal) < 2:
        return Declined(DeclineReason.NO_FRAME)
    question = in_register(pull.analysis.question, pull.rng.choice(chosen).text)
    return Draft(question, reasoning="Nothing in the question says what it asks about.")


@operator("ambiguity.second_sense")
def second_sense(pull: Pull) -> Draft | Declined:
    """Put a word with a second sense in the place of a plain one: 'shot' for 'directed'."""
    asked = pull.analysis.question.text
    about = described(pull.analysis)
    for frame in pull.frames(about.kind if about is not None else None):
        plain, _, other = frame.text.partition(" -> ")
        inside = re.compile(rf"^{plain}\b|(?<= ){plain}(?=\W*$)", re.IGNORECASE)
        if len(inside.findall(asked)) == 1:
            question = in_register(pull.analysis.question, inside.sub(other, asked).rstrip("?"))
            return Draft(question, reasoning="A word of the question has a second sense.")
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


@operator("ambiguity.comparison", Slot.CLAUSE)
def comparison(pull: Pull) -> Draft | Declined:
    """Leave out in which respect the two things are compared."""
    asked = pull.analysis.question.text.strip()
    frame = pull.frame()
    match = _COMPARES.match(asked) or _BOTH.match(asked)
    named = [t for t in topics(pull.analysis) if any(t.bare in p.text[:_HEAD] for p in pull.analysis.signal)]
    heads = [t.name for t in sorted(named, key=lambda t: t.span.start)]
    joined = (
        len(named) == 2
        and re.search(rf"{re.escape(heads[0])}[\"”]?,? (?:and|or) [\"“]?{re.escape(heads[1])}\b", asked) is not None
    )
    both = match["both"].strip().replace(" and ", " or ") if match is not None else " or ".join(heads)
    if frame is None or not joined and match is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if sum(len(p.numbers) > 1 for p in pull.analysis.signal) < 2:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    question = in_register(pull.analysis.question, fill(frame, clause=both))
    return Draft(question, reasoning="What is compared is left out.")
