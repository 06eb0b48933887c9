"""Tables with scores, and comparisons of scores between respondents, judges, factors or rounds."""

from demur.levers.lever_models import LEVER_SPLITS
from demur.levers.vocabulary import PREDICTED
from demur.warehouse.tables import (
    ASSOCIATIONS,
    CODES,
    CONFIDENCE_PARTS,
    CONFIDENCES,
    EXPECTED,
    ITEM_KINDS,
    JUDGE_COEFFICIENTS,
    LAYOUTS,
    REACTIONS,
    Table,
)
from demur.warehouse.tables.columns import (
    Flag,
    Real,
    Text,
    Texts,
    UnitRow,
    Whole,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    one_of,
    share,
)

# Schemas of the tables of the stage `score` other than `scores`, and schema of the table of imported responses.


class ImportedResponses(UnitRow, table=Table.IMPORTED_RESPONSES):
    """One row per response read from a file."""

    response_id: Text = filled("hash of round, item, respondent, language, replicate and judge", unique=True)
    source_id: Text = filled("id of the source question, as the file gives it")
    item_id: Text = filled("id of the item, as the file gives it")
    kind: Text = one_of("`perturbed` or `control`", ITEM_KINDS)
    lever_class: Text = class_of_stratum("class of the item; null for controls and items without a class", null=True)
    intensity: Text = intensity_of_stratum("intensity of the item; null for controls and items without one", null=True)
    expected: Text = one_of("expected behaviour, as in `items`", EXPECTED)
    respondent: Text = filled("model under evaluation")
    language: Text = filled("language of the response; null if the file gives none", null=True)
    layout: Text = one_of("`single` or `multi`", LAYOUTS, null=True)
    replicate: Whole = count("number of the response among repeated responses, from 0")
    judge: Text = filled("name of the judge of the response, as the file gives it")
    predicted: Text = one_of(
        "classification of the response: `ANSWER_ATTEMPT`, a refusal code, or `INVALID`", PREDICTED
    )
    response: Text = column("text of the response without reasoning; null if the file gives only the class", null=True)
    reasoning: Text = column("reasoning that was removed from the reply before it counted; may be null", null=True)
    is_mixed: Flag = column(
        "whether the response answers before it states a code, so that it is an attempt; null without a text", null=True
    )
    refused_by_provider: Flag = column("whether the provider refused in place of the model; may be null", null=True)
    quality: Real = column(
        "quality of the answer, from 1 to 5; may be null", null=True, in_range={"min_value": 1.0, "max_value": 5.0}
    )
    eligible: Flag = column(
        "whether the answer gives what the question asks for, as in `judgements`; may be null", null=True
    )
    supported_all: Flag = column("whether the passages support every claim, as in `judgements`; may be null", null=True)
    supported_relevant: Flag = column(
        "whether the signal passages alone support every claim, as in `judgements`; may be null", null=True
    )
    correct: Flag = column("whether an attempt was judged correct; may be null", null=True)
    confidence: Text = one_of(
        "stated verbal confidence, from `VERY_CONFIDENT` to `VERY_UNCERTAIN`; null if none was stated",
        CONFIDENCES,
        null=True,
    )


