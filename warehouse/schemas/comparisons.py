"""Models of what compares scores: respondents, judges, factors and rounds with one another."""

from demur.warehouse.schemas.base import (
    Real,
    TableModel,
    Text,
    Whole,
    column,
    count,
    filled,
    one_of,
    share,
)
from demur.warehouse.vocabulary import ASSOCIATIONS


class PairedTests(TableModel):
    """One row per judge, pair of respondents and metric."""

    round_id: Text = filled()
    unit_id: Text = filled()
    judge: Text = filled()
    first: Text = filled()
    second: Text = filled()
    metric: Text = filled()
    items: Whole = count()
    sources: Whole = count()
    difference: Real = column(null=True)
    se: Real = column(null=True, ge=0)
    low: Real = column(null=True)
    high: Real = column(null=True)
    p_value: Real = share(null=True)
    p_value_holm: Real = share(null=True)
    minimum_detectable: Real = column(null=True, ge=0)
    only_first: Whole = count()
    only_second: Whole = count()
    mcnemar_p_value: Real = share(null=True)
    mcnemar_p_value_holm: Real = share(null=True)
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "paired_tests"
        unique = ["judge", "first", "second", "metric"]


class Associations(TableModel):
    """One row per judge, statistic, factor, groups and metric."""

    round_id: Text = filled()
    unit_id: Text = filled()
    judge: Text = filled()
    statistic: Text = one_of(ASSOCIATIONS)
    factor: Text = filled()
    first: Text = filled(null=True)
    second: Text = filled(null=True)
    metric: Text = filled()
    value: Real = column(null=True)
    low: Real = column(null=True)
    high: Real = column(null=True)
    models: Whole = count()
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "associations"
        unique = ["judge", "statistic", "factor", "first", "second", "metric"]


class NoiseFloors(TableModel):
    """One row per respondent and metric."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    metric: Text = filled()
    first_judge: Text = filled()
    second_judge: Text = filled()
    responses: Whole = count()
    difference: Real = column(null=True)
    se: Real = column(null=True, ge=0)
    low: Real = column(null=True)
    high: Real = column(null=True)
    same_class: Real = share(null=True)
    alpha: Real = column(null=True, le=1.0)
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "noise_floors"
        unique = ["respondent", "metric"]


class Drifts(TableModel):
    """One row per respondent, judge, metric and earlier round."""

    round_id: Text = filled()
    unit_id: Text = filled()
    respondent: Text = filled()
    judge: Text = filled()
    metric: Text = filled()
    earlier_round_id: Text = filled()
    difference: Real = column(null=True)
    se: Real = column(null=True, ge=0)
    low: Real = column(null=True)
    high: Real = column(null=True)
    p_value: Real = share(null=True)
    sources: Whole = count()
    sources_earlier: Whole = count()
    sources_shared: Whole = count()
    reason: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "drifts"
        unique = ["round_id", "respondent", "judge", "metric", "earlier_round_id"]
