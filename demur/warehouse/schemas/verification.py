"""Schemas of the tables with results of verification: rates, agreement, and the numbers of matched cells.

A cell is the group of candidates of one base instance in one stratum. A cell is matched if all generators have a
candidate in it and all verifiers have judged each of these candidates.
"""

from typing import Annotated

import pandas as pd
import pyarrow as pa
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    Real,
    TableModel,
    Text,
    Texts,
    UnitRow,
    Whole,
    column,
    count,
    filled,
    names,
    one_of,
    present,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import AGREEMENT_COEFFICIENTS, VERIFICATION_STATISTICS

_Reals = Annotated[pd.ArrowDtype, pa.list_(pa.float64())]


class Verifications(TableModel, table=Table.VERIFICATIONS):
    """One row per round."""

    round_id: Text = names(Table.ROUNDS, "the round", unique=True)
    unit_id: Text = filled("unit of stage `agree`")
    cells: Whole = count("matched cells")
    cells_seen: Whole = count("cells with a candidate")
    instances: Whole = count("candidates in matched cells")
    stop_order: Texts = column("verifiers in the order that finds failing candidates soonest")
    asked: _Reals = column(
        "share of instances that each verifier of `stop_order` judges if asking ends at the first failing verdict"
    )
    remark: Text = filled("why there are no statistics, or which candidates they leave out; may be null", null=True)


class VerificationRates(UnitRow, table=Table.VERIFICATION_RATES, key="statistic generator verifier slice slice_value"):
    """One row per statistic, generator, verifier and slice."""

    statistic: Text = one_of(
        "`pass_rate`, `unanimous_rate`, `self_rate` (a model's verdicts on its own candidates), `cross_rate` (verdicts "
        "of other models on them), `bias` (self less cross)",
        VERIFICATION_STATISTICS,
    )
    generator: Text = filled("generator of the candidates; null for all generators", null=True)
    verifier: Text = filled("verifier; null for all verifiers", null=True)
    slice: Text = filled("`overall`, `class` or `intensity`")
    slice_value: Text = filled("value of the slice")
    value: Real = column("the statistic; may be null", null=True, in_range={"min_value": -1.0, "max_value": 1.0})
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    n: Whole = count("verdicts behind it")
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)

    @dataframe_check(name="empty_has_a_reason", error="a rate without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])


class VerifierAgreements(UnitRow, table=Table.VERIFIER_AGREEMENTS, key="coefficient first second"):
    """One row per coefficient and pair of verifiers."""

    coefficient: Text = one_of("`cohen` of a pair; `fleiss`, `alpha` of all verifiers", AGREEMENT_COEFFICIENTS)
    first: Text = filled("one verifier; null for all of them", null=True)
    second: Text = filled("the other; null for all of them", null=True)
    value: Real = column("the statistic; may be null", null=True, le=1.0)
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    n: Whole = count("verdicts behind it")
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)