class ResponseCounts(
    UnitRow,
    table=Table.RESPONSE_COUNTS,
    key="respondent judge kind layout class intensity domain language lever_id expected predicted correct eligible "
    "supported_all supported_relevant confidence reaction refused_by_provider",
):
    """One row per respondent, judge and occurring combination of the other key columns."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    kind: Text = one_of("`perturbed` or `control`", ITEM_KINDS)
    layout: Text = one_of("`single` or `multi`", LAYOUTS)
    lever_class: Text = class_of_stratum("class of the item; null for controls and items without a class", null=True)
    intensity: Text = intensity_of_stratum("intensity of the item; null for controls and items without one", null=True)
    domain: Text = filled("domain of the base instance; may be null", null=True)
    language: Text = filled(
        "language of the item if the round has several languages, or of an imported response; may be null", null=True
    )
    lever_id: Text = filled("id of the lever; null for controls and imported responses", null=True)
    expected: Text = one_of("expected behaviour, as in `items`", EXPECTED)
    predicted: Text = one_of(
        "classification of the response: `ANSWER_ATTEMPT`, a refusal code, or `INVALID`", PREDICTED
    )
    correct: Flag = column("whether an attempt was judged correct; may be null", null=True)
    eligible: Flag = column(
        "whether the answer gives what the question asks for, as in `judgements`; may be null", null=True
    )
    supported_all: Flag = column("whether the passages support every claim, as in `judgements`; may be null", null=True)
    supported_relevant: Flag = column(
        "whether the signal passages alone support every claim, as in `judgements`; may be null", null=True
    )
    confidence: Text = one_of(
        "stated verbal confidence, from `VERY_CONFIDENT` to `VERY_UNCERTAIN`; null if none was stated",
        CONFIDENCES,
        null=True,
    )
    reaction: Text = one_of(
        "reaction in plain words, as in `judgements`; null if respondents were told codes", REACTIONS, null=True
    )
    refused_by_provider: Flag = column("whether the provider refused in place of the model; may be null", null=True)
    responses: Whole = column("number of responses", ge=1)


class CodeUse(UnitRow, table=Table.CODE_USE, key="respondent judge"):
    """One row per respondent and judge."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    refusals: Whole = count("number of refusals of perturbed items")
    entropy_bits: Real = column("entropy of the given codes in bits; null without refusals", null=True, ge=0)
    entropy_bits_low: Real = column(
        "lower end of the 95 % interval of `entropy_bits`; null if there is no interval", null=True, ge=0
    )
    entropy_bits_high: Real = column(
        "upper end of the 95 % interval of `entropy_bits`; null if there is no interval", null=True, ge=0
    )
    expected_entropy_bits: Real = column(
        "entropy of the expected codes in bits; null if no code is expected", null=True, ge=0
    )
    top_code: Text = one_of("most frequent given code; null without refusals", PREDICTED, null=True)
    top_share: Real = share("share of `top_code` in all refusals; null without refusals", null=True)
    top_share_low: Real = share(
        "lower end of the 95 % interval of `top_share`; null if there is no interval", null=True
    )
    top_share_high: Real = share(
        "upper end of the 95 % interval of `top_share`; null if there is no interval", null=True
    )
    never_given: Texts = column("expected codes that the respondent never gave")
    constant_code: Text = one_of("most frequent expected code; null if no code is expected", CODES, null=True)
    constant_refusal_accuracy: Real = share(
        "refusal accuracy of a model that always gives `constant_code`; null if no code is expected", null=True
    )
    constant_calibrated_refusal_score: Real = share(
        "calibrated refusal score of a model that always gives `constant_code`; null if no code is expected", null=True
    )
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class Calibration(UnitRow, table=Table.CALIBRATION, key="respondent judge part confidence"):
    """One row per respondent, judge, part and level of confidence."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    part: Text = one_of("part of the responses: `all`, `answers` or `refusals`", CONFIDENCE_PARTS)
    confidence: Text = one_of("verbal level of confidence, from `VERY_CONFIDENT` to `VERY_UNCERTAIN`", CONFIDENCES)
    midpoint: Real = share("probability in the middle of the level's range")
    n: Whole = count("number of responses with this level")
    accuracy: Real = share(
        "share of the responses that are a correct answer or the expected code; null if undefined", null=True
    )
    se: Real = column("standard error of `accuracy`; null if undefined", null=True, ge=0)
    low: Real = share("lower end of the 95 % interval of the accuracy; null if there is no interval", null=True)
    high: Real = share("upper end of the 95 % interval of the accuracy; null if there is no interval", null=True)
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class Difficulties(UnitRow, table=Table.DIFFICULTIES, key="judge factor factor_value"):
    """One row per judge, factor and value of the factor."""

    judge: Text = filled("judge of the counted judgements")
    factor: Text = filled("name of the factor: `lever_id` or `domain`")
    factor_value: Text = filled("value of the factor")
    items: Whole = count("number of items with this value")
    sources: Whole = count("number of base instances of these items")
    responses: Whole = count("number of responses to these items")
    difficulty: Real = share(
        "share of responses that are neither a correct answer nor the expected code; null if undefined", null=True
    )
    se: Real = column("standard error of `difficulty`; null if undefined", null=True, ge=0)
    low: Real = share("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = share("upper end of the 95 % interval; null if there is no interval", null=True)
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


class SamplePrecisions(UnitRow, table=Table.SAMPLE_PRECISION, key="respondent judge"):
    """One row per respondent and judge."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    items: Whole = count("number of perturbed items")
    sources: Whole = count("number of source questions")
    share_right: Real = share(
        "mean share of right responses over source questions; null if answers have no grades", null=True
    )
    low: Real = share("lower end of the 95 % interval of `share_right`; null if there is no interval", null=True)
    high: Real = share("upper end of the 95 % interval of `share_right`; null if there is no interval", null=True)
    design_effect: Real = column(
        "variance of the mean, divided by the variance with as many independent items; null if undefined", null=True
    )
    icc: Real = column("correlation between two items of one source question; null if undefined", null=True)
    effective_items: Real = column("`items / design_effect`; null if undefined", null=True, ge=0)
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


# Schemas of the tables that compare scores between respondents, judges, factors or rounds.


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
