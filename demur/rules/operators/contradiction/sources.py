"""What answers, once more with another value: by a second source, a weaker one, or a scanner."""

import random
import re
from dataclasses import replace
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.levers.vocabulary import Layout
from demur.rules.corpus import last_year
from demur.rules.edits.text import replace_span
from demur.rules.operators.bridges import bridge_of
from demur.rules.operators.contradiction.copying import (
    EDITIONS,
    SLOTS,
    Original,
    copied,
    original_of,
    places,
    said_in,
)
from demur.rules.operators.contradiction.deciding import compares, decided
from demur.rules.operators.contradiction.undoing import denied, negated_copy
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.operators.stated import named_on, place_of
from demur.rules.rivals import Rival, exchanged, find_rival
from demur.text.answers import find_answers
from demur.text.tokens import fold


def _rivalled(pull: Pull, note: str, *, deny: bool = False) -> Draft | Declined:
    """Copy what answers with the answer exchanged, or what decides a comparison; where asked for, deny it else."""
    if compares(pull.analysis):
        found = decided(pull.analysis, pull.rng) if pull.analysis.base.layout is Layout.MULTI else None
        if found is None:
            return Declined(DeclineReason.NO_RIVAL, "nothing that decides the comparison can be exchanged")
        why = f"The entry that decides is given once more with {found.new} instead of {found.old}."
        return copied(pull, found.original, found.copy, why, note, found.new, answer=found.old)
    rival = find_rival(pull.analysis, pull.corpus, pull.rng)
    deny = deny and pull.analysis.base.layout is Layout.MULTI  # in one passage a denial by nobody reads badly
    original = original_of(pull) if rival is not None or deny else None
    exchange = _exchanged(pull, original, rival) if rival is not None and original is not None else None
    beside = _beside(pull, original, rival) if rival is not None else None
    if beside is not None:
        return replace(beside, answer_note=note)
    if exchange is None and deny and original is not None:
        exchange = denied(pull, original)
    if exchange is None or original is None:
        return _led_elsewhere(pull, note) or Declined(
            DeclineReason.NO_RIVAL if rival is None else DeclineReason.NO_SUITABLE_SPAN
        )
    copy, other = exchange
    why = f"The passage that answers is given once more with {other} instead of the answer."
    return copied(pull, original, copy, why, note, other, rival.kind if rival is not None else None)


def _beside(pull: Pull, original: Original | None, rival: Rival) -> Draft | None:
    """Put the other value in brackets behind the one that stands in the sentence that answers.

    With several passages that is done in the copy of the passage, in which the rival stands and the answer is added.
    """
    place = place_of(pull.analysis, beside=True)
    single = pull.analysis.base.layout is Layout.SINGLE
    other = rival.value(place.answer) if place is not None else None
    frames = [f for f in pull.frames(rival.kind) if Slot.OTHER in f.slots]
    dated = last_year(place.passage.text) if place is not None else None
    frames = [f for f in frames if not f.slots & {Slot.EARLIER, Slot.LATER} or (dated or 0) < min(EDITIONS)]
    if place is not None and other is not None and rival.kind is Kind.PERSON and single and named_on(place, other) > 1:
        return None
    given = other is None or fold(other) in fold(place.passage.text if place else "") or pull.analysis.is_answer(other)
    if place is None or other is None or not frames or given:
        return None
    why = f"Beside the answer stands {other}."
    earlier, later = (str(year) for year in sorted(pull.rng.sample(EDITIONS, 2)))
    frame = pull.rng.choice(frames)
    if single:
        said = fill(frame, other=other, earlier=earlier, later=later)
        return Draft(
            pull.analysis.question.text,
            place.with_sentence(f"{place.before}{place.beside(place.answer, said)}{place.after}"),
            why,
        )
    said = fill(frame, other=place.answer, earlier=earlier, later=later)
    if original is None or original.source is not place.passage:
        return None
    parts = [place.passage.text[: place.span.start], place.passage.text[place.span.end :]]
    parts = [exchanged(pull.analysis, part, rival) or part for part in parts]
    copy = f"{parts[0]}{place.beside(other, said)}{parts[1]}"
    if find_answers(copy.replace(said, ""), pull.analysis.base.answers):
        return None
    return Draft(pull.analysis.question.text, {original.place.index: copy}, why)


