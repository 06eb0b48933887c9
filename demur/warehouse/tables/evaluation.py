"""Schemas of the tables of evaluations: items, lines of files, responses, judgements, scores."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.levers.vocabulary import PREDICTED, Code, Intensity, LeverClass, expectations
from demur.warehouse.tables import CHANGE_PLACES, CONFIDENCES, EXPECTED, ITEM_KINDS, QUESTION_KINDS, REACTIONS, Table
from demur.warehouse.tables.columns import (
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

_ALLOWED = {
    (lever_class, intensity): {one.value for one in expectations(lever_class, intensity)}
    for lever_class in (None, *LeverClass)
    for intensity in (None, *Intensity)
}
_OF_PERTURBED = ["perturbation_id", "class", "intensity", "lever_id", "lever", "generator"]


class Items(UnitRow, table=Table.ITEMS):
    """One row per accepted and sampled perturbation, one per control, and one per row of an imported set."""

    item_id: Text = filled("id of the item; for a perturbed item, the id of its perturbation", unique=True)
    kind: Text = one_of(
        "`perturbed`, or `control` (an untouched question that has metrics of its own); rows of an imported set are "
        "`perturbed`",
        ITEM_KINDS,
    )
    base_id: Text = names(Table.BASE_INSTANCES, "id of the base instance, which is the cluster for intervals")
    perturbation_id: Text = names(Table.PERTURBATIONS, "id of the perturbation; null for controls", null=True)
    lever_class: Text = class_of_stratum(
        "class of the defect; null for controls and if an imported set gives none", null=True
    )
    intensity: Text = intensity_of_stratum(
        "intensity of the defect; null for controls and if an imported set gives none", null=True
    )
    lever_id: Text = filled("id of the lever; null for controls and in imported sets", null=True)
    lever: Text = filled("name of the lever; null for controls and if an imported set gives none", null=True)
    generator: Text = filled(
        "model that made the perturbation; null for controls and if an imported set names none", null=True
    )
    expected: Text = one_of(
        "expected behaviour: `ANSWER_CORRECTLY` or a refusal code, which follows from class and intensity and never "
        "from a model; in imported sets also `REFUSE` (for whatever reason)",
        EXPECTED,
    )
    question: Text = filled("question that respondents are asked")
    answers: Texts = column("accepted answers of the base instance; an imported item to be refused may have none")
    passages: Passages = column("all passages, with the changes of the perturbation")
    words_changed: Whole = count(
        "number of words and punctuation marks that the perturbation removed or added; null for controls",
        null=True,
    )
    words_added: Whole = count("number of words that the perturbation added; null for controls", null=True)
    change_place: Text = one_of(
        "place of the change: `question`, `end of the question` (words hung on, and nothing else), or a place in the "
        "changed passages: `first sentence`, `inside`, `last sentence`, `whole passage` (most of one was replaced); "
        "null for controls",
        CHANGE_PLACES,
        null=True,
    )
    frame_grams: Texts = column(
        "runs of three words of the added text, with blanks for names, numbers and words of the base instance; null "
        "for controls",
        null=True,
    )
    language: Text = filled("code of ISO 639-1 of the language of the base instance; null if uncertain", null=True)
    is_known: Flag = column(
        "whether all probes of the round know the answer without passages; null if the probes were not asked", null=True
    )
    documents: Texts = column(
        "ids of the documents that the question is about; null for questions from a file", null=True
    )
    passage_ids: Texts = column(
        "ids of the passages before any change, in order; null for questions from a file", null=True
    )
    proof: Texts = column(
        "sentences that proved the answer before any change; null for questions from a file", null=True
    )
    question_kind: Text = one_of(
        "kind of information that the unchanged question asks for, such as `who`; null for questions from a file",
        QUESTION_KINDS,
        null=True,
    )

    @dataframe_check(
        name="kind_fits",
        error="a perturbed item names its perturbation; perturbation, stratum, lever: a control none of them",
    )
    @classmethod
    def _kind_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        perturbed = frame["kind"] != "control"
        return (perturbed & present(frame, ["perturbation_id"])) | (~perturbed & absent(frame, _OF_PERTURBED))

    @dataframe_check(name="expected_fits_stratum", error="expected must be the code of the item's class and intensity")
    @classmethod
    def _expected_fits_stratum(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        strata = ([None if pd.isna(value) else value for value in frame[name]] for name in ("class", "intensity"))
        known = zip(frame["kind"], *strata, frame["expected"], strict=True)
        fits = [
            expected == Code.ANSWER_CORRECTLY if kind == "control" else expected in _ALLOWED[lever_class, intensity]
            for kind, lever_class, intensity, expected in known
        ]
        return pd.Series(fits, index=frame.index, dtype="bool")


class FileLines(UnitRow, table=Table.FILE_LINES, key="line"):
    """One row per line of a file with completions to grade or responses to judge."""

    line: Whole = count("number of the line in the file, from 1")
    subject_id: Text = filled("hash of the graded or judged content; equal lines have the same hash")
    policy: Text = filled("policy for the grading of the completion; null if a response is judged", null=True)
    behaviour: Text = filled("behaviour of the policy; null if a response is judged", null=True)
    propositions: Texts = column("propositions to grade; null if all features of the behaviour are graded", null=True)
    prompt: Text = column("prompt of the completion, or question of the response")
    completion: Text = column("text of the completion or response")
    question: Text = column("question that the completion or response is about; null for a free prompt", null=True)
    answers: Texts = column("accepted answers; null for a free prompt", null=True)
    passages: Passages = column("passages that belong to the question; null for a free prompt", null=True)
    expected: Text = filled(
        "expected behaviour for the question, as given in the file; null for a free prompt", null=True
    )


class Responses(AnswerRow, table=Table.RESPONSES, key="item_id respondent replicate"):
    """One row per item, respondent and replicate."""

    response_id: Text = filled("hash of item, respondent, replicate and text", unique=True)
    item_id: Text = names(Table.ITEMS, "id of the item")
    base_id: Text = names(Table.BASE_INSTANCES, "id of the base instance")
    lever_class: Text = class_of_stratum("class of the item; null for controls", null=True)
    intensity: Text = intensity_of_stratum("intensity of the item; null for controls", null=True)
    respondent: Text = filled("model that answered")
    replicate: Whole = count("number of the response among repeated responses, from 0")
    response: Text = column(
        "text of the response without reasoning, or the words of the provider's refusal; empty if nothing counts"
    )
    reasoning: Text = column("reasoning that was removed from the reply before it counted; may be null", null=True)
    invalid_reason: Text = filled("why nothing of the reply counts; null if something counts", null=True)
    refused_by_provider: Flag = column(
        "whether the provider refused in place of the model, by its filter or in a field for refusals; null in older "
        "rows",
        null=True,
    )
    is_cut: Flag = column(
        "whether the response was cut off at the limit of tokens (`max_tokens`); null in older rows", null=True
    )
    confidence: Text = one_of(
        "stated verbal confidence, from `VERY_CONFIDENT` to `VERY_UNCERTAIN`; null if none was stated",
        CONFIDENCES,
        null=True,
    )
    citations: Texts = column(
        "ids of the passages that the answer of a system cites; null if the system gave no such list", null=True
    )
    retrieved: Texts = column(
        "ids of the passages that a system used for its answer; null if the system gave no such list", null=True
    )


class Judgements(AnswerRow, table=Table.JUDGEMENTS, key="response_id judge"):
    """One row per response and judge."""

    response_id: Text = names(Table.RESPONSES, "id of the judged response")
    item_id: Text = names(Table.ITEMS, "id of the item")
    lever_class: Text = class_of_stratum("class of the item; null for controls", null=True)
    intensity: Text = intensity_of_stratum("intensity of the item; null for controls", null=True)
    respondent: Text = filled("model that answered; the judge is not told the name")
    judge: Text = filled("model that judged the response")
    predicted: Text = one_of(
        "classification of the response: `ANSWER_ATTEMPT`, a `REFUSE_*` code, or `INVALID`", PREDICTED
    )
    several_codes: Flag = column("whether the response states more than one code")
    is_mixed: Flag = column("whether the response answers before it states a code; null in older rows", null=True)
    quality: Whole = column(
        "quality of the answer, from 1 to 5; null unless the response is an attempt on an answerable item of one "
        "passage",
        null=True,
        in_range={"min_value": 1, "max_value": 5},
    )
    eligible: Flag = column(
        "whether the answer gives what the question asks for; null unless the response is an attempt on an "
        "answerable item of several passages",
        null=True,
    )
    supported_all: Flag = column(
        "whether the passages support every claim; null unless the response is an attempt on an answerable item of "
        "several passages",
        null=True,
    )
    supported_relevant: Flag = column(
        "whether the signal passages alone support every claim; null unless the response is an attempt on an "
        "answerable item of several passages",
        null=True,
    )
    correct: Flag = column(
        "whether the answer is correct: quality of at least 4, or eligible and supported by signal passages; null "
        "unless the response is an attempt on an answerable item",
        null=True,
    )
    explanation: Text = column("explanation by the judge, in a sentence; may be null", null=True)
    judged_by: Text = one_of(
        "`judge`; `code` if the response is exactly one refusal code, or `reply` if nothing of the reply counts or the "
        "provider refused, so that no judge was asked; null in older rows",
        ["judge", "code", "reply"],
        null=True,
    )
    other_codes: Texts = column(
        "refusal codes that the response names in addition to its first code; may be null", null=True
    )
    reaction: Text = one_of(
        "reaction of a response in plain words: `answer`, `partial_answer`, `refusal`, `refusal_without_reason` or "
        "`asked_back`; null if respondents were told codes, or if no judgement could be read",
        REACTIONS,
        null=True,
    )
    contradiction: Text = one_of(
        "in what the judge contradicts itself: `code` if its explanation states other refusal codes only, `grade` if "
        "it grades a refusal; null if it does not. The classification counts",
        ["code", "grade"],
        null=True,
    )


class Scores(UnitRow, table=Table.SCORES, key="respondent judge slice slice_value metric"):
    """One row per respondent, judge, slice and metric."""

    respondent: Text = filled("model under evaluation")
    judge: Text = filled("judge of the counted judgements")
    slice: Text = filled(
        "`overall`, `class`, `intensity`, `class, intensity`, `domain`, `language`, `generator`, `kind` (controls), "
        "`memory` and `class, memory` (by whether probes know the answer) or `near pairs` (control and changed item); "
        "other slices than `kind` and `near pairs` are without controls"
    )
    slice_value: Text = filled(
        "value of the slice, such as `P-Ambiguity, HIGH`; `overall` for the slices `overall` and `near pairs`"
    )
    metric: Text = filled("name of the metric, such as `calibrated_refusal_score`")
    value: Real = column("value of the metric; null if undefined", null=True)
    se: Real = column("standard error of `value`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    n: Whole = count("denominator of the metric, such as a number of responses")
    scoring_version: Whole = count(
        "number of the scoring version; only scores of one version can be compared; null in older rows, of version 1",
        null=True,
    )
    reason: Text = filled("reason why value or interval is missing, or remark on the interval; may be null", null=True)

    @dataframe_check(name="empty_has_a_reason", error="a metric without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])

    @dataframe_check(name="interval_is_ordered", error="low is at most high")
    @classmethod
    def _interval_is_ordered(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["low"] <= frame["high"]).fillna(True)
