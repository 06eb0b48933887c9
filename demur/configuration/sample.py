"""The part `sample` of an evaluation's configuration: the part of a release's items that models are asked."""

from typing import Self

from pydantic import Field, model_validator

from demur.levers.models import Strict


class Sample(Strict):
    """A number of items, or of source questions with all their items."""

    items: int | None = Field(default=None, ge=1, description="number of items, controls included")
    bases: int | None = Field(default=None, ge=1, description="number of source questions, each with all its items")
    seed: int | None = Field(default=None, ge=0, description="seed of the draw; default: the seed of the release")

    @model_validator(mode="after")
    def _one_number(self) -> Self:
        if (self.items is None) == (self.bases is None):
            raise ValueError("give exactly one of items and bases, such as items: 200")
        return self
