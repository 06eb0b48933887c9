"""How weights are fitted, and compiled programs: the parts `fit` and `compiled` of a configuration."""

from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from programs.grading import Grading

CHOOSE: Final = "choose"
"""Stands for a penalty that the round chooses by cross-validation."""


class Fit(BaseModel):
    """How reward weights are fitted."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    policies: tuple[str, ...]
    safety_prompts: Path | None
    items_for_comparisons: int = Field(ge=2, description="items of the round that comparisons are written for")
    margin: float = Field(gt=0)
    l2: Annotated[float, Field(gt=0)] | Literal["choose"] = Field(
        description="penalty; choose: the best of a grid by cross-validation over the prompts that are fitted"
    )
    signs: bool = Field(default=False, description="whether no faulty proposition may earn reward")
    held_out: float = Field(gt=0, lt=1, description="share of prompts kept out of the fit")
    bootstrap: int = Field(ge=0, le=10_000, description="refits for the intervals of the weights")
    grading: Grading = Field(
        default=Grading.PROPOSITIONS,
        description="one call for all propositions, or one_by_one: a yes or no for each, by log-probabilities",
    )

    @model_validator(mode="after")
    def _prompts_for_safety(self) -> Self:
        others = [name for name in self.policies if name != "selective_refusal"]
        if others and self.safety_prompts is None:
            raise ValueError(f"safety_prompts is needed for {', '.join(others)}: a JSONL file of prompts")
        return self


class CompiledPrograms(BaseModel):
    """Programs that `demur compile` wrote, to be used in place of ours."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    grader: Path | None = None
    verifier: Path | None = None
