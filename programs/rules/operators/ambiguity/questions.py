"""Questions that leave open what they ask about: a short description for a name, follow-ups of nothing, pronouns."""

import re
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.programs.rules.described import described, entry_of
from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.programs.rules.topics import topics
from demur.programs.text.casing import restore_case
from demur.programs.text.questions import WhWord

_ASKS_FOR: Final = {
    WhWord.WHO: Kind.PERSON, WhWord.WHEN: Kind.DATE, WhWord.WHERE: Kind.CITY, WhWord.HOW_MANY: Kind.NUMBER,
}  # fmt: skip
_PART: Final = re.compile(
    r"^(?P<verb>who (?:plays|played|voices|voiced)) (?P<who>.+?) (?P<where>(?:in|on) .+)$", re.IGNORECASE
)
_CAST: Final = re.compile(
    r"\([A-Z]\w+ [A-Z][\w. ]+\)|\b[A-Z]\w+ [A-Z]\w+ as [A-Z\"]|"
    r"\b(?:played|portrayed|voiced) by [A-Z]|\brole (?:of|as) [A-Z]"
)
"""Who plays whom: 'Stumpy (Walter Brennan)', 'Walter Brennan as Stumpy'."""
_HEAD: Final = 60
_SEVERAL: Final = 3
"""Entries of one kind among the passages from which on two of them can be pointed at in several ways."""
_NAME = r"(?:the )?[\"A-Z][\w'’.!&-]*\"?(?: (?:(?:of|the|from|in|de|von|for) ){0,2}[\"A-Z0-9][\w'’.!&-]*\"?)*"
_JOINED: Final = re.compile(rf"^(?:Are|Were|Do|Did|Have|Where are|What do) (?P<both>{_NAME} and {_NAME})(?= [a-z])")
_COMPARES: Final = re.compile(
    r"^(?i:who|which|what)\b.*\b(?:older|younger|larger|bigger|taller|longer|higher|smaller|more|most|earlier|later|first)\b"
    r".*?[,:]? (?P<both>(?:the )?[\"A-Z][^,]*? or (?:the )?[\"A-Z][^,?]*)\?*$"
)


@operator("ambiguity.keywords", Slot.NAME)
def keywords(pull: Pull) -> Draft | Declined:
    """Leave nothing of the question but the name of what it asks about, as it is typed into a search box."""
    about, named, frame = described(pull.analysis), next(iter(topics(pull.analysis)), None), pull.frame()
    name = about.name if about is not None else named.bare if named is not None else ""
    if " " not in name or frame is None:
        return Declined(DeclineReason.NO_TOPIC)
    return Draft(fill(frame, name=name.lower()), reasoning="Which fact is wanted is no longer said.")


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
    asked, about = pull.analysis.question.text, described(pull.analysis)
    for frame in pull.frames(about.kind if about is not None else None):
        plain, _, other = frame.text.partition(" -> ")
        inside = re.compile(rf"^{plain}\b|(?<= ){plain}(?=\W*$)", re.IGNORECASE)
        if len(inside.findall(asked)) == 1:
            question = in_register(pull.analysis.question, inside.sub(other, asked).rstrip("?"))
            return Draft(question, reasoning="A word of the question has a second sense.")
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


@operator("ambiguity.deictic", Slot.NOUN, last=True)
def deictic(pull: Pull) -> Draft | Declined:
    """Point at something where the passages have several things of which the same can be asked.

    A part in a film is 'that character' where they tell who plays several, two things compared are 'those two', a
    film's name is 'that film'.
    """
    asked = _part(pull) or _both(pull) or _one_of_a_kind(pull)
    if asked is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    question = in_register(pull.analysis.question, asked.rstrip("? "))
    return Draft(question, reasoning="Several things could be pointed at.")


def _part(pull: Pull) -> str | None:
    part = _PART.match(pull.analysis.question.text)
    several = part is not None and sum(len(_CAST.findall(p.text)) for p in pull.analysis.signal) > 1
    return f"{part['verb']} that character {part['where']}" if part is not None and several else None


def _one_of_a_kind(pull: Pull) -> str | None:
    """Return the question with 'that film' for a film's name, where the passages have another film."""
    analysis, about = pull.analysis, described(pull.analysis)
    frame = next((f for f in pull.frames() if Slot.NOUN in f.slots), None)
    if about is None or about.kind is None or not about.noun or frame is None or analysis.question.wh is WhWord.YES_NO:
        return None
    others = {
        entry[0]
        for p in analysis.passages
        if p.index != about.passage and (entry := entry_of(p.text)) is not None and entry[1] is about.kind
    }
    rest = analysis.question.text[: about.start] + analysis.question.text[about.end :]
    cased = restore_case(rest, [p.text for p in analysis.signal])
    telling = re.search(r"\d|(?<=[a-z,] )[\"“]?[A-Z]", cased) or about.noun.split()[-1] in cased.lower()
    if not others - {about.name} or telling:
        return None
    text = analysis.question.text
    said = text.lower().rfind(about.said.lower(), 0, about.end + 1)
    start = said if said >= 0 else about.start
    new = text[:start] + fill(frame, noun=about.noun.split()[-1]) + text[about.end :]
    return new if about.name.split()[0].lower() not in new.lower() else None


def _both(pull: Pull) -> str | None:
    """Return the question with 'those two' for two names of it, where the passages are entries on several like them."""
    text = pull.analysis.question.text.strip()
    joined, chosen = _JOINED.match(text), _COMPARES.match(text)
    both = joined["both"] if joined is not None else chosen["both"] if chosen is not None else None
    entries = [e for p in pull.analysis.passages if (e := entry_of(p.text))]
    own = {e[1] for e in entries if both is not None and e[0] in both}
    if both is None or not own or sum(e[1] in own for e in entries) < _SEVERAL:
        return None
    return text.replace(both, "those two" if joined is not None else "this one or that one")


@operator("ambiguity.comparison", Slot.CLAUSE)
def comparison(pull: Pull) -> Draft | Declined:
    """Leave out in which respect the two things are compared."""
    asked, frame = pull.analysis.question.text.strip(), pull.frame()
    match = _COMPARES.match(asked)
    named = [t for t in topics(pull.analysis) if any(t.bare in p.text[:_HEAD] for p in pull.analysis.signal)]
    heads = [t.name for t in sorted(named, key=lambda t: t.span.start)]
    joined = (
        len(named) == 2
        and re.search(rf"{re.escape(heads[0])}[\"”]?,? (?:and|or) [\"“]?{re.escape(heads[1])}\b", asked) is not None
    )
    both = match["both"].strip() if match is not None else " or ".join(heads)
    if frame is None or not joined and match is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if sum(len(p.numbers) > 1 for p in pull.analysis.signal) < 2:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    question = in_register(pull.analysis.question, fill(frame, clause=both))
    return Draft(question, reasoning="What is compared is left out.")
