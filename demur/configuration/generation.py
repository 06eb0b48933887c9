"""The part `generation` of a round's configuration: the perturbations to generate, and their generators."""

from collections.abc import Sequence
from itertools import product
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from demur.levers.models import Strict
from demur.levers.vocabulary import Intensity, LeverClass


def _is_none(value: object) -> bool:
    return value is None


class KnownBases(Strict):
    """Settings for the draw of base instances whose answers models know without passages."""

    probe: tuple[str, ...] = Field(
        min_length=1, description="models that are asked questions without passages, and are never scored"
    )
    min_share: float = Field(gt=0, le=1, description="lowest share of base instances whose answers all probes know")
    asked: int = Field(
        ge=1, le=1_000_000, description="questions to each probe, from the start of the draw, divided among domains"
    )

    @field_validator("probe")
    @classmethod
    def _names_once(cls, probe: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(probe)) != len(probe):
            raise ValueError("names a model twice. Name each model once")
        return probe


class Generation(Strict):
    """The perturbations to generate from each base instance."""

    lever_choice: Literal["assigned", "generator", "recorded"] = Field(
        default="generator",
        description="whose choice levers are: the round's in turn, the generator's, the recording's",
    )
    levers: Literal["all", "telling"] = Field(
        default="all",
        description="telling: only levers whose texts blind readers found hard to see through, at least one a stratum",
        exclude_if=lambda levers: levers == "all",
    )
    replicates: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="perturbations by each generator of each base instance in a stratum; 1 without candidates_per_cell",
    )
    candidates_per_cell: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="in place of replicates: perturbations of each base instance in a stratum, by generators in turn",
        exclude_if=_is_none,
    )
    repairs: int = Field(
        default=1, ge=0, le=3, description="how often a generator corrects a perturbation that fails a code check"
    )
    repair_verdicts: bool = Field(
        default=False, description="whether a generator also corrects perturbations that verifiers reject"
    )
    classes: tuple[LeverClass, ...] = tuple(LeverClass)
    intensities: tuple[Intensity, ...] = tuple(Intensity)
    known: KnownBases | None = Field(
        default=None, description="base instances whose answers models know without passages", exclude_if=_is_none
    )

    @model_validator(mode="before")
    @classmethod
    def _replicates_unless_candidates(cls, given: object) -> object:
        """Set `replicates` to 1 if no number of perturbations is given."""
        if isinstance(given, dict) and not given.keys() & {"replicates", "candidates_per_cell"}:
            return {**given, "replicates": 1}
        return given

    @model_validator(mode="after")
    def _one_number_of_candidates(self) -> Self:
        if (self.replicates is None) == (self.candidates_per_cell is None):
            raise ValueError("give exactly one of replicates and candidates_per_cell, such as replicates: 1")
        return self

    def tries(self, generators: int) -> int:
        """Return how many perturbations of one base instance in one stratum each generator makes at most.

        `generators` is the number of generators.
        """
        if self.candidates_per_cell is None:
            assert self.replicates is not None
            return self.replicates
        return -(-self.candidates_per_cell // generators)

    def turns(self, generators: Sequence[str], draw: int) -> tuple[tuple[int, str], ...]:
        """Return (number of the try from 0, generator) for each perturbation of a base instance in a stratum.

        With `candidates_per_cell`, generators take turns. `draw` is the position of the base instance in the draw,
        which decides the first generator.
        """
        first = 0 if self.candidates_per_cell is None else draw % len(generators)
        order = (*generators[first:], *generators[:first])
        turns = tuple(product(range(self.tries(len(generators))), order))
        return turns[: self.candidates_per_cell]
