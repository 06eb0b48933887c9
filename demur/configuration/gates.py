"""The bounds that the configuration of a round sets for its gates."""

from pydantic import Field

from demur.levers.models import Strict


class AuditBounds(Strict):
    """Bounds of the human audit of a round's items; marks that break one stop the release."""

    min_pass: float = Field(ge=0, le=1, description="lowest share of items read that pass all five criteria")
    readers: int = Field(ge=1, le=100, description="people who must have read; with fewer it is unaudited")
    min_kappa: float | None = Field(
        default=None, ge=-1, le=1, description="lowest Cohen's kappa of two readers, over whole items"
    )


class JudgeBounds(Strict):
    """Bounds of how far judges agree with people; a release whose judges keep them is called calibrated."""

    min_kappa: float = Field(ge=-1, le=1, description="lowest Cohen's kappa of a judge and people, in every aspect")
    responses: int = Field(default=1, ge=1, description="responses that people must have labelled, in every aspect")


class Gates(Strict):
    """Bounds whose breach stops a round (integrity, failures) or warns (samples)."""

    failure_rate: float = Field(ge=0, le=1, description="highest share of a stage's units that may fail")
    acceptance: float = Field(ge=0, le=1, description="lowest share of candidates that the verifiers accept")
    coverage: float = Field(ge=0, le=1, description="lowest share of a stratum's quota that is filled")
    balance: float = Field(
        ge=0, le=1, description="lowest share of a release's items from one generator, times their number"
    )
    screening: float = Field(default=0.2, ge=0, le=1, description="lowest share of base instances that are solved")
    invalid: float = Field(default=0.1, ge=0, le=1, description="highest share of responses that count as INVALID")
    near_copies: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="highest share of perturbed items whose planted text has a near copy in the round",
    )
    asked: float = Field(
        default=0.3, ge=0, le=1, description="lowest share of passages asked that give an accepted question"
    )
    unreadable: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="highest share of a stage's units whose replies cannot be read; a stage that surely has more is "
        "stopped before the rest is bought",
    )
    audit: AuditBounds | None = Field(default=None, description="what people must have found in the items")
    judge: JudgeBounds | None = Field(default=None, description="how far judges must agree with people")
    stop_on_sample: bool = False
