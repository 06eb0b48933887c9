"""Models of what the score stage lands beside scores, and of responses that were made elsewhere."""

from demur.warehouse.schemas.base import (
    Flag,
    Real,
    TableModel,
    Text,
    Texts,
    Whole,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    one_of,
    share,
)
from demur.warehouse.vocabulary import CODES, CONFIDENCE_PARTS, CONFIDENCES, ITEM_KINDS, LAYOUTS, PREDICTED


class ImportedResponses(TableModel):
    """One row per response read from a file."""

    round_id: Text = filled()
    unit_id: Text = filled()
    response_id: Text = filled(unique=True)
    source_id: Text = filled()
    item_id: Text = filled()
    kind: Text = one_of(ITEM_KINDS)
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    expected: Text = one_of(CODES)
    respondent: Text = filled()
    language: Text = filled(null=True)
    layout: Text = one_of(LAYOUTS, null=True)
    replicate: Whole = count()
    judge: Text = filled()
    predicted: Text = one_of(PREDICTED)
    response: Text = column(null=True)
    quality: Real = column(null=True, in_range={"min_value": 1.0, "max_value": 5.0})
    eligible: Flag = column(null=True)
    supported_all: Flag = column(null=True)
    supported_relevant: Flag = column(null=True)
    correct: Flag = column(null=True)
    confidence: Text = one_of(CONFIDENCES, null=True)

    class Config:
        """Name of the table."""

        name = "imported_responses"


class ResponseCounts(TableModel):
    """One row per respondent, judge and combination of the other columns."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    judge: Text = filled()
    kind: Text = one_of(ITEM_KINDS)
    layout: Text = one_of(LAYOUTS)
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    domain: Text = filled(null=True)
    language: Text = filled(null=True)
    lever_id: Text = filled(null=True)
    expected: Text = one_of(CODES)
    predicted: Text = one_of(PREDICTED)
    correct: Flag = column(null=True)
    eligible: Flag = column(null=True)
    supported_all: Flag = column(null=True)
    supported_relevant: Flag = column(null=True)
    confidence: Text = one_of(CONFIDENCES, null=True)
    responses: Whole = column(ge=1)

    class Config:
        """Name of the table and its key."""

        name = "response_counts"
        unique = [
            "respondent", "judge", "kind", "layout", "class", "intensity", "domain", "language", "lever_id", "expected",
            "predicted", "correct", "eligible", "supported_all", "supported_relevant", "confidence",
        ]  # fmt: skip


class CodeUse(TableModel):
    """One row per respondent and judge."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    judge: Text = filled()
    refusals: Whole = count()
    entropy_bits: Real = column(null=True, ge=0)
    entropy_bits_low: Real = column(null=True, ge=0)
    entropy_bits_high: Real = column(null=True, ge=0)
    expected_entropy_bits: Real = column(null=True, ge=0)
    top_code: Text = one_of(PREDICTED, null=True)
    top_share: Real = share(null=True)
    top_share_low: Real = share(null=True)
    top_share_high: Real = share(null=True)
    never_given: Texts = column()
    constant_code: Text = one_of(CODES, null=True)
    constant_refusal_accuracy: Real = share(null=True)
    constant_calibrated_refusal_score: Real = share(null=True)
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "code_use"
        unique = ["respondent", "judge"]


class Calibration(TableModel):
    """One row per respondent, judge, part and level of confidence."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    judge: Text = filled()
    part: Text = one_of(CONFIDENCE_PARTS)
    confidence: Text = one_of(CONFIDENCES)
    midpoint: Real = share()
    n: Whole = count()
    accuracy: Real = share(null=True)
    se: Real = column(null=True, ge=0)
    low: Real = share(null=True)
    high: Real = share(null=True)
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "calibration"
        unique = ["respondent", "judge", "part", "confidence"]


class Difficulties(TableModel):
    """One row per judge, factor and value."""

    round_id: Text = filled()
    unit_id: Text = filled()
    judge: Text = filled()
    factor: Text = filled()
    factor_value: Text = filled()
    items: Whole = count()
    sources: Whole = count()
    responses: Whole = count()
    difficulty: Real = share(null=True)
    se: Real = column(null=True, ge=0)
    low: Real = share(null=True)
    high: Real = share(null=True)
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "difficulties"
        unique = ["judge", "factor", "factor_value"]


class Reaches(TableModel):
    """One row per respondent and judge."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    judge: Text = filled()
    items: Whole = count()
    sources: Whole = count()
    share_right: Real = share(null=True)
    low: Real = share(null=True)
    high: Real = share(null=True)
    design_effect: Real = column(null=True)
    icc: Real = column(null=True)
    effective_items: Real = column(null=True, ge=0)
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "reaches"
        unique = ["respondent", "judge"]
