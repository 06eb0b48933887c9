"""What a round's report is made from: one summary and frames whose columns are stated here."""

from dataclasses import dataclass, field, fields
from typing import Final, NotRequired, Self, TypedDict

import pandas as pd

from demur.reports.errors import ReportError


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
    evaluation: NotRequired[str]
    """Whether all responses were judged, in words: `INCOMPLETE, M of N judgements` where not."""
    responses_planned: NotRequired[int]
    """Responses to perturbed items that the round asks of each respondent; without it, one per perturbed item."""


@dataclass(frozen=True, slots=True)
class RoundFrames:
    """A round's results as frames; any of them may be empty, and columns beyond the stated ones are ignored.

    strata: one row per stratum: class, intensity, asked, declined, rejected, duplicates, candidates, accepted, items,
        wanted (counts of perturbations).
    verifiers: one row per verifier and generator: verifier, generator, verdicts, passes, inconsistent.
    leaderboard: one row per respondent and judge, best first: respondent, judge, calibrated_refusal_score, crs_low,
        crs_high, answer_accuracy, refusal_accuracy, false_refusal_rate, missed_refusal_rate, control_refusal_rate,
        invalid_rate (shares in [0, 1]), responses, mean_reward; and, where known, judged and planned (responses).
    scores: one row per respondent, judge, slice and metric: respondent, judge, slice (overall, class, intensity,
        'class, intensity' or kind), slice_value, metric, value, se, low, high, n, reason (why a value is null).
    confusion: respondent, judge, expected, predicted, responses.
    examples: class, intensity, lever, generator, expected, original_question, question, original_passages, passages
        (lists of texts, in the same order), reasoning.
    weights: policy, behaviour, feature, kind, value, low, high.
    fits: one row per policy and behaviour: policy, behaviour, grader, margin, l2, objective, relative_gap, and
        prompts, pairs, hinge_loss, pairwise_error, ideal_first, each with the suffixes _train and _held_out; and, where
        there is a base reward, base_only_error and rules_only_error with these suffixes.
    rewards: one row per graded completion and part of its reward: label, behaviour, policy, reward (less the mean of
        its prompt); and, where there is a base reward or held-out prompts are told apart, part (rules, base or total,
        with the suffix _held_out under weights that have not seen the prompt).
    expectations: stage, gate, expectation, subject, success, observed, bound.
    failures: stage, reason, units.
    pairs: one row per judge and pair of respondents: judge, first, second, items, difference (of calibrated refusal
        scores), low, high, p_value_holm, is_distinguishable, minimum_detectable, reason.
    codes: one row per respondent and judge: respondent, judge, refusals, entropy_bits, expected_entropy_bits, top_code,
        top_share, top_share_low, top_share_high, never_given, constant_calibrated_refusal_score,
        calibrated_refusal_score, reason.
    noise: one row per respondent: respondent, first_judge, second_judge, noise_floor, same_class.
    preference: one row per generator: generator, self_rate, cross_rate, bias, low, high, reason.
    agreement: one row per coefficient: coefficient (cohen, fleiss, alpha), first, second, value, low, high, candidates,
        reason.
    stopping: at most one row: cells, cells_seen, candidates, full_verdicts, random_verdicts, ordered_verdicts,
        full_usd, random_usd, ordered_usd, remark.
    difficulty: one row per lever and domain, hardest first: factor (lever or domain), factor_value, judge, items,
        responses, difficulty, low, high, reason.
    factors: one row per respondent, judge and metric: respondent, judge, metric, value, low, high,
        parameters_billion, thinking_tokens.
    calibration: one row per respondent, judge, part (all, answers, refusals) and verbal level: respondent, judge, part,
        confidence, midpoint, responses, accuracy, low, high, reason.
    reach: one row per respondent and judge: respondent, judge, items, sources, share_right, half_width, rounds,
        half_width_all_rounds, bootstrap_half_width, crs_bootstrap_half_width, design_effect, effective_items, reason.
    drift: one row per respondent, judge and earlier round, of calibrated refusal scores: respondent, judge,
        earlier_round_id, earlier_value, value, difference, low, high, p_value, reason.
    audits: one row per criterion (or overall) and class (or all): criterion, class, readers, items, passes, pass_rate,
        low, high, published_pass_rate.
    audit_agreement: one row per criterion and coefficient (alpha, cohen): criterion, coefficient, first, second, items,
        observed, value, reason.
    associations: judge, statistic, factor, first, second, metric, value, low, high, models, reason.
    """

    summary: RoundSummary
    strata: pd.DataFrame
    verifiers: pd.DataFrame
    leaderboard: pd.DataFrame
    scores: pd.DataFrame
    confusion: pd.DataFrame
    examples: pd.DataFrame
    weights: pd.DataFrame
    fits: pd.DataFrame
    rewards: pd.DataFrame
    expectations: pd.DataFrame
    failures: pd.DataFrame
    pairs: pd.DataFrame = field(default_factory=pd.DataFrame)
    codes: pd.DataFrame = field(default_factory=pd.DataFrame)
    noise: pd.DataFrame = field(default_factory=pd.DataFrame)
    preference: pd.DataFrame = field(default_factory=pd.DataFrame)
    agreement: pd.DataFrame = field(default_factory=pd.DataFrame)
    stopping: pd.DataFrame = field(default_factory=pd.DataFrame)
    difficulty: pd.DataFrame = field(default_factory=pd.DataFrame)
    factors: pd.DataFrame = field(default_factory=pd.DataFrame)
    associations: pd.DataFrame = field(default_factory=pd.DataFrame)
    calibration: pd.DataFrame = field(default_factory=pd.DataFrame)
    reach: pd.DataFrame = field(default_factory=pd.DataFrame)
    drift: pd.DataFrame = field(default_factory=pd.DataFrame)
    audits: pd.DataFrame = field(default_factory=pd.DataFrame)
    audit_agreement: pd.DataFrame = field(default_factory=pd.DataFrame)

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
    wanted = list(COLUMNS[name])
    missing = [column for column in wanted if column not in frame.columns]
    if missing and len(frame):
        raise ReportError(
            f"RoundFrames.{name}: no column {', '.join(map(repr, missing))} among {list(frame.columns)}; "
            f"a report needs {', '.join(wanted)}"
        )
    return frame.reindex(columns=[*wanted, *OPTIONAL.get(name, ())])


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a frame, each by column name."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


