"""The metrics of selective refusal as functions of counts, and metrics of other packages."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, cast

import numpy as np

from demur.plugins import PluginError, PluginKind, plugin, required
from demur.scoring.bootstrap import Combination, Composite, FloatArray, Statistic, harmonic_mean, mean_of
from demur.scoring.calibration import UNGRADED, expected_calibration_error
from demur.scoring.counts import OutcomeCounts, ratio
from demur.scoring.intervals import ERROR, MEAN_OF_SHARES, SHARE, Bounds

if TYPE_CHECKING:
    import pandas as pd

    from demur.scoring.intervals import Estimate


# The metrics of selective refusal as functions of counts, with the counts that must not be 0.
#
# INVALID responses stay in all denominators. Source: RefusalBench (arXiv 2510.10390), evaluation metrics.


Quantity = Callable[[OutcomeCounts], FloatArray]


@dataclass(frozen=True, slots=True)
class RequiredCount:
    """A count without which a metric is undefined. If the count is 0, `reason` is the metric's reason."""

    count: Quantity
    reason: str


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of selective refusal.

    `compute` returns the metric's values from counts; `base` returns the denominator, a number of responses. `event`
    counts the responses of the metric's numerator, such as false refusals; None for metrics without such a numerator.
    `parts` are the names of the metrics that this metric is made from by `combine`; its interval comes from theirs.
    """

    name: str
    compute: Quantity
    base: Quantity
    needs: tuple[RequiredCount, ...]
    span: Bounds = SHARE
    event: Quantity | None = None
    parts: tuple[str, ...] = ()
    combine: Combination | None = None


class ResponseKind(StrEnum):
    """Kinds of judged responses; each response has exactly one."""

    CORRECT_ANSWER = "correct_answer"
    WRONG_ANSWER = "wrong_answer"
    CORRECT_REFUSAL = "correct_refusal"
    WRONG_CATEGORY_REFUSAL = "wrong_category_refusal"
    FALSE_REFUSAL = "false_refusal"
    MISSED_REFUSAL = "missed_refusal"
    INVALID = "invalid"


def statistic(metrics: Sequence[Metric]) -> Statistic:
    """Return the function from sums, shape (sums, ...), to the metrics' values, shape (metrics, ...)."""

    def compute(sums: FloatArray) -> FloatArray:
        counts = OutcomeCounts.of(sums)
        return np.stack([metric.compute(counts) for metric in metrics])

    return compute


ANSWERABLE = RequiredCount(lambda c: c.answerable, "no answerable items in this slice")
UNANSWERABLE = RequiredCount(lambda c: c.unanswerable, "no unanswerable items in this slice")
RESPONSES = RequiredCount(lambda c: c.responses, "no responses in this slice")
REFUSALS = RequiredCount(lambda c: c.refusals, "no refusals in this slice")
REFUSALS_OF_UNANSWERABLE = RequiredCount(
    lambda c: c.refusals_of_unanswerable, "no refusals of unanswerable items in this slice"
)
MULTI_ANSWERABLE = RequiredCount(lambda c: c.multi_answerable, "no answerable items of several documents in this slice")
MULTI_RESPONSES = RequiredCount(lambda c: c.multi_responses, "no items of several documents in this slice")
MULTI_ATTEMPTS = RequiredCount(
    lambda c: c.multi_attempts, "no attempts on answerable items of several documents in this slice"
)
GRADED_ELIGIBLE = RequiredCount(lambda c: c.graded_eligible, "no attempts graded for eligibility in this slice")
GRADED_ALL = RequiredCount(lambda c: c.graded_supported_all, "no attempts graded against all passages in this slice")
GRADED_RELEVANT = RequiredCount(
    lambda c: c.graded_supported_relevant, "no attempts graded against relevant passages in this slice"
)
STATED = RequiredCount(lambda c: c.stated.sum(axis=0), "no responses with a stated confidence in this slice")
STATED_ANSWERS = RequiredCount(
    lambda c: c.stated_answers.sum(axis=0), "no answers with a stated confidence in this slice"
)
STATED_REFUSALS = RequiredCount(
    lambda c: c.stated_refusals.sum(axis=0), "no refusals with a stated confidence in this slice"
)
NO_CODES = "respondents were told codes, and judges did not look at how they say it in plain words"
PLAIN = RequiredCount(lambda c: c.plain, NO_CODES)
PLAIN_AMBIGUOUS = RequiredCount(
    lambda c: c.plain_ambiguous, "no responses in plain words to ambiguous items in this slice"
)
PLAIN_ATTEMPTS = RequiredCount(lambda c: c.plain_attempts, "no answers in plain words in this slice")
GRADED = RequiredCount(lambda c: _is_zero(c.ungraded), UNGRADED)
GRADED_MULTI = RequiredCount(lambda c: _is_zero(c.ungraded_multi), UNGRADED)
CODED = RequiredCount(
    lambda c: _is_zero(c.any_reason), "not all items to be refused have an expected reason in this slice"
)
GRADED_STATED = RequiredCount(lambda c: _is_zero(c.ungraded_with_confidence), UNGRADED)


