"""Scores of models on selective refusal: all metrics, slices and intervals of a frame of judged responses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED, AnyReason
from demur.scoring import ScoringError
from demur.scoring.bootstrap import FloatArray, IntArray, resample
from demur.scoring.calibration import aurocs
from demur.scoring.counts import (
    DEFAULT_SLICES,
    Dimensions,
    OutcomeCounts,
    Slicing,
    cluster_codes,
    indicators,
    slice_rows,
    sum_by_slice_and_cluster,
)
from demur.scoring.intervals import Estimate, EstimateBasis, Json, Limits, bootstrap
from demur.scoring.metrics import DISTRIBUTION, METRICS, Metric, spans_of, statistic
from demur.scoring.responses import EXPECTED, ResponseArrays, read_responses

# Results of scoring: one typed score per model, also as a tidy frame and as a JSON document.


@dataclass(frozen=True, slots=True)
class SliceScore:
    """All metrics over a slice.

    The slice has the responses with the values in `dimensions`; all responses if `dimensions` is empty. `distribution`
    has the share of each kind of response.
    """

    dimensions: Dimensions
    items: int
    responses: int
    sources: int
    metrics: Mapping[str, Estimate]
    distribution: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Json]:
        """Return dimensions, items, metrics and distribution (shares without intervals) as JSON values."""
        return {
            "dimensions": dict(self.dimensions),
            "items": self.items,
            "metrics": {name: estimate.as_dict() for name, estimate in self.metrics.items()},
            "distribution": {kind: estimate.as_dict()["value"] for kind, estimate in self.distribution.items()},
        }


@dataclass(frozen=True, slots=True)
class ModelScore:
    """One model's scores on perturbed items, overall and by slice, and its confusion matrix.

    `confusion` maps expected code and predicted code to the number of responses.
    """

    model: str
    overall: SliceScore
    slices: tuple[SliceScore, ...] = ()
    confusion: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def metrics(self) -> Mapping[str, Estimate]:
        """The metrics over all responses to perturbed items."""
        return self.overall.metrics

    @property
    def distribution(self) -> Mapping[str, Estimate]:
        """The share of each kind of response to perturbed items."""
        return self.overall.distribution

    def slice(self, **dimensions: str) -> SliceScore:
        """Return the slice with these values, such as `slice(intensity="LOW")`; without values, the overall slice.

        Raises:
            ScoringError: there is no such slice.
        """
        for candidate in (self.overall, *self.slices):
            if dict(candidate.dimensions) == dimensions:
                return candidate
        raise ScoringError(f"{self.model}: there is no slice {dimensions}; name its columns in `slices` when scoring")

    def as_dict(self) -> dict[str, Json]:
        """Return model, items, metrics, slices, distribution and confusion as JSON values."""
        overall = self.overall.as_dict()
        return {
            "model": self.model,
            "items": overall["items"],
            "metrics": overall["metrics"],
            "slices": [part.as_dict() for part in self.slices],
            "distribution": overall["distribution"],
            "confusion": {expected: dict(predicted) for expected, predicted in self.confusion.items()},
        }


def document(scores: Iterable[ModelScore]) -> dict[str, Json]:
    """Return scores as one JSON document; undefined values are None."""
    return {"models": [score.as_dict() for score in scores]}


def tidy(scores: Iterable[ModelScore]) -> pd.DataFrame:
    """Return one row per model, slice and metric (kinds of response included, as `share_<kind>`).

    Columns: model, one column per dimension of slices (null for slices without it), metric, value, se, low, high, n,
    reason.
    """
    rows: list[dict[str, object]] = []
    for score in scores:
        for part in (score.overall, *score.slices):
            named = {**part.metrics, **{f"share_{kind}": share for kind, share in part.distribution.items()}}
            for name, e in named.items():
                where = {"model": score.model, **dict(part.dimensions), "metric": name}
                what = {"value": e.value, "se": e.se, "low": e.low, "high": e.high, "n": e.n, "reason": e.reason}
                rows.append({**where, **what})
    last = ["metric", "value", "se", "low", "high", "n", "reason"]
    frame = pd.DataFrame(rows) if rows else pd.DataFrame(columns=["model", *last])
    return frame[["model", *(name for name in frame.columns if name not in ("model", *last)), *last]]


# Scores of models on selective refusal: all metrics, slices and intervals of a frame of judged responses.
#
# The module scoring.responses describes the columns of the frame; scoring.metrics defines the metrics.


def confusion_counts(responses: ResponseArrays, rows: IntArray) -> IntArray:
    """Return the confusion matrix of `rows`, shape (len(EXPECTED), len(PREDICTED)). Controls are left out."""
    kept = rows[~responses.apart[rows]]
    cells = responses.expected[kept].astype(np.int64) * len(PREDICTED) + responses.predicted[kept]
    return np.bincount(cells, minlength=len(EXPECTED) * len(PREDICTED)).reshape(len(EXPECTED), len(PREDICTED))


def confusion_mapping(counts: IntArray) -> dict[str, dict[str, int]]:
    """Return a confusion matrix as nested dicts: expected behaviour, then predicted code.

    REFUSE, which few sets expect, is left out if no item expects it.
    """
    return {
        expected: dict(zip(PREDICTED, row, strict=True))
        for expected, row in zip(EXPECTED, counts.tolist(), strict=True)
        if expected != AnyReason.REFUSE or any(row)
    }


ALL: tuple[Metric, ...] = (*METRICS, *DISTRIBUTION)


def score(
    frame: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    slices: Sequence[Slicing] = DEFAULT_SLICES,
    cluster: str = "source_id",
    limits: Limits | None = None,
    discrimination: bool = False,
) -> list[ModelScore]:
    """Return every model's metrics with intervals, overall and by slice, sorted by model.

    Args:
        frame: the judged responses. Controls form a slice of their own and are in no other slice.
        replicates: number of bootstrap replicates. Each replicate draws source questions with replacement. Models with
            equal numbers of source questions share the draws.
        seed: seed of the draws.
        slices: columns, or tuples of columns.
        cluster: column of the resampled clusters; "item_id" treats perturbations of one question as independent.
        limits: method for confidence limits; None for each metric's own method.
        discrimination: add the areas under the ROC curve of stated confidence to the metrics.

    Raises:
        ScoringError: the frame lacks a column, a value is not allowed, or a slice names no column.
    """
    responses = read_responses(frame)
    if cluster not in frame.columns or frame[cluster].isna().any():
        raise ScoringError(f"score: the cluster column {cluster!r} must be in the frame and without nulls")
    members = slice_rows(frame, slices, responses.apart)
    columns = indicators(responses)
    source, _ = cluster_codes(frame["source_id"])
    item = frame.groupby(["source_id", "item_id"], sort=False).ngroup().to_numpy().astype(np.int64)
    drawn: dict[int, FloatArray] = {}
    scores = []
    for model, rows in responses.by_model():
        member, present = _present(members.member[rows])
        codes, clusters = cluster_codes(frame[cluster].iloc[rows])
        if clusters not in drawn:
            drawn[clusters] = resample(clusters, replicates, seed)
        shape = len(present), clusters
        sums = sum_by_slice_and_cluster(columns[:, rows], member, codes, *shape)
        parts = _slice_scores(
            [members.dimensions[at] for at in present],
            bootstrap(sums, statistic(ALL), drawn[clusters], support(ALL, sums), limits),
            items=_distinct(member, item[rows], len(present)),
            responses=_distinct(member, rows, len(present)),
            sources=_distinct(member, source[rows], len(present)),
        )
        if discrimination:
            areas = [
                aurocs(responses, rows[inside], codes[inside], drawn[clusters], limits)
                for inside in ((member == at).any(axis=1) for at in range(len(present)))
            ]
            parts = tuple(
                replace(part, metrics={**part.metrics, **more}) for part, more in zip(parts, areas, strict=True)
            )
        confusion = confusion_mapping(confusion_counts(responses, rows))
        scores.append(ModelScore(model, parts[0], parts[1:], confusion))
    return scores


def support(metrics: Sequence[Metric], sums: FloatArray) -> EstimateBasis:
    """Return denominators, source questions and reasons of metrics; `sums` has shape (sums, slices, clusters)."""
    by_cluster = OutcomeCounts.of(sums)
    total = OutcomeCounts.of(sums.sum(axis=-1))
    return EstimateBasis(
        n=np.stack([metric.base(total) for metric in metrics]).astype(np.int64),
        sources=np.stack(
            [np.min([(need.count(by_cluster) > 0).sum(axis=-1) for need in metric.needs], axis=0) for metric in metrics]
        ),
        reasons=[_reasons(metric, total) for metric in metrics],
        spans=spans_of(metrics),
    )


def _reasons(metric: Metric, total: OutcomeCounts) -> list[str | None]:
    """Return for each slice the reason of the first required count that is 0; None if no required count is 0."""
    unmet = [(need.count(total) <= 0, need.reason) for need in metric.needs]
    return [next((reason for missing, reason in unmet if missing[at]), None) for at in range(total.answerable.shape[0])]


def _present(member: IntArray) -> tuple[IntArray, list[int]]:
    """Drop the slices without responses. Return `member` with new numbers of slices, and the old number of each slice.

    `member` has the slice of each row in each slicing; -1 is no slice. The overall slice (0) is never dropped.
    """
    present = np.union1d([0], member[member >= 0])
    return np.where(member >= 0, np.searchsorted(present, member), -1), present.tolist()


def _distinct(member: IntArray, codes: IntArray, slices: int) -> list[int]:
    """Return the number of distinct codes in each slice."""
    rows, slicings = np.nonzero(member >= 0)
    span = int(codes.max()) + 1
    pairs = np.unique(member[rows, slicings] * span + codes[rows])
    counts: list[int] = np.bincount(pairs // span, minlength=slices).tolist()
    return counts


def _slice_scores(
    dimensions: list[Dimensions],
    grid: list[list[Estimate]],
    *,
    items: list[int],
    responses: list[int],
    sources: list[int],
) -> tuple[SliceScore, ...]:
    names = [metric.name for metric in ALL]
    return tuple(
        SliceScore(
            dimensions=dimensions[at],
            items=items[at],
            responses=responses[at],
            sources=sources[at],
            metrics={name: row[at] for name, row in zip(names[: len(METRICS)], grid[: len(METRICS)], strict=True)},
            distribution={name: row[at] for name, row in zip(names[len(METRICS) :], grid[len(METRICS) :], strict=True)},
        )
        for at in range(len(dimensions))
    )