_PARTS: Final = ("train", "held_out")
_FITTED: Final = ("prompts", "pairs", "hinge_loss", "pairwise_error", "ideal_first")

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "strata": (
        "class", "intensity", "asked", "declined", "rejected", "duplicates", "candidates", "accepted", "items",
        "wanted",
    ),
    "verifiers": ("verifier", "generator", "verdicts", "passes", "inconsistent"),
    "leaderboard": (
        "respondent", "judge", "calibrated_refusal_score", "crs_low", "crs_high", "answer_accuracy", "refusal_accuracy",
        "false_refusal_rate", "missed_refusal_rate", "control_refusal_rate", "invalid_rate", "responses", "mean_reward",
    ),
    "scores": (
        "respondent", "judge", "slice", "slice_value", "metric", "value", "se", "low", "high", "n", "reason",
    ),
    "confusion": ("respondent", "judge", "expected", "predicted", "responses"),
    "examples": (
        "class", "intensity", "lever", "generator", "expected", "original_question", "question", "original_passages",
        "passages", "reasoning",
    ),
    "weights": ("policy", "behaviour", "feature", "kind", "value", "low", "high"),
    "fits": (
        "policy", "behaviour", "grader", "margin", "l2", "objective", "relative_gap",
        *(f"{name}_{part}" for name in _FITTED for part in _PARTS),
    ),
    "rewards": ("label", "behaviour", "policy", "reward"),
    "expectations": ("stage", "gate", "expectation", "subject", "success", "observed", "bound"),
    "failures": ("stage", "reason", "units"),
    "pairs": (
        "judge", "first", "second", "items", "difference", "low", "high", "p_value_holm", "is_distinguishable",
        "minimum_detectable", "reason",
    ),
    "codes": (
        "respondent", "judge", "refusals", "entropy_bits", "expected_entropy_bits", "top_code", "top_share",
        "top_share_low", "top_share_high", "never_given", "constant_calibrated_refusal_score",
        "calibrated_refusal_score", "reason",
    ),
    "noise": ("respondent", "first_judge", "second_judge", "noise_floor", "same_class"),
    "preference": ("generator", "self_rate", "cross_rate", "bias", "low", "high", "reason"),
    "agreement": ("coefficient", "first", "second", "value", "low", "high", "candidates", "reason"),
    "stopping": (
        "cells", "cells_seen", "candidates", "full_verdicts", "random_verdicts", "ordered_verdicts", "full_usd",
        "random_usd", "ordered_usd", "remark",
    ),
    "difficulty": ("factor", "factor_value", "judge", "items", "responses", "difficulty", "low", "high", "reason"),
    "factors": ("respondent", "judge", "metric", "value", "low", "high", "parameters_billion", "thinking_tokens"),
    "associations": (
        "judge", "statistic", "factor", "first", "second", "metric", "value", "low", "high", "models", "reason",
    ),
    "calibration": (
        "respondent", "judge", "part", "confidence", "midpoint", "responses", "accuracy", "low", "high", "reason",
    ),
    "reach": (
        "respondent", "judge", "items", "sources", "share_right", "half_width", "rounds", "half_width_all_rounds",
        "bootstrap_half_width", "crs_bootstrap_half_width", "design_effect", "effective_items", "reason",
    ),
    "drift": (
        "respondent", "judge", "earlier_round_id", "earlier_value", "value", "difference", "low", "high", "p_value",
        "reason",
    ),
    "audits": (
        "criterion", "class", "readers", "items", "passes", "pass_rate", "low", "high", "published_pass_rate",
    ),
    "audit_agreement": ("criterion", "coefficient", "first", "second", "items", "observed", "value", "reason"),
}  # fmt: skip
"""The columns that a report reads, by frame."""

OPTIONAL: Final[dict[str, tuple[str, ...]]] = {
    "leaderboard": ("judged", "planned"),
    "fits": tuple(f"{name}_{part}" for name in ("base_only_error", "rules_only_error") for part in _PARTS),
    "rewards": ("part",),
}
"""Columns that it reads where they are there."""
