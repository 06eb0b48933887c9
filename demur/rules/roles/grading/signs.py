"""Signs of a proposition: conclusive wordings, suggestive wordings, and the probabilities that these give."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.rules.roles.marks.patterns import any_of, parts, read_patterns, shown

YES: Final = 0.97
LIKELY: Final = 0.75
OPEN: Final = 0.5
UNLIKELY: Final = 0.25
NO: Final = 0.03


@dataclass(frozen=True, slots=True)
class Signs:
    """Wordings that show a proposition.

    One match of `sure` proves the proposition; `enough` matches of `maybe` make the proposition likely.

    A wording that occurs twice is one match. Matches of `never` are removed before the search.
    """

    sure: re.Pattern[str]
    maybe: re.Pattern[str] | None = None
    never: re.Pattern[str] | None = None
    enough: int = 2

    def probability(self, text: str) -> float:
        """Return the probability that the proposition holds of `text`."""
        if self.is_sure(text):
            return YES
        hints = self.hints(text)
        return LIKELY if hints >= self.enough else OPEN if hints else NO

    def is_sure(self, text: str) -> bool:
        """Return whether `text` has a conclusive wording."""
        return any(self.sure.search(part) for part in self._kept(text))

    def hints(self, text: str) -> int:
        """Return the number of different suggestive wordings in `text`."""
        if self.maybe is None:
            return 0
        return len(frozenset().union(*(shown(self.maybe, part) for part in self._kept(text))))

    def _kept(self, text: str) -> Iterator[str]:
        for part in parts(text):
            yield self.never.sub(" ", part) if self.never is not None else part

    def holds(self, text: str) -> bool:
        """Return whether the proposition more likely holds than not."""
        return self.probability(text) > OPEN


def signs(*sure: str, maybe: str | None = None, never: str | None = None, enough: int = 2) -> Signs:
    """Return signs from wordings, which are regular expressions in the syntax of `any_of`."""
    return Signs(any_of(*sure), any_of(maybe) if maybe else None, any_of(never) if never else None, enough)


def read_signs(path: Path) -> dict[str, Signs]:
    """Return the signs of every proposition that a file lists."""
    return {
        name: signs(*found["sure"], maybe=found.get("maybe"), never=found.get("never"), enough=found.get("enough", 2))
        for name, found in read_patterns(path)["signs"].items()
    }
