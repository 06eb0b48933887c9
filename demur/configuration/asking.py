"""The part `asking` of a round's configuration: questions from documents."""

from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from demur.levers.models import Strict

PASSAGES_FOR_A_BASE: Final = 5
"""The default of `passages`, for each base instance."""


class Asking(Strict):
    """Settings for the questions that the asker writes about passages."""

    questions: int = Field(default=2, ge=1, le=5, description="most questions about a passage")
    passages: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="passages to ask about, all at once; null: as many as `bases` needs, in waves",
    )
    pairs: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of passages that are asked about in pairs, by questions that need both",
    )
    like: Path | None = Field(
        default=None,
        description="questions of people, a question a line or JSONL, in whose manner the asker asks",
        exclude_if=lambda path: path is None,
    )
    check: Literal["people"] | None = Field(
        default=None,
        description="people: base instances are drawn only from questions that people read and kept; null: from all "
        "accepted questions",
        exclude_if=lambda by_whom: by_whom is None,
    )
    repairs: int = Field(
        default=1, ge=0, le=3, description="how often the asker corrects questions that fail a code check"
    )

    def most_passages(self, bases: int) -> int:
        """Return the largest number of passages that the asker gets for a round of `bases` base instances."""
        return self.passages or PASSAGES_FOR_A_BASE * bases
