"""Models of what verification adds up to: matched cells, rates, agreement."""

from typing import Annotated

import pandas as pd
import pyarrow as pa
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import Real, TableModel, Text, Texts, Whole, column, count, filled, one_of, present
from demur.warehouse.vocabulary import AGREEMENT_COEFFICIENTS, VERIFICATION_STATISTICS

_Reals = Annotated[pd.ArrowDtype, pa.list_(pa.float64())]


class Verifications(TableModel):
    """One row per round."""

    round_id: Text = filled(unique=True)
    unit_id: Text = filled()
    cells: Whole = count()
    cells_seen: Whole = count()
    instances: Whole = count()
    stop_order: Texts = column()
    asked: _Reals = column()
    remark: Text = filled(null=True)

    class Config:
        """Name of the table."""

        name = "verifications"


class VerificationRates(TableModel):
    """One row per statistic, generator, verifier and slice."""

    round_id: Text = filled()
    unit_id: Text = filled()
    statistic: Text = one_of(VERIFICATION_STATISTICS)
    generator: Text = filled(null=True)
    verifier: Text = filled(null=True)
    slice: Text = filled()
    slice_value: Text = filled()
    value: Real = column(null=True, in_range={"min_value": -1.0, "max_value": 1.0})
    se: Real = column(null=True, ge=0)
    low: Real = column(null=True)
    high: Real = column(null=True)
    n: Whole = count()
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "verification_rates"
        unique = ["statistic", "generator", "verifier", "slice", "slice_value"]

    @dataframe_check(name="empty_has_a_reason", error="a rate without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])


class VerifierAgreements(TableModel):
    """One row per coefficient and pair of verifiers."""

    round_id: Text = filled()
    unit_id: Text = filled()
    coefficient: Text = one_of(AGREEMENT_COEFFICIENTS)
    first: Text = filled(null=True)
    second: Text = filled(null=True)
    value: Real = column(null=True, le=1.0)
    se: Real = column(null=True, ge=0)
    low: Real = column(null=True)
    high: Real = column(null=True)
    n: Whole = count()
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "verifier_agreements"
        unique = ["coefficient", "first", "second"]
