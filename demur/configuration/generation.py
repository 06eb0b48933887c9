"""The part `generation` of a round's configuration: which perturbations are asked for, and of whom how many."""

from collections.abc import Sequence
from itertools import product
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from demur.levers.models import Strict
from demur.levers.vocabulary import Intensity, LeverClass


def _is_none(value: object) -> bool:
    return value is None


class KnownBases(Strict):
    """Base instances whose answers models know without their passages."""

    probe: tuple[str, ...] = Field(
        min_length=1, description="models that are asked questions without passages, and are never scored"
    )
    min_share: float = Field(
        gt=0, le=1, description="lowest share of the base instances whose answers every one of them knows"
    )
    asked: int = Field(
        ge=1, le=1_000_000, description="questions that each is asked, the first of the draw; of every domain its share"
    )

    @field_validator("probe")
    @classmethod
    def _names_once(cls, probe: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(probe)) != len(probe):
            raise ValueError("names a model twice; each is asked once")
        return probe


class Generation(Strict):
    """Perturbations that are generated for every base instance."""

    lever_choice: Literal["assigned", "generator", "recorded"]
    replicates: int | None = Field(
        default=None, ge=1, le=100, description="perturbations that every generator makes of a base in a stratum"
    )
    candidates_per_cell: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="in place of replicates: so many in all, generators taking turns",
        exclude_if=_is_none,
    )
    repairs: int = Field(
        default=1, ge=0, le=3, description="how often a perturbation that fails a code check goes back to its generator"
    )
    repair_verdicts: bool = Field(
        default=False, description="whether one that the verifiers turn down goes back too, with their issues"
    )
    classes: tuple[LeverClass, ...] = tuple(LeverClass)
    intensities: tuple[Intensity, ...] = tuple(Intensity)
    known: KnownBases | None = Field(
        default=None, description="base instances whose answers models know without passages", exclude_if=_is_none
    )

    @model_validator(mode="after")
    def _one_number_of_candidates(self) -> Self:
        if (self.replicates is None) == (self.candidates_per_cell is None):
            raise ValueError("give replicates or candidates_per_cell, one of the two, as in replicates: 1")
        return self

    def tries(self, generators: int) -> int:
        """Return how often at most a generator perturbs a base instance in a stratum, of so many generators."""
        if self.candidates_per_cell is None:
            assert self.replicates is not None
            return self.replicates
        return -(-self.candidates_per_cell // generators)

    def turns(self, generators: Sequence[str], draw: int) -> tuple[tuple[int, str], ...]:
        """Return which generators perturb a base instance in a stratum, each with the number of its try.

        Where they are to make so many in all, they take turns, and every base of the draw begins with the next one.
        """
        first = 0 if self.candidates_per_cell is None else draw % len(generators)
        order = (*generators[first:], *generators[:first])
        turns = tuple(product(range(self.tries(len(generators))), order))
        return turns[: self.candidates_per_cell]
