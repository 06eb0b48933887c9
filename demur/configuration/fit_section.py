"""The parts `fit` and `compiled` of a round's configuration: settings of reward fits, and compiled programs."""

from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from demur.levers.lever_models import Strict
from demur.programs.options import Grading

ITEM_POLICY: Final = "selective_refusal"
"""The policy with the round's items as prompts; other policies have their own prompts."""

CHOOSE: Final = "choose"
"""The value of `l2` for a penalty chosen by cross-validation."""


class FitConfig(Strict):
    """Settings of the fit of reward weights."""

    policies: tuple[str, ...] = Field(
        default=(), description="policies of rewards, by name or file; empty: no comparisons and no rewards"
    )
    safety_prompts: Path | None = Field(
        default=None, description="file of prompts of all policies that `prompts` does not name"
    )
    prompts: dict[str, Path] = Field(
        default_factory=dict, description="files of prompts, by policy as in `policies`; default: safety_prompts"
    )
    items_for_comparisons: int = Field(
        default=36, ge=2, description="number of items for which comparisons are written"
    )
    margin: float = Field(default=1.0, gt=0, description="smallest difference of two compared rewards without a loss")
    l2: Annotated[float, Field(gt=0)] | Literal["choose"] = Field(
        default=0.01, description="penalty; choose: the best of a grid, by cross-validation over fitted prompts"
    )
    signs: bool = Field(
        default=True, description="whether weights of faults may not be positive, nor required or desired ones negative"
    )
    graded_responses: float = Field(
        default=1.0, ge=0, le=1, description="share of responses that are graded for rewards; 0: none"
    )
    base_rewards: Path | None = Field(
        default=None, description="file of base rewards of completions and responses, to which rewards are added"
    )
    held_out: float = Field(default=0.3, gt=0, lt=1, description="share of prompts that are not fitted")
    bootstrap: int = Field(default=200, ge=0, le=10_000, description="refits for the intervals of the weights")
    grading: Grading = Field(
        default=Grading.PROPOSITIONS,
        description="one call for all propositions, or one_by_one: a yes or no for each, by log-probabilities",
    )

    @model_validator(mode="after")
    def _prompts_for_policies(self) -> Self:
        others = [name for name in self.policies if name != ITEM_POLICY]
        if strangers := [name for name in self.prompts if name not in others]:
            raise ValueError(
                f"prompts are given for {', '.join(strangers)}; policies that need prompts: "
                f"{', '.join(others) or 'none'}. Use the names in policies ('{ITEM_POLICY}' takes the round's items)"
            )
        if without := [name for name in others if self.prompts_of(name) is None]:
            raise ValueError(
                f"{', '.join(without)} need prompts: name a JSONL file in safety_prompts, or one for each policy in "
                "prompts"
            )
        return self

    def prompts_of(self, named: str) -> Path | None:
        """Return the file with the prompts of the policy `named`; None if the policy has no such file."""
        return self.prompts.get(named, self.safety_prompts)

    def files_by_name(self) -> dict[str, object]:
        """Return those fields that name files, with file names without folders."""
        return {
            "policies": [Path(name).name for name in self.policies],
            "safety_prompts": None if self.safety_prompts is None else self.safety_prompts.name,
            "prompts": {Path(name).name: path.name for name, path in self.prompts.items()},
            "base_rewards": None if self.base_rewards is None else self.base_rewards.name,
        }


class CompiledPrograms(Strict):
    """Files of compiled programs, used in place of demur's own programs."""

    grader: Path | None = None
    verifier: Path | None = None

    def files_by_name(self) -> dict[str, str | None]:
        """Return the fields as file names without folders."""
        named = {"grader": self.grader, "verifier": self.verifier}
        return {name: None if path is None else path.name for name, path in named.items()}
