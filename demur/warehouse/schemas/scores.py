"""Schemas of the tables of the stage `score` other than `scores`, and schema of the table of imported responses."""

from demur.levers.vocabulary import PREDICTED
from demur.warehouse.schemas.base import (
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
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import CODES, CONFIDENCE_PARTS, CONFIDENCES, EXPECTED, ITEM_KINDS, LAYOUTS, REACTIONS


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
