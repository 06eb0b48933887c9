"""Models of what ingest, generate and verify land: base instances, screenings, perturbations, checks, verdicts."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    Changes,
    Flag,
    Spans,
    TableModel,
    Text,
    Texts,
    TitledPassages,
    Whole,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    one_of,
    present,
)
from demur.warehouse.vocabulary import CODES, INTENSITIES, LAYOUTS, PREDICTED, STATUSES, VERDICT_OUTCOMES


class BaseInstances(TableModel):
    """One row per base instance drawn by a round."""

    round_id: Text = filled()
    unit_id: Text = filled(unique=True)
    base_id: Text = filled(unique=True)
    source_id: Text = filled()
    draw: Whole = count()
    layout: Text = one_of(LAYOUTS)
    domain: Text = column(null=True)
    title: Text = column(null=True)
    question: Text = filled()
    answers: Texts = column()
    passages: TitledPassages = column()

    class Config:
        """Name of the table."""

        name = "base_instances"

    @dataframe_check(name="has_answers_and_passages", error="a base instance needs at least one answer and one passage")
    @classmethod
    def _has_answers_and_passages(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        filled: pd.Series[bool] = (frame["answers"].list.len() > 0) & (frame["passages"].list.len() > 0)
        return filled


class Screenings(TableModel):
    """One row per base instance and screener."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    base_id: Text = filled()
    screener: Text = filled()
    response: Text = column(null=True)
    predicted: Text = one_of(PREDICTED)
    correct: Flag = column()

    class Config:
        """Name of the table and its key."""

        name = "screenings"
        unique = ["base_id", "screener"]


class Perturbations(TableModel):
    """One row per base instance, stratum, generator and replicate."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    perturbation_id: Text = filled(unique=True)
    base_id: Text = filled()
    lever_class: Text = class_of_stratum()
    intensity: Text = intensity_of_stratum()
    generator: Text = filled()
    replicate: Whole = count()
    status: Text = one_of(STATUSES)
    reason: Text = filled(null=True)
    lever_id: Text = filled(null=True)
    lever: Text = filled(null=True)
    question: Text = filled(null=True)
    changed: Changes = column()
    content_key: Text = filled(null=True)
    reasoning: Text = column(null=True)
    answer_constraint: Text = column(null=True)
    intensity_claimed: Text = column(null=True)
    behaviour_claimed: Text = column(null=True)
    assigned_lever_id: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "perturbations"
        unique = ["base_id", "class", "intensity", "generator", "replicate"]

    @dataframe_check(name="candidate_is_whole", error="a candidate needs lever_id, lever and question")
    @classmethod
    def _candidate_is_whole(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["status"] != "candidate") | present(frame, ["lever_id", "lever", "question"])

    @dataframe_check(name="others_have_a_reason", error="a rejected or declined perturbation needs a reason")
    @classmethod
    def _others_have_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return ~frame["status"].isin(["rejected", "declined"]) | present(frame, ["reason"])


class Checks(TableModel):
    """One row per perturbation and code check."""

    round_id: Text = filled()
    unit_id: Text = filled()
    perturbation_id: Text = filled()
    lever_class: Text = class_of_stratum()
    intensity: Text = intensity_of_stratum()
    check_name: Text = filled()
    outcome: Text = one_of(["pass", "fail", "undecidable"])
    evidence: Text = column()
    spans: Spans = column(null=True)

    class Config:
        """Name of the table and its key."""

        name = "checks"
        unique = ["perturbation_id", "check_name"]


class Verdicts(TableModel):
    """One row per perturbation, verifier and attempt."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    perturbation_id: Text = filled()
    lever_class: Text = class_of_stratum()
    intensity: Text = intensity_of_stratum()
    generator: Text = filled()
    verifier: Text = filled()
    attempt: Whole = count()
    outcome: Text = one_of(VERDICT_OUTCOMES)
    overall: Flag = column(null=True)
    lever_fidelity: Flag = column(null=True)
    intensity_achieved: Flag = column(null=True)
    target_compliance: Flag = column(null=True)
    strategy_compliance: Flag = column(null=True)
    uncertainty_induced: Flag = column(null=True)
    implementation_quality: Flag = column(null=True)
    answer_constraint: Flag = column(null=True)
    behaviour_prediction: Flag = column(null=True)
    refusal_class_alignment: Flag = column(null=True)
    predicted_behaviour: Text = one_of(CODES, null=True)
    observed_intensity: Text = one_of(INTENSITIES, null=True)
    issues: Texts = column()
    refusal_analysis: Text = column(null=True)
    constraint_analysis: Text = column(null=True)

    class Config:
        """Name of the table and its key."""

        name = "verdicts"
        unique = ["perturbation_id", "verifier", "attempt"]

    @dataframe_check(name="overall_fits_outcome", error="overall is null for missing, true for pass, false for fail")
    @classmethod
    def _overall_fits_outcome(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        outcome, overall = frame["outcome"], frame["overall"]
        fits = (outcome == "missing") & overall.isna()
        fits |= (outcome == "pass") & overall.fillna(False)
        fits |= (outcome == "fail") & ~overall.fillna(True)
        return fits | ((outcome == "inconsistent") & overall.notna())
