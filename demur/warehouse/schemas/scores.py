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
from demur.warehouse.vocabulary import CODES, CONFIDENCE_PARTS, CONFIDENCES, ITEM_KINDS, LAYOUTS, REACTIONS


class ImportedResponses(UnitRow, table=Table.IMPORTED_RESPONSES):
    """One row per response read from a file."""

    response_id: Text = filled("hash of round, item, respondent, language, replicate and judge", unique=True)
    source_id: Text = filled("base question, as the file names it")
    item_id: Text = filled("item, as the file names it")
    kind: Text = one_of("`perturbed` or `control`", ITEM_KINDS)
    lever_class: Text = class_of_stratum("class; null for controls", null=True)
    intensity: Text = intensity_of_stratum("intensity; null for controls", null=True)
    expected: Text = one_of("expected behaviour", CODES)
    respondent: Text = filled("model under evaluation")
    language: Text = filled("language of an imported response; may be null", null=True)
    layout: Text = one_of("`single` or `multi`", LAYOUTS, null=True)
    replicate: Whole = count("place among repeated responses, from 0")
    judge: Text = filled("name of the judge that classified the responses, as the file gives it")
    predicted: Text = one_of("`ANSWER_ATTEMPT`, a refusal code, or `INVALID`", PREDICTED)
    response: Text = column("text of the response; null if the file gives its class only", null=True)
    quality: Real = column("1 to 5; may be null", null=True, in_range={"min_value": 1.0, "max_value": 5.0})
    eligible: Flag = column("as in `judgements`; items of several documents; may be null", null=True)
    supported_all: Flag = column("as in `judgements`; items of several documents; may be null", null=True)
    supported_relevant: Flag = column("as in `judgements`; items of several documents; may be null", null=True)
    correct: Flag = column("whether an attempt is correct, as judged; may be null", null=True)
    confidence: Text = one_of("verbal level that was stated; may be null", CONFIDENCES, null=True)


class ResponseCounts(
    UnitRow,
    table=Table.RESPONSE_COUNTS,
    key="respondent judge kind layout class intensity domain language lever_id expected predicted correct eligible "
    "supported_all supported_relevant confidence reaction",
):
    """One row per respondent, judge and occurring combination of the other key columns."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    kind: Text = one_of("`perturbed` or `control`", ITEM_KINDS)
    layout: Text = one_of("`single` or `multi`", LAYOUTS)
    lever_class: Text = class_of_stratum("class; null for controls", null=True)
    intensity: Text = intensity_of_stratum("intensity; null for controls", null=True)
    domain: Text = filled("domain of the base instance; may be null", null=True)
    language: Text = filled(
        "language of the item where the round has several, or of an imported response; may be null", null=True
    )
    lever_id: Text = filled("lever; null for controls and imported responses", null=True)
    expected: Text = one_of("expected behaviour", CODES)
    predicted: Text = one_of("`ANSWER_ATTEMPT`, a refusal code, or `INVALID`", PREDICTED)
    correct: Flag = column("whether an attempt is correct, as judged; may be null", null=True)
    eligible: Flag = column("as in `judgements`; items of several documents; may be null", null=True)
    supported_all: Flag = column("as in `judgements`; items of several documents; may be null", null=True)
    supported_relevant: Flag = column("as in `judgements`; items of several documents; may be null", null=True)
    confidence: Text = one_of("verbal level that was stated; may be null", CONFIDENCES, null=True)
    reaction: Text = one_of("as in `judgements`; null where respondents were told codes", REACTIONS, null=True)
    responses: Whole = column("number of responses", ge=1)


class CodeUse(UnitRow, table=Table.CODE_USE, key="respondent judge"):
    """One row per respondent and judge."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    refusals: Whole = count("refusals of perturbed items")
    entropy_bits: Real = column("entropy of the codes given, in bits; null without refusals", null=True, ge=0)
    entropy_bits_low: Real = column("lower end of its interval", null=True, ge=0)
    entropy_bits_high: Real = column("upper end", null=True, ge=0)
    expected_entropy_bits: Real = column("entropy of the codes expected", null=True, ge=0)
    top_code: Text = one_of("the commonest code given", PREDICTED, null=True)
    top_share: Real = share("share of `top_code` in refusals", null=True)
    top_share_low: Real = share("lower end of its interval", null=True)
    top_share_high: Real = share("upper end", null=True)
    never_given: Texts = column("expected codes that were never given")
    constant_code: Text = one_of("code with the highest refusal accuracy if always given", CODES, null=True)
    constant_refusal_accuracy: Real = share("refusal accuracy of a model that always gives `constant_code`", null=True)
    constant_calibrated_refusal_score: Real = share(
        "calibrated refusal score of a model that always gives `constant_code`", null=True
    )
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class Calibration(UnitRow, table=Table.CALIBRATION, key="respondent judge part confidence"):
    """One row per respondent, judge, part and level of confidence."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    part: Text = one_of("`all`, `answers` or `refusals`", CONFIDENCE_PARTS)
    confidence: Text = one_of("verbal level that was stated; may be null", CONFIDENCES)
    midpoint: Real = share("middle of the level's range")
    n: Whole = count("responses with this level")
    accuracy: Real = share("correct answers and expected codes among them; may be null", null=True)
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = share("lower end of the 95 % interval of the accuracy; may be null", null=True)
    high: Real = share("upper end; may be null", null=True)
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class Difficulties(UnitRow, table=Table.DIFFICULTIES, key="judge factor factor_value"):
    """One row per judge, factor and value of the factor."""

    judge: Text = filled("judge of the counted judgements")
    factor: Text = filled("`lever_id` or `domain`")
    factor_value: Text = filled("value of the factor")
    items: Whole = count("items with this value")
    sources: Whole = count("base instances of these items")
    responses: Whole = count("responses to these items")
    difficulty: Real = share(
        "responses that are neither a correct answer nor the expected code / responses; may be null", null=True
    )
    se: Real = column("its standard error; may be null", null=True, ge=0)
    low: Real = share("lower end of the 95 % interval; may be null", null=True)
    high: Real = share("upper end; may be null", null=True)
    reason: Text = filled("why something is missing, or how the interval was made; may be null", null=True)


class SamplePrecisions(UnitRow, table=Table.SAMPLE_PRECISION, key="respondent judge"):
    """One row per respondent and judge."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    items: Whole = count("perturbed items")
    sources: Whole = count("source questions")
    share_right: Real = share(
        "mean share of right responses over source questions; null without graded answers", null=True
    )
    low: Real = share("lower end of its 95 % interval over source questions; may be null", null=True)
    high: Real = share("upper end; may be null", null=True)
    design_effect: Real = column("variance of the mean over that of as many independent items; may be null", null=True)
    icc: Real = column("correlation between two items of one source question; may be null", null=True)
    effective_items: Real = column("`items / design_effect`; may be null", null=True, ge=0)
    reason: Text = filled("why something is missing; may be null", null=True)
