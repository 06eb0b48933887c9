"""The part `gates` of a round's configuration: bounds that stop a round, give warnings, or qualify a release."""

from pydantic import Field

from demur.levers.models import Strict


class AuditBounds(Strict):
    """Bounds of the human audit of a round's items.

    A round that is below `min_pass` or `min_kappa` cannot be released.
    """

    min_pass: float = Field(ge=0, le=1, description="lowest share of items read that pass all five criteria")
    readers: int = Field(
        ge=1, le=100, description="fewest people who have read items; with fewer, a release is unaudited"
    )
    min_kappa: float | None = Field(
        default=None, ge=-1, le=1, description="lowest Cohen's kappa of two readers, over whole items"
    )


class JudgeBounds(Strict):
    """Bounds of the agreement between judges and people. A release that meets these bounds is called calibrated."""

    min_kappa: float = Field(ge=-1, le=1, description="lowest Cohen's kappa of a judge and people, in every aspect")
    responses: int = Field(default=1, ge=1, description="fewest responses with labels by people, in every aspect")


class Gates(Strict):
    """Bounds of gates.

    Too many failed or unreadable units stop a round. Other unmet bounds give a warning; they stop a round if
    `stop_on_sample` is True.
    """

    failure_rate: float = Field(default=0.02, ge=0, le=1, description="highest share of failed units of a stage")
    acceptance: float = Field(
        default=0.3, ge=0, le=1, description="lowest share of candidates that the verifiers accept"
    )
    coverage: float = Field(default=0.5, ge=0, le=1, description="lowest share of a stratum's quota that is filled")
    balance: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="lowest share of one generator in a release's items, times the number of generators",
    )
    screening: float = Field(default=0.2, ge=0, le=1, description="lowest share of base instances that screeners solve")
    invalid: float = Field(default=0.1, ge=0, le=1, description="highest share of INVALID responses")
    near_copies: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="highest share of perturbed items whose planted text has a near copy in the round",
    )
    last_sentence: float = Field(
        default=0.25,
        ge=0,
        le=1,
        description="highest share of perturbed items with changed passages whose change is their last sentence",
    )
    asked: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="lowest share of passages with an accepted question, among those asked about",
    )
    unreadable: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="highest share of a stage's units with unreadable replies; a stage sure to exceed it stops early",
    )
    audit: AuditBounds | None = Field(default=None, description="bounds of the human audit of items")
    judge: JudgeBounds | None = Field(default=None, description="bounds of the agreement between judges and people")
    stop_on_sample: bool = False
