"""Signs that a proposition holds: wordings that settle it, wordings that suggest it, and the odds they stand for."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.rules.roles.marks.patterns import any_of, read_patterns, shown

YES: Final = 0.97
LIKELY: Final = 0.75
OPEN: Final = 0.5
UNLIKELY: Final = 0.25
NO: Final = 0.03


@dataclass(frozen=True, slots=True)
class Signs:
    """Wordings: a `sure` one settles that a proposition holds; a `maybe` leaves it open, several make it likely.

    What `never` matches is taken out before anything is looked for.
    """

    sure: re.Pattern[str]
    maybe: re.Pattern[str] | None = None
    never: re.Pattern[str] | None = None
    enough: int = 2

    def probability(self, text: str) -> float:
        """Return the probability that the proposition holds of `text`."""
        if self.never is not None:
            text = self.never.sub(" ", text)
        if self.sure.search(text):
            return YES
        hints = len(shown(self.maybe, text)) if self.maybe is not None else 0
        return LIKELY if hints >= self.enough else OPEN if hints else NO

    def holds(self, text: str) -> bool:
        """Return whether the proposition more likely holds than not."""
        return self.probability(text) > OPEN


def signs(*sure: str, maybe: str | None = None, never: str | None = None, enough: int = 2) -> Signs:
    """Return signs from alternatives, as `any_of` reads them."""
    return Signs(any_of(*sure), any_of(maybe) if maybe else None, any_of(never) if never else None, enough)


def read_signs(path: Path) -> dict[str, Signs]:
    """Return the signs of every proposition that a file lists."""
    return {
        name: signs(*found["sure"], maybe=found.get("maybe"), never=found.get("never"), enough=found.get("enough", 2))
        for name, found in read_patterns(path)["signs"].items()
    }
