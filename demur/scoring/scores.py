"""Results of scoring: one typed score per model, also as a tidy frame and as a JSON document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from demur.scoring.errors import ScoringError
from demur.scoring.estimates import Estimate, Json
from demur.scoring.slices import Dimensions


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
