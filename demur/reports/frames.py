"""What a round's report is made from: one summary and frames whose columns are stated here."""

from dataclasses import dataclass, field, fields
from typing import Any, NotRequired, Self, TypedDict

import pandas as pd


class ReportError(Exception):
    """A report cannot be made from what was given; the message says what is missing and how to give it."""


class RoundSummary(TypedDict):
    """What a round is, in a few values; names of models are those of the round configuration."""

    round_id: str
    name: str
    release: str
    """Label of the release that the report belongs to, such as `weekly/3`; empty before there is one."""
    date: str
    """Day on which the release was frozen, such as `2026-11-20`."""
    corpus: str
    """Name of the corpus file."""
    demur: str
    """Version of demur that made the report."""
    layout: str
    class_notes: dict[str, str]
    """What each class of defect is, and where others begin."""
    bases: int
    items: int
    """Perturbed items."""
    controls: NotRequired[int]
    seed: int
    generators: list[str]
    verifiers: list[str]
    respondents: list[str]
    judges: list[str]
    rules_models: list[str]
    """The models of all roles that are rule baselines, not language models."""
    recorded: NotRequired[list[dict[str, Any]]]
    """The models whose replies were read from a recording: `model`, `replies`, `earlier_prompts`, `recording`, `asked`,
    `answered_by`, `note`, `first`, `last`."""
    evaluation: NotRequired[str]
    """Whether all responses were judged, in words: `INCOMPLETE, M of N judgements` where not."""
    responses_planned: NotRequired[int]
    """Responses to perturbed items that the round asks of each respondent; without it, one per perturbed item."""


def _frame(columns: str, optional: str = "") -> pd.DataFrame:
    """A frame with these columns, and with some that a report reads where they are there."""
    found: pd.DataFrame = field(
        default_factory=pd.DataFrame, metadata={"columns": columns.split(), "optional": optional.split()}
    )
    return found


def _measured(*names: str) -> str:
    return " ".join(f"{name}_{part}" for name in names for part in ("train", "held_out"))


