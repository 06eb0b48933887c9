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

    round_id: Text = names(Table.ROUNDS, "id of the round", unique=True)
    unit_id: Text = filled("id of the unit of stage `agree`")
    stamp: Text = filled("hash of the inputs and code that made the row", null=True)
    cells: Whole = count("number of matched cells")
    cells_seen: Whole = count("number of cells with a candidate")
    instances: Whole = count("number of candidates in matched cells")
    stop_order: Texts = column("verifiers in the order that finds failing candidates soonest")
    asked: _Reals = column(
        "share of candidates in matched cells that each verifier of `stop_order` judges if asking ends at the first "
        "failing verdict"
    )
    remark: Text = filled(
        "reason why statistics are missing, or which candidates the statistics leave out; may be null", null=True
    )


class VerificationRates(UnitRow, table=Table.VERIFICATION_RATES, key="statistic generator verifier slice slice_value"):
    """One row per statistic, generator, verifier and slice."""

    statistic: Text = one_of(
        "`pass_rate`, `unanimous_rate`, `self_rate` (verdicts of a model on its own candidates), `cross_rate` "
        "(verdicts of other models on these candidates), `bias` (`self_rate` minus `cross_rate`)",
        VERIFICATION_STATISTICS,
    )
    generator: Text = filled("generator of the candidates; null for all generators", null=True)
    verifier: Text = filled("verifier of the candidates; null for several verifiers", null=True)
    slice: Text = filled("`overall`, `class` or `intensity`")
    slice_value: Text = filled("value of the slice")
    value: Real = column(
        "value of the statistic; null if undefined", null=True, in_range={"min_value": -1.0, "max_value": 1.0}
    )
    se: Real = column("standard error of `value`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    n: Whole = count("number of verdicts; for `unanimous_rate`, number of candidates")
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)

    @dataframe_check(name="empty_has_a_reason", error="a rate without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])


class VerifierAgreements(UnitRow, table=Table.VERIFIER_AGREEMENTS, key="coefficient first second"):
    """One row per coefficient and pair of verifiers."""

    coefficient: Text = one_of(
        "`cohen` for a pair of verifiers; `fleiss` and `alpha` for all verifiers", AGREEMENT_COEFFICIENTS
    )
    first: Text = filled("first verifier of the pair; null for all verifiers", null=True)
    second: Text = filled("second verifier of the pair; null for all verifiers", null=True)
    value: Real = column("value of the coefficient; null if undefined", null=True, le=1.0)
    se: Real = column("standard error of `value`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    n: Whole = count("number of candidates in matched cells")
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)
