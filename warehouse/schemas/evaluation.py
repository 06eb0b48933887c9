"""Models of what assemble and evaluate land: items, responses, judgements, scores."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.levers.vocabulary import STRATA, Code, expected_code
from demur.warehouse.schemas.base import (
    Flag,
    Passages,
    Real,
    TableModel,
    Text,
    Texts,
    Whole,
    absent,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    one_of,
    present,
)
from demur.warehouse.vocabulary import CODES, CONFIDENCES, ITEM_KINDS, PREDICTED

_EXPECTED = {(c.value, i.value): expected_code(c, i).value for c, i in STRATA}
_OF_PERTURBED = ["perturbation_id", "class", "intensity", "lever_id", "lever", "generator"]


class Items(TableModel):
    """One row per accepted and sampled perturbation, and one per control."""

    round_id: Text = filled()
    unit_id: Text = filled()
    item_id: Text = filled(unique=True)
    kind: Text = one_of(ITEM_KINDS)
    base_id: Text = filled()
    perturbation_id: Text = filled(null=True)
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    lever_id: Text = filled(null=True)
    lever: Text = filled(null=True)
    generator: Text = filled(null=True)
    expected: Text = one_of(CODES)
    question: Text = filled()
    answers: Texts = column()
    passages: Passages = column()

    class Config:
        """Name of the table."""

        name = "items"

    @dataframe_check(
        name="kind_fits", error="a perturbed item names its perturbation and lever, a control none of them"
    )
    @classmethod
    def _kind_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        perturbed = frame["kind"] == "perturbed"
        return (perturbed & present(frame, _OF_PERTURBED)) | (~perturbed & absent(frame, _OF_PERTURBED))

    @dataframe_check(name="expected_fits_stratum", error="expected must be the code of the item's class and intensity")
    @classmethod
    def _expected_fits_stratum(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        strata = zip(frame["class"], frame["intensity"], strict=True)
        codes = [Code.ANSWER_CORRECTLY.value if pd.isna(c) else _EXPECTED.get((c, i)) for c, i in strata]
        return frame["expected"] == pd.Series(codes, index=frame.index, dtype=frame["expected"].dtype)


class Responses(TableModel):
    """One row per item, respondent and replicate."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    response_id: Text = filled(unique=True)
    item_id: Text = filled()
    base_id: Text = filled()
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    respondent: Text = filled()
    replicate: Whole = count()
    response: Text = column()
    confidence: Text = one_of(CONFIDENCES, null=True)

    class Config:
        """Name of the table and its key."""

        name = "responses"
        unique = ["item_id", "respondent", "replicate"]


class Judgements(TableModel):
    """One row per response and judge."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    response_id: Text = filled()
    item_id: Text = filled()
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    respondent: Text = filled()
    judge: Text = filled()
    predicted: Text = one_of(PREDICTED)
    several_codes: Flag = column()
    quality: Whole = column(null=True, in_range={"min_value": 1, "max_value": 5})
    eligible: Flag = column(null=True)
    supported_all: Flag = column(null=True)
    supported_relevant: Flag = column(null=True)
    correct: Flag = column(null=True)
    explanation: Text = column(null=True)
    other_codes: Texts = column(null=True)

    class Config:
        """Name of the table and its key."""

        name = "judgements"
        unique = ["response_id", "judge"]


class Scores(TableModel):
    """One row per respondent, judge, slice and metric."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    judge: Text = filled()
    slice: Text = filled()
    slice_value: Text = filled()
    metric: Text = filled()
    value: Real = column(null=True)
    se: Real = column(null=True, ge=0)
    low: Real = column(null=True)
    high: Real = column(null=True)
    n: Whole = count()
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "scores"
        unique = ["respondent", "judge", "slice", "slice_value", "metric"]

    @dataframe_check(name="empty_has_a_reason", error="a metric without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])

    @dataframe_check(name="interval_is_ordered", error="low is at most high")
    @classmethod
    def _interval_is_ordered(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["low"] <= frame["high"]).fillna(True)
