"""Granularity mismatches: questions on another level; LOW puts a wider word or heading beside the fact."""

import re
from typing import Final

from demur.levers.frames import Slot
from demur.rules.asked import asked
from demur.rules.edits.grammar import plural, sentence_case
from demur.rules.operators.asking import SLOTS, ask
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.rivals import is_one_time
from demur.rules.subject import is_entry, subject
from demur.text.dates import DatePrecision, find_dates
from demur.text.kinds import introduced, kind_of_noun, noun_of
from demur.text.quantities import find_numbers
from demur.text.questions import WhWord

operator("granularity.ask", *SLOTS)(ask)


@operator("granularity.exact", *SLOTS)
def exact(pull: Pull) -> Draft | Declined:
    """Ask for the exact value where the answer is a day or a figure of three places and more, no round one."""
    dates = find_dates(pull.analysis.answer)
    numbers = find_numbers(pull.analysis.answer)
    fine = (
        len(dates) == 1 and dates[0].precision is DatePrecision.DAY and not _PUBLIC.search(pull.analysis.question.text)
    )
    fine = fine or not dates and len(numbers) == 1 and numbers[0].value >= 100 and numbers[0].value % 100 != 0
    return ask(pull) if fine and pull.analysis.question.wh in _EXACT else Declined(DeclineReason.ANSWER_TYPE)


_PUBLIC: Final = re.compile(
    r"\b(?:come|came|release[ds]?|air(?:ed)?|premiere[ds]?|born|die[ds]?|publish(?:ed)?|start(?:s|ed)?|drop(?:ped)?)\b"
)
"""Verbs of events that everybody dates by the day, so that asking for it is no odd wish."""


@operator("granularity.finer", *SLOTS)
def finer(pull: Pull) -> Draft | Declined:
    """Ask for the hour of the day, the week of the year or the street of the town that answers."""
    dates = find_dates(pull.analysis.answer)
    shown = [d for p in pull.analysis.passages for d in p.dates if any(d.year == one.year for one in dates)]
    known = any(d.precision is not DatePrecision.YEAR for d in shown)
    if len(dates) == 1 and dates[0].precision is DatePrecision.YEAR and known:
        return Declined(DeclineReason.ANSWER_TYPE, "the passages tell a day of that year")
    if any(d.precision is DatePrecision.MONTH for d in dates) or not is_one_time(pull.analysis):
        return Declined(DeclineReason.ANSWER_TYPE, "no single day or year")
    return ask(pull)


@operator("granularity.momentary", *SLOTS)
def momentary(pull: Pull) -> Draft | Declined:
    """Ask for the very second of an event that has one: a shot, a vote, a launch."""
    read = asked(pull.analysis)
    if read is None or not _MOMENTARY & set(read.verb.split()):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "no event that has a second of its own")
    return ask(pull)


_MOMENTARY: Final = frozenset(
    "signed launched scored shot killed assassinated exploded erupted crashed collided sank fell dropped landed "
    "adopted passed ratified aired premiered executed detonated struck surrendered elected sworn opened".split()
)
_EXACT: Final = (WhWord.WHEN, WhWord.HOW_MANY, WhWord.HOW_MUCH)
_NAMED: Final = re.compile(r"\b(?P<det>the) (?P<noun>[a-z]+)(?= (?:[\"A-Z]|called|named)| (?!of |and )[a-z])")


@operator("granularity.wider_noun")
def wider_noun(pull: Pull) -> Draft | Declined:
    """Name the wider kind in place of the noun before or behind a name: 'the production Rio Bravo'."""
    text = pull.analysis.question.text
    for match in _NAMED.finditer(text):
        kind = kind_of_noun(match["noun"])
        if any(token.text == match["noun"].title() for p in pull.analysis.passages for token in p.tokens):
            continue  # part of a title: 'Sex and the City'
        frames = [f for f in pull.lever.frames if kind is not None and kind in f.kinds]
        if not frames or pull.analysis.question.focus and match["noun"] in pull.analysis.question.focus.split():
            continue
        wide = pull.rng.choice(frames).text
        new = f"{match['det']} {wide}"
        return Draft(text[: match.start()] + new + text[match.end() :], reasoning="The question names the wider kind.")
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


@operator("granularity.breadcrumb", Slot.NOUNS, Slot.NAME)
def breadcrumb(pull: Pull) -> Draft | Declined:
    """Put a line over a passage that names the kind of all such things, in the words of the passage: 'Rock bands'."""
    passage = pull.analysis.main
    about = subject(pull.analysis)
    entry = introduced(passage.text)
    noun = noun_of(passage.text, entry[0]) if entry else ""
    values = {Slot.NOUNS: plural(noun)} if noun and not noun.endswith("s") else {}
    values |= {Slot.NAME: about.name} if about is not None and is_entry(pull.analysis, about) else {}
    fitting = [frame for frame in pull.frames() if frame.slots <= values.keys()]
    if not fitting or "\n" in passage.text:
        return Declined(DeclineReason.NO_TOPIC)
    line = sentence_case(fill(pull.rng.choice(fitting), **values))
    text = f"{line}\n\n{passage.text}"
    return Draft(pull.analysis.question.text, {passage.index: text}, reasoning="The line over the passage is wider.")
