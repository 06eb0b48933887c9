"""Schemas of the tables of evaluations: items, lines of files, responses, judgements, scores."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.levers.vocabulary import PREDICTED, STRATA, Code, expected_code
from demur.warehouse.schemas.base import (
    AnswerRow,
    Flag,
    Passages,
    Real,
    Text,
    Texts,
    UnitRow,
    Whole,
    absent,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    names,
    one_of,
    present,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import CODES, CONFIDENCES, ITEM_KINDS, QUESTION_KINDS, REACTIONS

_EXPECTED = {(c.value, i.value): expected_code(c, i).value for c, i in STRATA}
_OF_PERTURBED = ["perturbation_id", "class", "intensity", "lever_id", "lever", "generator"]


class Items(UnitRow, table=Table.ITEMS):
    """One row per accepted and sampled perturbation, and one per control."""

    item_id: Text = filled("the perturbation's id, or the control's", unique=True)
    kind: Text = one_of("`perturbed` or `control`", ITEM_KINDS)
    base_id: Text = names(Table.BASE_INSTANCES, "base instance; the cluster for every interval")
    perturbation_id: Text = names(Table.PERTURBATIONS, "null for controls", null=True)
    lever_class: Text = class_of_stratum("null for controls", null=True)
    intensity: Text = intensity_of_stratum("null for controls", null=True)
    lever_id: Text = filled("null for controls", null=True)
    lever: Text = filled("null for controls", null=True)
    generator: Text = filled("null for controls", null=True)
    expected: Text = one_of(
        "`ANSWER_CORRECTLY` or the code of the class; follows from class and intensity, never from a model", CODES
    )
    question: Text = filled("what respondents are asked")
    answers: Texts = column("accepted answers of the base instance")
    passages: Passages = column("all passages, changed ones replaced")
    words_changed: Whole = count(
        "words and marks that the perturbation took out of question and passages and put in, together; null for "
        "controls",
        null=True,
    )
    frame_grams: Texts = column(
        "runs of three words that the perturbation put in, words of the base instance, names and numbers blanked; null "
        "for controls",
        null=True,
    )
    language: Text = filled("code of ISO 639-1 of the base instance; null where that is unsure", null=True)
    is_known: Flag = column(
        "whether the round's probes know the answer without passages; null where they were not asked", null=True
    )
    documents: Texts = column(
        "ids of the documents that its question was asked of; null for questions of a file", null=True
    )
    passage_ids: Texts = column("ids of its passages before any change, in their order; null likewise", null=True)
    proof: Texts = column("the sentences that proved the answer before any change; null likewise", null=True)
    question_kind: Text = one_of(
        "what the question wanted to know before any change; null likewise", QUESTION_KINDS, null=True
    )

    @dataframe_check(
        name="kind_fits", error="a perturbed item names its perturbation and lever, a control none of them"
    )
    @classmethod
    def _kind_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        perturbed = frame["kind"] != "control"
        return (perturbed & present(frame, _OF_PERTURBED)) | (~perturbed & absent(frame, _OF_PERTURBED))

    @dataframe_check(name="expected_fits_stratum", error="expected must be the code of the item's class and intensity")
    @classmethod
    def _expected_fits_stratum(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        strata = zip(frame["class"], frame["intensity"], strict=True)
        codes = [Code.ANSWER_CORRECTLY.value if pd.isna(c) else _EXPECTED.get((c, i)) for c, i in strata]
        return frame["expected"] == pd.Series(codes, index=frame.index, dtype=frame["expected"].dtype)


class FileLines(UnitRow, table=Table.FILE_LINES, key="line"):
    """One row per line of a file with completions to grade or responses to judge."""

    line: Whole = count("number of the line in the file, from 1")
    subject_id: Text = filled("hash of what is graded or judged; lines that are alike share it")
    policy: Text = filled("policy by which the completion is graded; null where a response is judged", null=True)
    behaviour: Text = filled("behaviour of the policy; null where a response is judged", null=True)
    propositions: Texts = column("propositions to grade; null for the features of the behaviour", null=True)
    prompt: Text = column("prompt of the completion, or question of the response")
    completion: Text = column("the completion or response")
    question: Text = column("question that it is held against; null for a free prompt", null=True)
    answers: Texts = column("accepted answers; null for a free prompt", null=True)
    passages: Passages = column("passages that it is held against; null for a free prompt", null=True)
    expected: Text = filled("behaviour that the question asks for, as the file says; null for a free prompt", null=True)


class Responses(AnswerRow, table=Table.RESPONSES, key="item_id respondent replicate"):
    """One row per item, respondent and replicate."""

    response_id: Text = filled("equal to `unit_id`", unique=True)
    item_id: Text = names(Table.ITEMS, "what was asked")
    base_id: Text = names(Table.BASE_INSTANCES, "its base instance")
    lever_class: Text = class_of_stratum("null for controls", null=True)
    intensity: Text = intensity_of_stratum("null for controls", null=True)
    respondent: Text = filled("model that answered")
    replicate: Whole = count("which of several tries, from 0")
    response: Text = column("the text as it came")
    confidence: Text = one_of(
        "verbal confidence, from `VERY_CONFIDENT` to `VERY_UNCERTAIN`; may be null", CONFIDENCES, null=True
    )
    citations: Texts = column("ids that a system's answer cites; null where it names none", null=True)
    retrieved: Texts = column("ids that a system's answer was made from; null likewise", null=True)


class Judgements(AnswerRow, table=Table.JUDGEMENTS, key="response_id judge"):
    """One row per response and judge."""

    response_id: Text = names(Table.RESPONSES, "what was judged")
    item_id: Text = names(Table.ITEMS, "its item")
    lever_class: Text = class_of_stratum("null for controls", null=True)
    intensity: Text = intensity_of_stratum("null for controls", null=True)
    respondent: Text = filled("who answered; the judge is not told")
    judge: Text = filled("model that judged")
    predicted: Text = one_of("`ANSWER_ATTEMPT`, a `REFUSE_*` code, or `INVALID`", PREDICTED)
    several_codes: Flag = column("whether the response states more than one code")
    quality: Whole = column(
        "1 to 5, for attempts on answerable items of one passage; else null",
        null=True,
        in_range={"min_value": 1, "max_value": 5},
    )
    eligible: Flag = column("meets what the question is after; several documents; may be null", null=True)
    supported_all: Flag = column("every claim supported by some passage; several documents; may be null", null=True)
    supported_relevant: Flag = column(
        "every claim supported by signal passages alone; several documents; may be null", null=True
    )
    correct: Flag = column(
        "attempts on answerable items only: quality of at least 4, or eligible and supported by signal passages; else "
        "null",
        null=True,
    )
    explanation: Text = column("one sentence of the judge; may be null", null=True)
    other_codes: Texts = column("codes that the response names beside the one it decides on; may be null", null=True)
    reaction: Text = one_of(
        "what a response in plain words does: `answer`, `partial_answer`, `refusal`, `refusal_without_reason` or "
        "`asked_back`; null where respondents were told codes, or no judgement could be read",
        REACTIONS,
        null=True,
    )


class Scores(UnitRow, table=Table.SCORES, key="respondent judge slice slice_value metric"):
    """One row per respondent, judge, slice and metric."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    slice: Text = filled(
        "`overall`, `class`, `intensity`, `class, intensity`, `domain`, `language`, `kind` (controls), "
        "`memory` and `class, memory` (whether probes know the answer) or `near pairs` (of a control and an item); "
        "controls are in no other slice"
    )
    slice_value: Text = filled("which one, as in `P-Ambiguity, HIGH`; `overall` for overall")
    metric: Text = filled("see below")
    value: Real = column("null where there is nothing to count", null=True)
    se: Real = column("standard error; may be null", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    n: Whole = count("responses that the value is about: its denominator")
    reason: Text = filled("why value or interval is missing, or how the interval was made; may be null", null=True)

    @dataframe_check(name="empty_has_a_reason", error="a metric without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])

    @dataframe_check(name="interval_is_ordered", error="low is at most high")
    @classmethod
    def _interval_is_ordered(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["low"] <= frame["high"]).fillna(True)