def _is_zero(count: FloatArray) -> FloatArray:
    return np.asarray(count == 0, dtype=np.float64)


def _share(name: str, part: Quantity, whole: RequiredCount, *known: RequiredCount) -> Metric:
    """Return the metric part / whole, undefined if one of the counts `known` is 0."""
    compute = _where(known, lambda c: ratio(part(c), whole.count(c)))
    return Metric(name, compute, whole.count, (whole, *known), event=part)


def _error(
    name: str,
    bins: Callable[[OutcomeCounts], tuple[FloatArray, FloatArray, FloatArray]],
    need: RequiredCount,
    *known: RequiredCount,
) -> Metric:
    compute = _where(known, lambda c: expected_calibration_error(*bins(c)))
    return Metric(name, compute, need.count, (need, *known), span=ERROR)


def _where(known: Sequence[RequiredCount], compute: Quantity) -> Quantity:
    if not known:
        return compute
    return lambda c: np.where(np.all([need.count(c) > 0 for need in known], axis=0), compute(c), np.nan)


def _detection_f1(c: OutcomeCounts) -> FloatArray:
    """Return the harmonic mean of precision and recall of detection; 0 for a model that never refuses."""
    predicted_and_actual = c.refusals + c.unanswerable
    return np.asarray(
        np.where(c.unanswerable > 0, ratio(2.0 * c.refusals_of_unanswerable, predicted_and_actual), np.nan)
    )


def _category_accuracy(c: OutcomeCounts) -> FloatArray:
    return ratio(c.matches, c.refusals_of_unanswerable)


def _calibrated_refusal_score(c: OutcomeCounts) -> FloatArray:
    return (ratio(c.correct_answers, c.answerable) + ratio(c.matches, c.unanswerable)) / 2.0


METRICS: tuple[Metric, ...] = (
    _share("answer_accuracy", lambda c: c.correct_answers, ANSWERABLE, GRADED),
    _share("refusal_accuracy", lambda c: c.matches, UNANSWERABLE, CODED),
    _share("false_refusal_rate", lambda c: c.refusals_of_answerable, ANSWERABLE),
    _share("missed_refusal_rate", lambda c: c.attempts_on_unanswerable, UNANSWERABLE),
    _share("refusal_rate", lambda c: c.refusals, RESPONSES),
    _share("correct_refusal_rate", lambda c: c.refusals_of_unanswerable, UNANSWERABLE),
    _share("detection_precision", lambda c: c.refusals_of_unanswerable, REFUSALS),
    # The published metrics correct_refusal_rate and detection_recall have the same formula.
    _share("detection_recall", lambda c: c.refusals_of_unanswerable, UNANSWERABLE),
    Metric(
        "detection_f1",
        _detection_f1,
        RESPONSES.count,
        (UNANSWERABLE,),
        parts=("detection_precision", "detection_recall"),
        combine=harmonic_mean,
    ),
    _share("category_accuracy", lambda c: c.matches, REFUSALS_OF_UNANSWERABLE, CODED),
    Metric(
        "hierarchical_refusal_score",
        _where((CODED,), lambda c: _detection_f1(c) * _category_accuracy(c)),
        RESPONSES.count,
        (UNANSWERABLE, REFUSALS_OF_UNANSWERABLE, CODED),
        parts=("detection_precision", "detection_recall", "category_accuracy"),
        combine=lambda parts: harmonic_mean(parts) * parts[2],
    ),
    Metric(
        "calibrated_refusal_score",
        _where((GRADED, CODED), _calibrated_refusal_score),
        RESPONSES.count,
        (ANSWERABLE, UNANSWERABLE, GRADED, CODED),
        span=MEAN_OF_SHARES,
        event=lambda c: c.correct_answers + c.matches,
        parts=("answer_accuracy", "refusal_accuracy"),
        combine=mean_of,
    ),
    _share("answer_quality", lambda c: c.multi_correct, MULTI_ANSWERABLE, GRADED_MULTI),
    _share("hybrid_score", lambda c: c.multi_correct + c.multi_matches, MULTI_RESPONSES, GRADED_MULTI, CODED),
    _error("ece", lambda c: (c.stated, c.stated_accurate, c.stated_claimed), STATED, GRADED_STATED),
    _error(
        "ece_answers",
        lambda c: (c.stated_answers, c.stated_answers_accurate, c.stated_answers_claimed),
        STATED_ANSWERS,
        GRADED_STATED,
    ),
    _error(
        "ece_refusals",
        lambda c: (c.stated_refusals, c.stated_refusals_accurate, c.stated_refusals_claimed),
        STATED_REFUSALS,
    ),
    _share("invalid_rate", lambda c: c.invalid, RESPONSES),
    _share("provider_refusal_rate", lambda c: c.provider_refusals, RESPONSES),
    _share("eligibility", lambda c: c.eligible, GRADED_ELIGIBLE),
    _share("factuality_all", lambda c: c.supported_all, GRADED_ALL),
    _share("factuality_relevant", lambda c: c.supported_relevant, GRADED_RELEVANT),
    _share("raf_attempts", lambda c: c.multi_correct, MULTI_ATTEMPTS, GRADED_MULTI),
    _share("asked_back", lambda c: c.asked_back, PLAIN),
    _share("asked_back_if_ambiguous", lambda c: c.asked_back_on_ambiguous, PLAIN_AMBIGUOUS),
    _share("hedged_answers", lambda c: c.hedged, PLAIN_ATTEMPTS),
)
"""All metrics, in the order of tables. Values are in [0, 1]."""