def _led_elsewhere(pull: Pull, note: str) -> Draft | Declined | None:
    """Give the passage that leads to the answering one once more with another thing in it."""
    bridge = bridge_of(pull)
    if bridge is None:
        return None
    source = bridge.place.passage
    rival = bridge.others[0][0]
    room = places(pull.analysis, source)
    if not room or "\n" in source.text or re.search(r"[.!?][\"”)]*$", source.text) is None:
        return None
    original = Original(source.text, source, pull.rng.choice(room))
    copy = replace_span(source.text, bridge.place.span, rival)
    why = f"The passage that leads to the answer is given once more with {rival} instead."
    return copied(pull, original, copy, why, note, rival, answer=bridge.place.answer)


def _exchanged(pull: Pull, original: Original, rival: Rival) -> tuple[str, str] | None:
    """Return what is copied with the rival in the answer's place, and the rival as it is written there."""
    copy = exchanged(pull.analysis, original.text, rival)
    other = rival.value(said_in(pull.analysis, original))
    return (
        (copy, other)
        if copy is not None and other is not None and fold(other) not in fold(original.source.text)
        else None
    )


@operator("contradiction.second_source", *SLOTS)
def second_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more, by a source of equal rank, with another value."""
    return _rivalled(pull, "Both values are stated, and nothing says which of them holds.")


@operator("contradiction.own_source", *SLOTS)
def own_source(pull: Pull) -> Draft | Declined:
    """Quote the source that is cited for what answers with another value, or with its verb denied."""
    note = "The passage says what the source that it rests on does not."
    made = _rivalled(pull, note)
    found = negated_copy(pull) if isinstance(made, Declined) else None
    return copied(pull, *found, "The source says the opposite of what is cited.", note) if found is not None else made


@operator("contradiction.denying_source", *SLOTS)
def denying_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more, by a source of equal rank, with another value; of several passages, or denied."""
    return _rivalled(pull, "One source states what the other denies, and nothing says which is right.", deny=True)


@operator("contradiction.weaker_source", *SLOTS)
def weaker_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more with another value, by a source that the frame marks as withdrawn or as hearsay."""
    return _rivalled(pull, "The passage keeps its statement; the other one is marked as not to be relied on.")


_LOOK_ALIKE: Final = {
    "l": "1",
    "o": "0",
    "i": "1",
    "e": "c",
    "s": "5",
    "a": "u",
    "b": "6",
    "B": "8",
    "O": "0",
    "S": "5",
}
_DIGITS: Final = {"0": "O", "1": "l", "2": "Z", "5": "S", "6": "b", "8": "B", "9": "g"}


@operator("contradiction.scanned_copy", *SLOTS, last=True)
def scanned_copy(pull: Pull) -> Draft | Declined:
    """Give what answers once more as a scanner read it, the answer garbled."""
    original = original_of(pull)
    if original is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing that answers can be copied")
    copy = original.text
    mentions = [m.text for m in original.source.answers if m.text in copy]
    for text in sorted(set(mentions), key=len, reverse=True):
        garbled = _garbled(text, pull.rng)
        if garbled is None:
            return Declined(DeclineReason.ANSWER_TYPE, "the answer has no characters that a scanner confuses")
        copy = copy.replace(text, garbled)
    if not mentions or pull.analysis.is_answer(copy):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN)
    note = "The clean statement stays, and the garbled one is said to be a scan."
    return copied(pull, original, copy, "What answers is given once more as a scanner misread it.", note)


def _garbled(text: str, rng: random.Random) -> str | None:
    """Return a text with two characters exchanged for others that look alike, one where it has only one.

    Where the text has figures, these are what is garbled.
    """
    figures = any(c.isdigit() for c in text)
    at = [i for i, c in enumerate(text) if c in _DIGITS or i and not figures and c in _LOOK_ALIKE]
    if not at or len(text) < 3:
        return None
    chars = list(text)
    for i in rng.sample(at, min(2, len(at))):
        chars[i] = _DIGITS.get(chars[i]) or _LOOK_ALIKE[chars[i]]
    return "".join(chars)
