"""Signs that a proposition holds: patterns that prove it, patterns that only suggest it, and the odds they stand for."""

import re
from dataclasses import dataclass
from typing import Final

from programs.rules.roles.marks.patterns import spaced

YES: Final = 0.97
NO: Final = 0.03
OPEN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Signs:
    """Patterns on a text: `sure` ones settle that a proposition holds, `maybe` ones leave it open.

    What `never` matches is taken out before anything is looked for.
    """

    sure: re.Pattern[str]
    maybe: re.Pattern[str] | None = None
    never: re.Pattern[str] | None = None

    def probability(self, text: str) -> float:
        """Return the probability that the proposition holds of `text`."""
        if self.never is not None:
            text = self.never.sub(" ", text)
        if self.sure.search(text):
            return YES
        return OPEN if self.maybe is not None and self.maybe.search(text) else NO


def signs(sure: str, maybe: str | None = None, never: str | None = None) -> Signs:
    """Return signs from patterns in which case does not matter and white space stands for any of it."""

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(spaced(pattern), re.IGNORECASE)

    return Signs(compiled(sure), compiled(maybe) if maybe else None, compiled(never) if never else None)
