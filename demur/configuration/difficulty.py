"""What makes items harder than their defect alone: parts of `generation` in a round's configuration."""

from enum import StrEnum

from pydantic import Field, field_validator

from demur.levers.models import Strict


class ContextOrder(StrEnum):
    """The order of the passages that are not signal passages."""

    NEAREST = "nearest"
    SHUFFLED = "shuffled"


class SignalPlace(StrEnum):
    """The place of the signal passages among all others: together, or as far apart as the context allows."""

    START = "start"
    MIDDLE = "middle"
    END = "end"
    DRAWN = "drawn"
    APART = "apart"


class LongerContext(Strict):
    """Passages of the corpus around those that a question came with; no generator sees or changes them."""

    passages: int = Field(
        ge=2, le=50, description="passages of every item; a question with as many of its own is given no more"
    )
    order: ContextOrder = Field(
        description="of all passages that are not signal passages: nearest (to question and signal passages) first, or "
        "shuffled"
    )
    signal: SignalPlace = Field(
        default=SignalPlace.MIDDLE,
        description="where signal passages stand: start, middle, end, drawn (one of these or between), or apart from "
        "each other",
    )


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