@dataclass(frozen=True, slots=True)
class RoundFrames:
    """A round's results as frames; any of them may be empty, and columns beyond the stated ones are ignored.

    Scores, rates, shares and their interval ends (`low`, `high`) are in [0, 1]; `reason` says why a value is null.
    """

    summary: RoundSummary
    strata: pd.DataFrame = _frame("class intensity asked declined rejected duplicates candidates accepted items wanted")
    """One row per stratum: counts of perturbations."""
    verifiers: pd.DataFrame = _frame("verifier generator verdicts passes inconsistent")
    """One row per verifier and generator."""
    leaderboard: pd.DataFrame = _frame(
        "respondent judge calibrated_refusal_score crs_low crs_high answer_accuracy refusal_accuracy "
        "false_refusal_rate missed_refusal_rate control_refusal_rate invalid_rate responses mean_reward",
        "judged planned",
    )
    """One row per respondent and judge, best first; `judged` and `planned` count responses."""
    scores: pd.DataFrame = _frame("respondent judge slice slice_value metric value se low high n reason")
    """One row per respondent, judge, slice (overall, class, intensity, 'class, intensity' or kind) and metric."""
    confusion: pd.DataFrame = _frame("respondent judge expected predicted responses")
    examples: pd.DataFrame = _frame(
        "class intensity lever generator expected original_question question original_passages passages reasoning"
    )
    """Passages are lists of texts, in the same order."""
    weights: pd.DataFrame = _frame("policy behaviour feature kind value low high")
    fits: pd.DataFrame = _frame(
        "policy behaviour grader margin l2 objective relative_gap "
        + _measured("prompts", "pairs", "hinge_loss", "pairwise_error", "ideal_first"),
        _measured("base_only_error", "rules_only_error"),
    )
    """One row per policy and behaviour; errors of base and rules alone where there is a base reward."""
    rewards: pd.DataFrame = _frame("label behaviour policy reward", "part")
    """One row per graded completion and part of its reward, less the mean of its prompt.

    Parts, where there is a base reward or held-out prompts are told apart, are rules, base or total, with the suffix
    _held_out under weights that have not seen the prompt.
    """
    expectations: pd.DataFrame = _frame("stage gate expectation subject success observed bound")
    failures: pd.DataFrame = _frame("stage reason units")
    pairs: pd.DataFrame = _frame(
        "judge first second items difference low high p_value_holm is_distinguishable minimum_detectable reason"
    )
    """One row per judge and pair of respondents; differences of calibrated refusal scores."""
    codes: pd.DataFrame = _frame(
        "respondent judge refusals entropy_bits expected_entropy_bits top_code top_share top_share_low top_share_high "
        "never_given constant_calibrated_refusal_score calibrated_refusal_score reason"
    )
    """One row per respondent and judge."""
    noise: pd.DataFrame = _frame("respondent first_judge second_judge noise_floor same_class")
    """One row per respondent."""
    preference: pd.DataFrame = _frame("generator self_rate cross_rate bias low high reason")
    """One row per generator."""
    agreement: pd.DataFrame = _frame("coefficient first second value low high candidates reason")
    """One row per coefficient (cohen, fleiss, alpha)."""
    stopping: pd.DataFrame = _frame(
        "cells cells_seen candidates full_verdicts random_verdicts ordered_verdicts full_usd random_usd ordered_usd "
        "remark"
    )
    """At most one row."""
    difficulty: pd.DataFrame = _frame("factor factor_value judge items responses difficulty low high reason")
    """One row per lever and domain (factor), hardest first."""
    factors: pd.DataFrame = _frame("respondent judge metric value low high parameters_billion thinking_tokens")
    """One row per respondent, judge and metric."""
    associations: pd.DataFrame = _frame("judge statistic factor first second metric value low high models reason")
    calibration: pd.DataFrame = _frame("respondent judge part confidence midpoint responses accuracy low high reason")
    """One row per respondent, judge, part (all, answers, refusals) and verbal level."""
    precision: pd.DataFrame = _frame(
        "respondent judge items sources share_right half_width rounds half_width_all_rounds bootstrap_half_width "
        "crs_bootstrap_half_width design_effect effective_items reason"
    )
    """One row per respondent and judge."""
    drift: pd.DataFrame = _frame(
        "respondent judge earlier_round_id earlier_value value difference low high p_value reason"
    )
    """One row per respondent, judge and earlier round, of calibrated refusal scores."""
    saturation: pd.DataFrame = _frame("judge class intensity respondent metric value low high is_saturated")
    """One row per judge and stratum: its best respondent."""
    saturated: pd.DataFrame = _frame(
        "judge respondent calibrated_refusal_score crs_low crs_high is_saturated strata separating"
    )
    """One row per judge: the round's best respondent and the strata with room above theirs."""
    audits: pd.DataFrame = _frame("criterion class readers items passes pass_rate low high published_pass_rate")
    """One row per criterion (or overall) and class (or all)."""
    audit_agreement: pd.DataFrame = _frame("criterion coefficient first second items observed value reason")
    """One row per criterion and coefficient (alpha, cohen)."""

    def completed(self) -> Self:
        """Return the same with exactly the stated columns in every frame; an empty frame may come without any.

        Raises:
            ReportError: if a frame with rows lacks a column.
        """
        return type(self)(self.summary, *(stated(each.name, getattr(self, each.name)) for each in fields(self)[1:]))


def stated(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of that name of a round with exactly the stated columns; an empty one may come without any.

    Raises:
        ReportError: if it has rows and lacks a column.
    """
    [known] = (each.metadata for each in fields(RoundFrames) if each.name == name)
    wanted: list[str] = known["columns"]
    missing = [column for column in wanted if column not in frame.columns]
    if missing and len(frame):
        raise ReportError(
            f"RoundFrames.{name}: no column {', '.join(map(repr, missing))} among {list(frame.columns)}; "
            f"a report needs {', '.join(wanted)}"
        )
    return frame.reindex(columns=[*wanted, *known["optional"]])