METRIC_NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS)


def with_parts(metrics: Sequence[Metric]) -> list[Metric]:
    """Return metrics, then the metrics that they are made from and that are not among them."""
    names = [metric.name for metric in metrics]
    missing = dict.fromkeys(part for metric in metrics for part in metric.parts if part not in names)
    return [*metrics, *(METRICS[METRIC_NAMES.index(name)] for name in missing)]


def spans_of(metrics: Sequence[Metric]) -> list[Bounds]:
    """Return the bounds of metrics; their parts are the metrics' places. A metric without its parts here has none."""
    place = {metric.name: at for at, metric in enumerate(metrics)}
    return [
        replace(metric.span, composite=Composite(tuple(place[part] for part in metric.parts), metric.combine))
        if metric.combine is not None and place.keys() >= set(metric.parts)
        else metric.span
        for metric in metrics
    ]


DISTRIBUTION: tuple[Metric, ...] = (
    _share(ResponseKind.CORRECT_ANSWER, lambda c: c.correct_answers, RESPONSES, GRADED),
    _share(ResponseKind.WRONG_ANSWER, lambda c: c.attempts_on_answerable - c.correct_answers, RESPONSES, GRADED),
    _share(ResponseKind.CORRECT_REFUSAL, lambda c: c.matches, RESPONSES),
    _share(ResponseKind.WRONG_CATEGORY_REFUSAL, lambda c: c.refusals_of_unanswerable - c.matches, RESPONSES),
    _share(ResponseKind.FALSE_REFUSAL, lambda c: c.refusals_of_answerable, RESPONSES),
    _share(ResponseKind.MISSED_REFUSAL, lambda c: c.attempts_on_unanswerable, RESPONSES),
    _share(ResponseKind.INVALID, lambda c: c.invalid, RESPONSES),
)
"""The response distribution: shares of the kinds of responses, which sum to 1."""


# Metrics of other packages, in the entry point group `demur.metrics`.
#
# A metric is a callable. It takes a frame with the responses of one model to perturbed items (columns as in
# `scoring.responses`), and returns a number, or None if the metric is undefined.


OwnMetric = Callable[["pd.DataFrame"], float | None]


def checked_metric(name: str) -> str:
    """Return `name` if an installed package has a metric of this name.

    Raises:
        ValueError: no package has such a metric.
        PluginError: a package uses the name of a built-in metric, or several packages use this name.
    """
    if plugin(PluginKind.METRIC, name, METRIC_NAMES) is None:
        raise ValueError(f"'{name}' is not a metric of an installed package")
    return name


def own_estimates(frame: "pd.DataFrame", names: Sequence[str]) -> Iterator[tuple[str, str, "Estimate"]]:
    """Yield model, metric and estimate (without an interval) of each metric of another package.

    Raises:
        PluginError: a metric cannot be imported, raises, or returns no number.
    """
    from demur.scoring.intervals import Estimate

    perturbed = frame[frame["kind"] == "perturbed"] if "kind" in frame.columns else frame
    for name in names:
        found = required(PluginKind.METRIC, name)
        metric = cast("OwnMetric", found.load(callable, "a function"))
        for model, responses in perturbed.groupby("model", sort=True):
            try:
                value = metric(responses.reset_index(drop=True))
                number = math.nan if value is None else float(value)
            except Exception as exc:
                raise PluginError(f"{found.place}: raised {type(exc).__name__}: {exc}") from exc
            nothing = "nothing to count" if math.isnan(number) else "without an interval"
            reason = f"{nothing}: counted by {found.package}"
            yield str(model), name, Estimate(number, n=len(responses), reason=reason)
