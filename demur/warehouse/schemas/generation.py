"""Schemas of the tables before assembly: base instances, screenings, perturbations, checks, verdicts."""

from enum import StrEnum
from typing import Any

import pandas as pd
from pandera.pandas import dataframe_check

from demur.levers.vocabulary import PREDICTED
from demur.warehouse.schemas.base import (
    AnswerRow,
    Changes,
    Flag,
    Real,
    Spans,
    TableModel,
    Text,
    Texts,
    TitledPassages,
    UnitRow,
    Whole,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    names,
    one_of,
    present,
    share,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import CODES, INTENSITIES, LAYOUTS, QUESTION_KINDS, STATUSES, VERDICT_OUTCOMES


class Applies(StrEnum):
    """Conditions under which a check of a verdict applies. If the condition does not hold, the check is null."""

    ALWAYS = "always"
    TO_REFUSALS = "at the intensities at which one refuses"
    WITH_STRATEGY = "where there is a strategy of which passages change"


def check(meaning: str, applies: Applies = Applies.ALWAYS) -> Any:
    """Declare the column of a check of a verdict.

    Its value is null if the verdict is missing or the check does not apply.
    """
    return column(meaning, null=True, metadata={"check": applies})


def verdict_checks(model: type[TableModel]) -> dict[str, Applies]:
    """Return the condition of each check of a verdict, by column."""
    columns = model.to_schema().columns.items()
    return {name: column.metadata["check"] for name, column in columns if "check" in (column.metadata or {})}


class BaseInstances(TableModel, table=Table.BASE_INSTANCES):
    """One row per base instance drawn by a round."""

    round_id: Text = names(Table.ROUNDS, "the round")
    unit_id: Text = filled("unit of stage `ingest`, or of `unpack`", unique=True)
    base_id: Text = filled("the content, the same in every round", unique=True)
    source_id: Text = filled("id in the corpus")
    draw: Whole = count("place in the round's seeded draw, from 0")
    layout: Text = one_of("`single` or `multi`", LAYOUTS)
    domain: Text = column("the corpus's label; may be null", null=True)
    title: Text = column("the corpus's label; may be null", null=True)
    question: Text = filled("the question, answerable from the passages")
    answers: Texts = column("accepted answers, at least one")
    passages: TitledPassages = column("passages from index 0; `relevant` is true for signal, false for noise passages")
    language: Text = filled(
        "code of ISO 639-1 of question and passages: declared, else detected; null where that is unsure", null=True
    )
    language_confidence: Real = share("how sure the detection is; null where the language is declared", null=True)
    documents: Texts = column(
        "ids of the documents that its question was asked of; null for questions of a file", null=True
    )
    passage_ids: Texts = column("ids of its passages, in their order; null for questions of a file", null=True)
    proof: Spans = column(
        "the sentences that prove the answer, by characters of its passages; null for questions of a file", null=True
    )
    question_kind: Text = one_of(
        "what its question wants to know; null for questions of a file", QUESTION_KINDS, null=True
    )

    @dataframe_check(name="has_answers_and_passages", error="a base instance needs at least one answer and one passage")
    @classmethod
    def _has_answers_and_passages(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        filled: pd.Series[bool] = (frame["answers"].list.len() > 0) & (frame["passages"].list.len() > 0)
        return filled


class Screenings(UnitRow, table=Table.SCREENINGS, key="base_id screener"):
    """One row per base instance and screener."""

    call_id: Text = names(Table.CALLS, "the last of these calls; may be null", null=True)
    base_id: Text = names(Table.BASE_INSTANCES, "base instance")
    screener: Text = filled("model that answered")
    response: Text = column("what it said; may be null", null=True)
    predicted: Text = one_of("`ANSWER_ATTEMPT`, a `REFUSE_*` code, or `INVALID`", PREDICTED)
    correct: Flag = column("whether the first judge of the round found it correct")


class Perturbations(AnswerRow, table=Table.PERTURBATIONS, key="base_id class intensity generator replicate"):
    """One row per base instance, stratum, generator and replicate."""

    perturbation_id: Text = filled("equal to `unit_id`", unique=True)
    base_id: Text = names(Table.BASE_INSTANCES, "what was perturbed")
    lever_class: Text = class_of_stratum("class of the stratum, as in `P-Ambiguity`")
    intensity: Text = intensity_of_stratum("`LOW`, `MEDIUM` or `HIGH`")
    generator: Text = filled("model that perturbed")
    replicate: Whole = count("which of several independent tries, from 0")
    status: Text = one_of(
        "`candidate`: passed the checks of it alone, and is one unless it turns out a duplicate; `rejected`: failed "
        "one; `declined`: the generator found no lever that applies",
        STATUSES,
    )
    reason: Text = filled("the checks that failed, or why it declined; may be null", null=True)
    lever_id: Text = filled("lever that was pulled; may be null", null=True)
    lever: Text = filled("its name as the generator wrote it; may be null", null=True)
    question: Text = filled("the question afterwards, whole; may be null", null=True)
    changed: Changes = column("the passages that changed, whole, by index")
    content_key: Text = filled(
        "the same for two perturbations whose questions and passages have the same words; may be null", null=True
    )
    reasoning: Text = column("what the generator says it did; may be null", null=True)
    answer_constraint: Text = column("why it thinks that the answer constraint holds; may be null", null=True)
    assigned_lever_id: Text = filled(
        "the one lever that the round offered; null where the generator chose among those of the stratum", null=True
    )
    repair: Whole = count("how often it went back to its generator before, from 0")
    repair_of: Text = filled("the perturbation whose place it took; null where it is a first attempt", null=True)

    @dataframe_check(name="candidate_is_whole", error="a candidate needs lever_id, lever and question")
    @classmethod
    def _candidate_is_whole(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["status"] != "candidate") | present(frame, ["lever_id", "lever", "question"])

    @dataframe_check(name="others_have_a_reason", error="a rejected or declined perturbation needs a reason")
    @classmethod
    def _others_have_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return ~frame["status"].isin(["rejected", "declined"]) | present(frame, ["reason"])


class Checks(UnitRow, table=Table.CHECKS, key="perturbation_id check_name"):
    """One row per perturbation and code check."""

    perturbation_id: Text = names(Table.PERTURBATIONS, "what was checked")
    lever_class: Text = class_of_stratum("class of the stratum")
    intensity: Text = intensity_of_stratum("intensity of the stratum")
    check_name: Text = filled("as in `target_only`, `answer_removed`, `no_leak`")
    outcome: Text = one_of("`pass`, `fail`, or `undecidable` where code cannot tell", ["pass", "fail", "undecidable"])
    evidence: Text = column("why, in one line")
    spans: Spans = column(
        "pieces of the perturbed text that the outcome rests on, in characters from 0; `passage` is null for the "
        "question; may be null",
        null=True,
    )


class Verdicts(AnswerRow, table=Table.VERDICTS, key="perturbation_id verifier attempt"):
    """One row per perturbation, verifier and attempt."""

    perturbation_id: Text = names(Table.PERTURBATIONS, "what was verified")
    lever_class: Text = class_of_stratum("class of the stratum")
    intensity: Text = intensity_of_stratum("intensity of the stratum")
    generator: Text = filled("who made the perturbation; the verifier is not told")
    verifier: Text = filled("model that gave the verdict")
    attempt: Whole = count("from 1")
    outcome: Text = one_of(
        "`pass`, `fail`, `inconsistent` (the overall result contradicts its own checks; counts as a fail) or "
        "`missing` (could not be read)",
        VERDICT_OUTCOMES,
    )
    overall: Flag = column("the overall result as the verifier gave it; null if missing", null=True)
    lever_fidelity: Flag = check("the change does what the lever's instruction says; null if missing")
    intensity_achieved: Flag = check("the intensity is the one that was wanted; null if missing")
    target_compliance: Flag = check("nothing but the target was changed; null if missing")
    strategy_compliance: Flag = check(
        "the right ones of several passages were changed; null for single documents, for a lever that changes the "
        "question alone, and if missing",
        Applies.WITH_STRATEGY,
    )
    uncertainty_induced: Flag = check(
        "what is asked can no longer be answered, by a defect of the class; null at LOW and if missing",
        Applies.TO_REFUSALS,
    )
    implementation_quality: Flag = check("the changed text is sound and natural; null if missing")
    answer_constraint_met: Flag = check("the accepted answers stand as they should; null if missing")
    behaviour_prediction: Flag = check("a good respondent would do what is expected; null if missing")
    refusal_class_alignment: Flag = check(
        "who refuses does so for the expected reason; null at LOW and if missing", Applies.TO_REFUSALS
    )
    predicted_behaviour: Text = one_of(
        "code that the verifier would give, or `ANSWER_CORRECTLY`; null if missing", CODES, null=True
    )
    observed_intensity: Text = one_of(
        "intensity that it sees; null if missing, or where it sees no defect of the class", INTENSITIES, null=True
    )
    issues: Texts = column("faults in a few words; of a missing verdict why it could not be read")
    refusal_analysis: Text = column("would one refuse, and for which reason; null if missing", null=True)
    constraint_analysis: Text = column("where the accepted answers stand; null if missing", null=True)

    @dataframe_check(
        name="outcome_fits",
        error="overall is null for missing, true for pass, false for fail; a pass passes every check, a fail does not, "
        "and inconsistent contradicts itself",
    )
    @classmethod
    def _outcome_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        outcome = frame["outcome"]
        overall = frame["overall"]
        all_checks = cls._all_checks(frame)
        fits = (outcome == "missing") & overall.isna()
        fits |= (outcome == "pass") & overall.fillna(False) & all_checks
        fits |= (outcome == "fail") & ~overall.fillna(True) & ~all_checks
        return fits | ((outcome == "inconsistent") & (overall != all_checks).fillna(False))

    @classmethod
    def _all_checks(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        """Return for each row whether all checks that apply are true."""
        passed = pd.Series(True, index=frame.index)
        for name, applies in verdict_checks(cls).items():
            holds = frame[name].fillna(applies is Applies.WITH_STRATEGY)
            if applies is Applies.TO_REFUSALS:
                holds |= frame[name].isna() & (frame["intensity"] == "LOW")
            passed &= holds
        return passed
