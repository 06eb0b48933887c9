"""Conditions on people's findings for calling a release audited or calibrated: `gates.audit` and `gates.judge`."""

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
