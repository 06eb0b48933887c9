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
from demur.warehouse.vocabulary import ASSOCIATIONS, JUDGE_COEFFICIENTS


class PairedTests(UnitRow, table=Table.PAIRED_TESTS, key="judge first second metric"):
    """One row per judge, metric and pair of respondents."""

    judge: Text = filled("judge of the counted judgements")
    first: Text = filled("first respondent")
    second: Text = filled("second respondent")
    metric: Text = filled("name of the metric, as in `scores`")
    items: Whole = count("number of items that both respondents answered")
    sources: Whole = count("number of base instances of the items that both respondents answered")
    difference: Real = column("score of `first` minus score of `second`; null if undefined", null=True)
    se: Real = column("standard error of `difference`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    p_value: Real = share(
        "two-sided p value of no difference, from the clustered standard error; null if undefined", null=True
    )
    p_value_holm: Real = share(
        "`p_value` with Holm's adjustment over all pairs of the metric; null if undefined", null=True
    )
    minimum_detectable: Real = column(
        "smallest difference that the same number of base instances detects with a power of 0.8; null if undefined",
        null=True,
        ge=0,
    )
    only_first: Whole = count(
        "number of items with the metric's event for `first` only, such as a false refusal; for "
        "`calibrated_refusal_score`, the event is a right response"
    )
    only_second: Whole = count("number of items with the metric's event for `second` only")
    mcnemar_p_value: Real = share(
        "p value of the exact McNemar test of `only_first` and `only_second`, which assumes independent items; null "
        "for metrics that are not a share of common items",
        null=True,
    )
    mcnemar_p_value_holm: Real = share(
        "`mcnemar_p_value` with Holm's adjustment over all pairs of the metric; null if undefined", null=True
    )
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class Associations(UnitRow, table=Table.ASSOCIATIONS, key="judge statistic factor first second metric"):
    """One row per judge, statistic, factor, pair of groups (for differences) and metric."""

    judge: Text = filled("judge of the counted judgements")
    statistic: Text = one_of("`correlation`, `slope` or `difference`", ASSOCIATIONS)
    factor: Text = filled("second metric of a correlation, or tag of the respondents")
    first: Text = filled("first group of a difference; null for other statistics", null=True)
    second: Text = filled("second group of a difference; null for other statistics", null=True)
    metric: Text = filled("name of the metric, as in `scores`")
    value: Real = column("value of the statistic; null if undefined", null=True)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    models: Whole = count("number of respondents")
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class NoiseFloors(UnitRow, table=Table.NOISE_FLOORS, key="respondent metric"):
    """One row per respondent and metric."""

    respondent: Text = filled("model under evaluation")
    metric: Text = filled("name of the metric, as in `scores`")
    first_judge: Text = filled("label of the first judging")
    second_judge: Text = filled("label of the second judging")
    responses: Whole = count("number of responses that were judged at least twice")
    difference: Real = column(
        "score by the first judging minus score by the second judging; null if undefined", null=True
    )
    se: Real = column("standard error of `difference`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    same_class: Real = share(
        "share of responses with the same class in all judgings; null if no response was judged twice", null=True
    )
    alpha: Real = column("Krippendorff's alpha of the classes; null if undefined", null=True, le=1.0)
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class JudgeAgreements(UnitRow, table=Table.JUDGE_AGREEMENTS, key="coefficient first second"):
    """One row per coefficient and pair of judges, over responses that judges were asked about."""

    coefficient: Text = one_of(
        "`cohen` (kappa of classes) and `spearman` (rho of qualities) for a pair of judges; `fleiss` (kappa) for all "
        "judges; `undecided` for the share of responses without a majority",
        JUDGE_COEFFICIENTS,
    )
    first: Text = filled("first judge of the pair; null for all judges", null=True)
    second: Text = filled("second judge of the pair; null for all judges", null=True)
    n: Whole = count(
        "number of responses that the judges were asked about; responses that are exactly one code are left out"
    )
    value: Real = column("value of the coefficient; null if undefined", null=True, le=1.0)
    se: Real = column("standard error of `value`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class Drifts(UnitRow, table=Table.DRIFTS, key="round_id respondent judge metric earlier_round_id levers"):
    """One row per respondent, judge, metric, split of levers and earlier round: the change of a score."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    metric: Text = filled("name of a headline metric, as in `scores`")
    earlier_round_id: Text = filled("id of the earlier round")
    difference: Real = column(
        "score of this round minus score of the earlier round; null if one of the scores is undefined", null=True
    )
    se: Real = column(
        "standard error of `difference`, from the bootstrap over source questions; null if undefined", null=True, ge=0
    )
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    p_value: Real = share("p value of no difference; null if undefined", null=True)
    sources: Whole = count("number of source questions of this round")
    sources_earlier: Whole = count("number of source questions of the earlier round")
    sources_shared: Whole = count("number of source questions that are in both rounds, and are resampled once for both")
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)
    levers: Text = one_of("levers of the items: `all`, `train` or `held_out`", LEVER_SPLITS)
