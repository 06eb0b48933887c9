"""Tables before assembly: base instances, perturbations, checks, verdicts, and marks of readers."""

from enum import StrEnum
from typing import Annotated, Any

import pandas as pd
import pyarrow as pa
from pandera.pandas import dataframe_check

from demur.levers.vocabulary import PREDICTED
from demur.warehouse.tables import (
    AGREEMENT_COEFFICIENTS,
    ANSWER_DOUBTS,
    CODES,
    INTENSITIES,
    LAYOUTS,
    QUESTION_KINDS,
    STATUSES,
    VERDICT_OUTCOMES,
    VERIFICATION_STATISTICS,
    Table,
)
from demur.warehouse.tables.columns import (
    AnswerRow,
    Changes,
    Flag,
    Instant,
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

# Schemas of the tables before assembly: base instances, screenings, perturbations, checks, verdicts.


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

    round_id: Text = names(Table.ROUNDS, "id of the round")
    unit_id: Text = filled("id of the unit of stage `ingest` or `unpack`", unique=True)
    stamp: Text = filled("hash of the inputs and code that made the row", null=True)
    base_id: Text = filled("hash of the content, which is the same in every round", unique=True)
    source_id: Text = filled("id of the source question in the corpus")
    draw: Whole = count("position in the round's seeded draw, from 0")
    layout: Text = one_of("`single` or `multi`", LAYOUTS)
    domain: Text = column("domain that the corpus gives; null if there is none", null=True)
    title: Text = column("title that the corpus gives; null if there is none", null=True)
    question: Text = filled(
        "question that the passages answer; null if an imported set has only changed questions", null=True
    )
    answers: Texts = column("accepted answers; none if an imported set gives none")
    passages: TitledPassages = column(
        "passages with `index` from 0; `relevant` is true for signal passages, false for noise passages"
    )
    language: Text = filled(
        "code of ISO 639-1 of the language of question and passages, declared or detected; null if uncertain", null=True
    )
    language_confidence: Real = share(
        "confidence of the language detection, from 0 to 1; null if the language is declared", null=True
    )
    documents: Texts = column(
        "ids of the documents that the question is about; null for questions from a file", null=True
    )
    passage_ids: Texts = column("ids of the passages, in order; null for questions from a file", null=True)
    proof: Spans = column(
        "sentences that prove the answer, with character positions in the passages; null for questions from a file",
        null=True,
    )
    question_kind: Text = one_of(
        "kind of information that the question asks for, such as `who`; null for questions from a file",
        QUESTION_KINDS,
        null=True,
    )


class Screenings(UnitRow, table=Table.SCREENINGS, key="base_id screener"):
    """One row per base instance and screener; two where a screener had to prove the answer."""

    call_id: Text = names(Table.CALLS, "id of the last request of the unit; null if no model was asked", null=True)
    base_id: Text = names(Table.BASE_INSTANCES, "id of the base instance")
    screener: Text = filled("model that answered; `name#1` and `name#2` where it had to prove an answer")
    response: Text = column("text of the screener's answer; may be null", null=True)
    predicted: Text = one_of(
        "classification of the answer: `ANSWER_ATTEMPT`, a `REFUSE_*` code, or `INVALID`", PREDICTED
    )
    correct: Flag = column(
        "whether the first judge of the round found the answer correct, and the accepted answers can serve (`doubt`)"
    )
    doubt: Text = one_of(
        "reason of the screener why the accepted answers cannot serve, asked where they are common words: `points "
        "elsewhere` (a pronoun or a word like one) or `stands in two roles`; null if they can, or if nothing was asked",
        ANSWER_DOUBTS,
        null=True,
    )


class Perturbations(AnswerRow, table=Table.PERTURBATIONS, key="base_id class intensity generator replicate"):
    """One row per base instance, stratum, generator and replicate."""

    perturbation_id: Text = filled("hash of what the perturbation is made for, and of its texts", unique=True)
    base_id: Text = names(Table.BASE_INSTANCES, "id of the perturbed base instance")
    lever_class: Text = class_of_stratum("class of the stratum, such as `P-Ambiguity`")
    intensity: Text = intensity_of_stratum("intensity of the stratum: `LOW`, `MEDIUM` or `HIGH`")
    generator: Text = filled("model that made the perturbation")
    replicate: Whole = count("number of the perturbation among independent attempts, from 0")
    status: Text = one_of(
        "`candidate` if the perturbation passed all code checks before the check for duplicates, `rejected` if it "
        "failed one, `declined` if the generator found no lever that applies",
        STATUSES,
    )
    reason: Text = filled(
        "names of the failed code checks, or the generator's reason to decline; null for a candidate", null=True
    )
    lever_id: Text = filled("id of the pulled lever; null if there is none", null=True)
    lever: Text = filled("name of the lever, as the generator wrote it; null if there is none", null=True)
    question: Text = filled("full question after the perturbation; null if there is none", null=True)
    changed: Changes = column("changed passages with their full new text and `index`")
    content_key: Text = filled(
        "hash of the words of question and passages; null if there is no perturbation", null=True
    )
    reasoning: Text = column("the generator's description of the change; may be null", null=True)
    answer_constraint: Text = column("the generator's reason why the answer constraint is met; may be null", null=True)
    assigned_lever_id: Text = filled(
        "id of the only lever that the generator was offered; null if the generator chose among the levers of the "
        "stratum",
        null=True,
    )
    repair: Whole = count("number of the repair; 0 for a first attempt")
    repair_of: Text = filled("id of the perturbation that the repair replaces; null for a first attempt", null=True)

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

    perturbation_id: Text = names(Table.PERTURBATIONS, "id of the checked perturbation")
    lever_class: Text = class_of_stratum("class of the stratum")
    intensity: Text = intensity_of_stratum("intensity of the stratum")
    check_name: Text = filled("name of the code check, such as `target_only`, `length_and_language` or `no_leak`")
    outcome: Text = one_of("`pass` or `fail`", ["pass", "fail"])
    evidence: Text = column("reason for the outcome, in one line")
    spans: Spans = column(
        "parts of the perturbed text that decide the outcome, as character positions from 0; `passage` is null for "
        "the question; may be null",
        null=True,
    )


class Verdicts(AnswerRow, table=Table.VERDICTS, key="perturbation_id verifier attempt"):
    """One row per perturbation, verifier and attempt."""

    perturbation_id: Text = names(Table.PERTURBATIONS, "id of the verified perturbation")
    lever_class: Text = class_of_stratum("class of the stratum")
    intensity: Text = intensity_of_stratum("intensity of the stratum")
    generator: Text = filled("model that made the perturbation; the verifier is not told the name")
    verifier: Text = filled("model that gave the verdict")
    attempt: Whole = count("number of the attempt, from 1")
    outcome: Text = one_of(
        "`pass`, `fail`, `inconsistent` (the overall result contradicts the checks; counts as a fail) or `missing` "
        "(the verdict could not be read)",
        VERDICT_OUTCOMES,
    )
    overall: Flag = column("overall result as the verifier gave it; null if the verdict is missing", null=True)
    lever_fidelity: Flag = check("the change does what the lever's instruction says; null if the verdict is missing")
    intensity_achieved: Flag = check("the intensity is the one that was wanted; null if the verdict is missing")
    target_compliance: Flag = check("only the target of the lever was changed; null if the verdict is missing")
    strategy_compliance: Flag = check(
        "the right passages were changed; null for single passages, for a lever that changes only the question, and "
        "if the verdict is missing",
        Applies.WITH_STRATEGY,
    )
    uncertainty_induced: Flag = check(
        "a defect of the class makes the question unanswerable; null at LOW and if the verdict is missing",
        Applies.TO_REFUSALS,
    )
    implementation_quality: Flag = check("the changed text is sound and natural; null if the verdict is missing")
    answer_constraint_met: Flag = check(
        "the accepted answers were kept, removed or rivalled as required; null if the verdict is missing"
    )
    behaviour_prediction: Flag = check(
        "a good respondent would show the expected behaviour; null if the verdict is missing"
    )
    refusal_class_alignment: Flag = check(
        "the reason to refuse is the expected reason; null at LOW and if the verdict is missing", Applies.TO_REFUSALS
    )
    predicted_behaviour: Text = one_of(
        "behaviour that the verifier predicts: a refusal code or `ANSWER_CORRECTLY`; null if the verdict is missing",
        CODES,
        null=True,
    )
    observed_intensity: Text = one_of(
        "intensity that the verifier sees; null if the verifier sees no defect of the class, or if the verdict is "
        "missing",
        INTENSITIES,
        null=True,
    )
    issues: Texts = column(
        "faults, in a few words each; for a missing verdict, the reason why the reply could not be read"
    )
    refusal_analysis: Text = column(
        "the verifier's analysis of whether to refuse, and for which reason; null if the verdict is missing", null=True
    )
    constraint_analysis: Text = column(
        "the verifier's analysis of the accepted answers in the changed texts; null if the verdict is missing",
        null=True,
    )

    demanded: Text = one_of(
        "what respondents' instructions demand of the candidate, by the verifier, who did not know the key: "
        "`ANSWER_CORRECTLY` or a refusal code; null if the verifier was not asked or could not be read",
        CODES,
        null=True,
    )
    also_defensible: Texts = column(
        "other replies that the instructions would justify as well, by the same reading; null if `demanded` is null",
        null=True,
    )

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


# Schemas of the tables with results of verification: rates, agreement, and the numbers of matched cells.
#
# A cell is the group of candidates of one base instance in one stratum. A cell is matched if all generators have a
# candidate in it and all verifiers have judged each of these candidates.


_Reals = Annotated[pd.ArrowDtype, pa.list_(pa.float64())]


class Verifications(TableModel, table=Table.VERIFICATIONS):
    """One row per round."""

    round_id: Text = names(Table.ROUNDS, "id of the round", unique=True)
    unit_id: Text = filled("id of the unit of stage `agree`")
    stamp: Text = filled("hash of the inputs and code that made the row", null=True)
    cells: Whole = count("number of matched cells")
    cells_seen: Whole = count("number of cells with a candidate")
    instances: Whole = count("number of candidates in matched cells")
    stop_order: Texts = column("verifiers in the order that finds failing candidates soonest")
    asked: _Reals = column(
        "share of candidates in matched cells that each verifier of `stop_order` judges if asking ends at the first "
        "failing verdict"
    )
    remark: Text = filled(
        "reason why statistics are missing, or which candidates the statistics leave out; may be null", null=True
    )


class VerificationRates(UnitRow, table=Table.VERIFICATION_RATES, key="statistic generator verifier slice slice_value"):
    """One row per statistic, generator, verifier and slice."""

    statistic: Text = one_of(
        "`pass_rate`, `unanimous_rate`, `self_rate` (verdicts of a model on its own candidates), `cross_rate` "
        "(verdicts of other models on these candidates), `bias` (`self_rate` minus `cross_rate`)",
        VERIFICATION_STATISTICS,
    )
    generator: Text = filled("generator of the candidates; null for all generators", null=True)
    verifier: Text = filled("verifier of the candidates; null for several verifiers", null=True)
    slice: Text = filled("`overall`, `class` or `intensity`")
    slice_value: Text = filled("value of the slice")
    value: Real = column(
        "value of the statistic; null if undefined", null=True, in_range={"min_value": -1.0, "max_value": 1.0}
    )
    se: Real = column("standard error of `value`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    n: Whole = count("number of verdicts; for `unanimous_rate`, number of candidates")
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)

    @dataframe_check(name="empty_has_a_reason", error="a rate without a value needs the reason")
    @classmethod
    def _empty_has_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return present(frame, ["value"]) | present(frame, ["reason"])


class VerifierAgreements(UnitRow, table=Table.VERIFIER_AGREEMENTS, key="coefficient first second"):
    """One row per coefficient and pair of verifiers."""

    coefficient: Text = one_of(
        "`cohen` for a pair of verifiers; `fleiss` and `alpha` for all verifiers", AGREEMENT_COEFFICIENTS
    )
    first: Text = filled("first verifier of the pair; null for all verifiers", null=True)
    second: Text = filled("second verifier of the pair; null for all verifiers", null=True)
    value: Real = column("value of the coefficient; null if undefined", null=True, le=1.0)
    se: Real = column("standard error of `value`; null if undefined", null=True, ge=0)
    low: Real = column("lower end of the 95 % interval; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval; null if there is no interval", null=True)
    n: Whole = count("number of candidates in matched cells")
    reason: Text = filled("reason why a number is missing, or remark on the interval; may be null", null=True)


# Schemas of the tables `audits` and `question_marks`: the marks that readers give to items and to questions.


class Audits(TableModel, table=Table.AUDITS, key="round_id item_id reader", primary=True):
    """One row per item and reader."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    item_id: Text = names(Table.ITEMS, "id of the item")
    reader: Text = filled("name of the reader, as the reader wrote it")
    lever_class: Text = class_of_stratum("class of the item")
    intensity: Text = intensity_of_stratum("intensity of the item")
    seed: Whole = column("seed of the sample with this item")
    lever_fidelity: Flag = column(
        "whether the lever was pulled and nothing else was changed; null if the reader gave no mark", null=True
    )
    intensity_achieved: Flag = column(
        "whether the defect has the strength of the intensity; null if the reader gave no mark", null=True
    )
    uncertainty_induced: Flag = column(
        "whether the item has the uncertainty of the class; null if the reader gave no mark", null=True
    )
    linguistic_soundness: Flag = column(
        "whether the text is grammatical, fluent and coherent; null if the reader gave no mark", null=True
    )
    ground_truth_alignment: Flag = column(
        "whether the expected behaviour is right; null if the reader gave no mark", null=True
    )
    note: Text = column("note of the reader; null if there is none", null=True)
    imported_at: Instant = column("time at which the marks were stored")
    suspected: Flag = column("whether the item was chosen for its suspicion, and not at random")


class QuestionMarks(TableModel, table=Table.QUESTION_MARKS, key="round_id question_id reader", primary=True):
    """One row per question of documents and reader."""

    round_id: Text = names(Table.ROUNDS, "id of the round that accepted the question")
    question_id: Text = names(Table.QUESTIONS, "id of the question")
    reader: Text = filled("name of the reader, as the reader wrote it")
    seed: Whole = column("seed of the page with this question")
    keep: Flag = column("true to keep the question, false to drop it; null if the reader gave no mark", null=True)
    answers: Texts = column("accepted answers in place of those of the asker; null if they are right", null=True)
    note: Text = column("note of the reader; null if there is none", null=True)
    imported_at: Instant = column("time at which the marks were stored")
