"""The part `asking` of a round's configuration: how questions are made of documents."""

from typing import Final

from pydantic import Field

from demur.levers.models import Strict

PASSAGES_FOR_A_BASE: Final = 5
"""So many passages are asked at most for each base instance, where the configuration says no number."""


class Asking(Strict):
    """Questions that are asked of passages."""

    questions: int = Field(default=2, ge=1, le=5, description="questions that are wanted of a passage, at most")
    passages: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="passages that are asked, all at once; null: as many as it takes for `bases`, in several waves",
    )
    pairs: float = Field(
        default=0.0, ge=0, le=1, description="share of these that are asked together with another one, both needed"
    )
    repairs: int = Field(
        default=1, ge=0, le=3, description="how often questions that fail a code check go back to the asker"
    )

    def most_passages(self, bases: int) -> int:
        """Return how many passages are asked at most for so many base instances."""
        return self.passages or PASSAGES_FOR_A_BASE * bases
