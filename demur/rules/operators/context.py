"""What operators of several classes do to a passage: a filled frame, a sentence behind it."""

from demur.levers.frames import Frame, Kind, Slot
from demur.rules.described import entry_of, plural_of
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill
from demur.text.analysis import PassageAnalysis


def filled(pull: Pull, passage: PassageAnalysis, **values: str) -> str | None:
    """Return a frame without the question, for the kind of a passage's entry where one is for that kind."""
    entry = entry_of(passage.text)
    known: dict[str, str] = dict(values)
    if entry is not None:
        known = {Slot.NAME: entry[0], Slot.NOUN: entry[2], Slot.NOUNS: plural_of(entry[2])} | known
    kind = entry[1] if entry is not None else None
    frames = [f for f in of_context(pull, kind) if f.slots <= known.keys()]
    special = [f for f in frames if f.kinds]
    chosen = special or frames
    return fill(pull.rng.choice(chosen), **known) if chosen else None


def of_context(pull: Pull, kind: Kind | None = None) -> list[Frame]:
    """Return the lever's frames that are not questions."""
    return [f for f in pull.frames(kind) if not f.slots & {Slot.QUESTION, Slot.WHEN_DID, Slot.WHERE_DID}]


def appended(text: str, sentence: str) -> str | None:
    """Return a text with a sentence behind it; None where it does not end in a whole sentence."""
    end = text.rstrip()
    return f"{end} {sentence}" if end.endswith((".", "!", "?", '."', ".)")) else None


def note(pull: Pull) -> Draft | Declined:
    """Put a note under a passage, on a line of its own: what the entry is counted in, a reader's comment."""
    said = filled(pull, pull.analysis.main)
    passage = pull.analysis.main
    if said is None:
        return Declined(DeclineReason.NO_FRAME)
    text = f"{passage.text.rstrip()}\n{said}"
    return Draft(
        pull.analysis.question.text, {passage.index: text}, reasoning="A note stands under a passage that is as it was."
    )
