"""Scores of response files: per model, by class, intensity and language."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from demur.exchange.responses.file import ResponseFile
from demur.scoring.counts import DEFAULT_SLICES, Slicing
from demur.scoring.intervals import Estimate, Limits
from demur.scoring.metrics import own_estimates
from demur.scoring.refusal_scores import ModelScore, document, score


def score_file(
    found: ResponseFile, *, replicates: int, seed: int, limits: Limits | None = None, metrics: Sequence[str] = ()
) -> list[ModelScore]:
    """Return the scores of each model; `metrics` names metrics of other packages.

    The list is empty if no row is valid.
    """
    import pandas as pd

    if not found.rows:
        return []
    frame = pd.DataFrame(found.rows)
    slices: Sequence[Slicing] = (*DEFAULT_SLICES, *(("language",) if frame["language"].notna().any() else ()))
    own: dict[str, dict[str, Estimate]] = defaultdict(dict)
    for model, metric, estimate in own_estimates(frame, metrics):
        own[model][metric] = estimate
    scores = score(frame, replicates=replicates, seed=seed, slices=slices, limits=limits, discrimination=True)
    return [replace(of, overall=replace(of.overall, metrics={**of.overall.metrics, **own[of.model]})) for of in scores]


def score_json(scores: Sequence[ModelScore]) -> str:
    """Return scores as a JSON document; undefined scores are null."""
    return json.dumps(document(scores), ensure_ascii=False, indent=1, allow_nan=False)
