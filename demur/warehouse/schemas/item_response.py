"""Models of what item response theory says of respondents and items."""

from demur.warehouse.schemas.base import Flag, Real, Text, UnitRow, Whole, column, count, filled, one_of, share
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import ITEM_FACTORS


class ItemFits(UnitRow, table=Table.ITEM_FITS, key="judge"):
    """One row per judge: the fit behind abilities and item parameters, with its certificate."""

    judge: Text = filled("whose judgements were counted")
    respondents: Whole = count("respondents with graded responses")
    items: Whole = count("perturbed items")
    sources: Whole = count("base instances that these come from")
    difficulty_spread: Real = column("standard deviation of difficulties over items; may be null", null=True, ge=0)
    discrimination_spread: Real = column(
        "standard deviation of the logarithms of discriminations; may be null", null=True, ge=0
    )
    log_likelihood: Real = column("penalised marginal log likelihood at the fit; may be null", null=True)
    gradient: Real = column("largest slope of it left by any parameter; may be null", null=True, ge=0)
    curvature: Real = column("smallest eigenvalue of its negative Hessian; may be null", null=True)
    is_certified: Flag = column("whether slope and curvature show a maximum; may be null", null=True)
    reason: Text = filled("why something is missing; may be null", null=True)


class Abilities(UnitRow, table=Table.ABILITIES, key="respondent judge"):
    """One row per respondent and judge."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("whose judgements were counted")
    responses: Whole = count("responses to perturbed items")
    ability: Real = column("in logits; 0 gets half of the items of median difficulty")
    se: Real = column("its standard error, clustered by base instance", ge=0)
    low: Real = column("lower end of the 95 % interval")
    high: Real = column("upper end")


class ItemParameters(UnitRow, table=Table.ITEM_PARAMETERS, key="judge factor factor_value"):
    """One row per judge, factor and value: an item, or all of a lever, a stratum or a base instance."""

    judge: Text = filled("whose judgements were counted")
    factor: Text = one_of("`item_id`, `lever_id`, `class, intensity` or `base_id`", ITEM_FACTORS)
    factor_value: Text = filled("which one")
    items: Whole = count("items with this value")
    difficulty: Real = column("ability that gets half of such items right")
    difficulty_low: Real = column("lower end of its 95 % interval")
    difficulty_high: Real = column("upper end")
    discrimination: Real = column("how steeply being right rises with ability, per logit", ge=0)
    discrimination_low: Real = column("lower end of its 95 % interval", ge=0)
    discrimination_high: Real = column("upper end", ge=0)
    information: Real = column("what one such item tells of the best respondent's ability", ge=0)
    information_low: Real = column("lower end of its 95 % interval", ge=0)
    information_high: Real = column("upper end", ge=0)
    suspicion: Real = share(
        "of an item: probability that abler respondents get it wrong more often, at even odds beforehand; else null",
        null=True,
    )


class InformationCurves(UnitRow, table=Table.INFORMATION_CURVES, key="judge slice slice_value ability"):
    """One row per judge, slice and ability."""

    judge: Text = filled("whose judgements were counted")
    slice: Text = filled("`overall` or `class, intensity`")
    slice_value: Text = filled("which one")
    ability: Real = column("in logits, from -4 to 4")
    information: Real = column("what all items of the slice tell there: one over the variance of an ability", ge=0)
