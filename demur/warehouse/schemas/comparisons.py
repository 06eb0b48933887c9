"""Schemas of the tables that compare scores between respondents, judges, factors or rounds."""

from demur.levers.held_out import LEVER_SPLITS
from demur.warehouse.schemas.base import (
    Real,
    Text,
    UnitRow,
    Whole,
    column,
    count,
    filled,
    one_of,
    share,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import ASSOCIATIONS


class PairedTests(UnitRow, table=Table.PAIRED_TESTS, key="judge first second metric"):
    """One row per judge, metric and pair of respondents."""

    judge: Text = filled("judge of the counted judgements")
    first: Text = filled("one respondent")
    second: Text = filled("the other")
    metric: Text = filled("as in `scores`")
    items: Whole = count("items that both answered")
    sources: Whole = count("base instances of these items")
    difference: Real = column("first less second", null=True)
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    p_value: Real = share("two-sided p value of no difference, from the clustered standard error", null=True)
    p_value_holm: Real = share("`p_value` with Holm's adjustment over all pairs of the metric", null=True)
    minimum_detectable: Real = column(
        "difference that as many base instances detect with a power of 0.8", null=True, ge=0
    )
    only_first: Whole = count(
        "items on which only the first shows the metric's event; for `calibrated_refusal_score`, a right response"
    )
    only_second: Whole = count("items on which only the second shows the metric's event")
    mcnemar_p_value: Real = share(
        "exact McNemar test of `only_first` and `only_second`, under independence of items; null for metrics that are "
        "no share of common items",
        null=True,
    )
    mcnemar_p_value_holm: Real = share(
        "`mcnemar_p_value` with Holm's adjustment over all pairs of the metric", null=True
    )
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class Associations(UnitRow, table=Table.ASSOCIATIONS, key="judge statistic factor first second metric"):
    """One row per judge, statistic, factor, pair of groups (for differences) and metric."""

    judge: Text = filled("judge of the counted judgements")
    statistic: Text = one_of("`correlation`, `slope` or `difference`", ASSOCIATIONS)
    factor: Text = filled("the other metric, or the tag")
    first: Text = filled("for a difference: one group; else null", null=True)
    second: Text = filled("for a difference: the other group; else null", null=True)
    metric: Text = filled("as in `scores`")
    value: Real = column("the statistic; may be null", null=True)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    models: Whole = count("number of respondents")
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class NoiseFloors(UnitRow, table=Table.NOISE_FLOORS, key="respondent metric"):
    """One row per respondent and metric."""

    respondent: Text = filled("model under evaluation")
    metric: Text = filled("as in `scores`")
    first_judge: Text = filled("first judging")
    second_judge: Text = filled("second judging")
    responses: Whole = count("responses judged at least twice")
    difference: Real = column("first less second judging", null=True)
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    same_class: Real = share("responses with one class in all judgings / responses", null=True)
    alpha: Real = column("Krippendorff's alpha of the classes; may be null", null=True, le=1.0)
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class Drifts(UnitRow, table=Table.DRIFTS, key="round_id respondent judge metric earlier_round_id levers"):
    """One row per respondent, judge, metric, split of levers and earlier round with which the score is compared."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    metric: Text = filled("one of the headline metrics, see `scores`")
    earlier_round_id: Text = filled("the earlier round")
    difference: Real = column("this round's score less the earlier one's; null where one is undefined", null=True)
    se: Real = column("standard error from the bootstrap over source questions", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    p_value: Real = share("of no difference; may be null", null=True)
    sources: Whole = count("source questions of this round")
    sources_earlier: Whole = count("source questions of the earlier round")
    sources_shared: Whole = count("source questions in both, resampled once for both")
    reason: Text = filled("why something is missing; may be null", null=True)
    levers: Text = one_of("levers of the items: `all`, `train` or `held_out`", LEVER_SPLITS)
