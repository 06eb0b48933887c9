"""Values of the asked kind in a piece of text, and words that take weight from a statement."""

from typing import Final

from programs.rules.analysis import Sentence, Span
from programs.rules.roles.marks.patterns import any_of
from programs.rules.roles.reading import candidates
from programs.rules.roles.reading.asked import Asked
from programs.rules.roles.reading.possible import read_passage

DISCOUNTED: Final = any_of(
    r"rumou?rs?|alleged(?:ly)?|unofficial(?:ly)?|unverified|unconfirmed|anonymous(?:ly)?|fan forum|blogs?|hearsay|gossip",
    r"misprints?|poor (?:machine )?scan|damaged copy|garbled|withdrawn|superseded|outdated|since replaced|mistaken(?:ly)?|draft",
    r"claims?, without|casual mentions?|roughly|approximately|rounded|shorter summary|for short|same (?:name|person)|machine scan",
)
"""Words that mark a statement as the weaker one."""


def values_of(asked: Asked, text: str, *, sure: bool = True) -> list[str]:
    """Return what in `text` could answer, in order; with `sure`, only what is certainly of the asked kind."""
    passage = read_passage(0, text)
    whole = Sentence(0, Span(0, len(text)), text)
    return [c.text for c in candidates(asked, passage, whole) if c.sure or not sure]
