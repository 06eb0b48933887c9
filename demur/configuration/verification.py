"""The part `verification` of a round's configuration: the rule by which verdicts accept candidates."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from demur.levers.errors import FieldFault
from demur.levers.models import Strict


class ConsensusRule(StrEnum):
    """How many of the counting verifiers must pass a candidate."""

    UNANIMOUS = "unanimous"
    K_OF_N = "k_of_n"


class Verification(Strict):
    """The rule by which verdicts accept a candidate.

    If `short_circuit` is True, verifiers are asked one after the other, until the candidate cannot be accepted any
    more.
    """

    consensus: ConsensusRule = ConsensusRule.UNANIMOUS
    k: int | None = Field(default=None, ge=1, description="for k_of_n: number of verifiers that must pass a candidate")
    exclude_self: bool = Field(
        default=False, description="whether a generator's verdicts on its own candidates do not count"
    )
    short_circuit: bool = Field(
        default=False, description="whether verifiers are asked in turn, until a candidate cannot be accepted"
    )
    read_keys: bool = Field(
        default=False,
        description="whether verifiers also say, without knowing the key, what respondents' instructions demand of "
        "each candidate that they pass",
        exclude_if=lambda read: not read,
    )

    @model_validator(mode="after")
    def _k_where_needed(self) -> Self:
        if (self.consensus is ConsensusRule.K_OF_N) != (self.k is not None):
            raise ValueError("k must be given with k_of_n, and only with k_of_n")
        return self

    def counting(self, generator: str, verifiers: Sequence[str]) -> tuple[str, ...]:
        """Return the counting verifiers for candidates of a generator."""
        return tuple(name for name in verifiers if not (self.exclude_self and name == generator))

    def failures_allowed(self, counting: int) -> int:
        """Return how many failing verdicts an accepted candidate may have among `counting` counting verdicts."""
        return counting - self.k if self.k is not None else 0

    def problem(self, generators: Sequence[str], verifiers: Sequence[str]) -> FieldFault | None:
        """Return why the candidates of some generator can never be accepted; None if there is no such generator."""
        for generator in generators:
            counting = self.counting(generator, verifiers)
            if not counting:
                return FieldFault(
                    ("verification", "exclude_self"),
                    f"leaves no verifier for candidates of {generator}: name another verifier in roles.verifiers",
                )
            if self.k is not None and self.k > len(counting):
                return FieldFault(
                    ("verification", "k"),
                    f"{self.k} is more than the {len(counting)} verifiers whose verdicts count for {generator} "
                    f"({', '.join(counting)}): give 1 to {len(counting)}",
                )
        return None
