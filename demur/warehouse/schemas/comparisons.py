"""Models of comparisons of scores: respondents, judges, factors and rounds with one another."""

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
    """One row per judge, pair of respondents and metric."""

    judge: Text = filled("whose judgements were counted")
    first: Text = filled("one respondent")
    second: Text = filled("the other")
    metric: Text = filled("as in `scores`")
    items: Whole = count("items that both answered")
    sources: Whole = count("base instances that these come from")
    difference: Real = column("first less second", null=True)
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    p_value: Real = share("two-sided, of no difference, from the clustered standard error", null=True)
    p_value_holm: Real = share("the same, adjusted for all pairs of the metric (Holm)", null=True)
    minimum_detectable: Real = column(
        "difference that this many base instances find with a power of 0.8", null=True, ge=0
    )
    only_first: Whole = count(
        "items on which only the first does what the metric counts; for `calibrated_refusal_score`: responds rightly"
    )
    only_second: Whole = count("items on which only the second does")
    mcnemar_p_value: Real = share(
        "exact McNemar test of these two numbers; takes items for independent; null for metrics that are no share of "
        "the same items for both",
        null=True,
    )
    mcnemar_p_value_holm: Real = share("the same, adjusted for all pairs of the metric", null=True)
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class Associations(UnitRow, table=Table.ASSOCIATIONS, key="judge statistic factor first second metric"):
    """One row per judge, statistic, factor, groups and metric."""

    judge: Text = filled("whose judgements were counted")
    statistic: Text = one_of("`correlation`, `slope` or `difference`", ASSOCIATIONS)
    factor: Text = filled("the other metric, or the tag")
    first: Text = filled("for a difference: one group; else null", null=True)
    second: Text = filled("for a difference: the other group; else null", null=True)
    metric: Text = filled("as in `scores`")
    value: Real = column("the statistic; may be null", null=True)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    models: Whole = count("respondents that it is about")
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class NoiseFloors(UnitRow, table=Table.NOISE_FLOORS, key="respondent metric"):
    """One row per respondent and metric."""

    respondent: Text = filled("model under evaluation")
    metric: Text = filled("as in `scores`")
    first_judge: Text = filled("one judging")
    second_judge: Text = filled("the other")
    responses: Whole = count("responses judged at least twice")
    difference: Real = column("first less second judging", null=True)
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    same_class: Real = share("responses that all judgings class alike / responses", null=True)
    alpha: Real = column("Krippendorff's alpha of the classes; may be null", null=True, le=1.0)
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class Drifts(UnitRow, table=Table.DRIFTS, key="round_id respondent judge metric earlier_round_id levers"):
    """One row per respondent, judge, metric and earlier round."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("whose judgements were counted")
    metric: Text = filled("one of the headline metrics, see `scores`")
    earlier_round_id: Text = filled("the round that it is held against")
    difference: Real = column("this round's score less the earlier one's; null where one is undefined", null=True)
    se: Real = column("standard error from the bootstrap over source questions", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    p_value: Real = share("of no difference; may be null", null=True)
    sources: Whole = count("source questions of this round")
    sources_earlier: Whole = count("source questions of the earlier round")
    sources_shared: Whole = count("source questions in both, resampled once for both")
    reason: Text = filled("why something is missing; may be null", null=True)
    levers: Text = one_of("`all`, `train` or `held_out`: items of which levers", LEVER_SPLITS)
