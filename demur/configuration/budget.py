"""The most that may be spent: the part `budget` of a round's configuration."""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from demur.levers.models import Strict


class Budget(Strict):
    """The most that may be spent, in US dollars: hard caps, on the whole round and on single stages of it.

    Caps decide no result: they may be raised or lowered at any time, and nothing is bought again.
    """

    max_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    stages: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(default_factory=dict)

    @field_validator("stages")
    @classmethod
    def _stages_that_ask(cls, stages: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        """Refuse stages that ask no model, where the reader of the file names those that do."""
        if stages and info.context is not None:
            paid: tuple[str, ...] = info.context["paid_stages"]()
            if unknown := [stage for stage in stages if stage not in paid]:
                raise ValueError(f"{', '.join(unknown)} is not one of the stages that ask models: {', '.join(paid)}")
        return stages

    @property
    def caps(self) -> bool:
        """Whether anything is capped."""
        return self.max_usd is not None or bool(self.stages)
