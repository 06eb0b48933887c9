"""Scores of responses that no round of ours made: per model, by class, intensity and language."""

import json
from collections.abc import Sequence

from demur.exchange.responses.file import ResponseFile
from demur.scoring.intervals import Limits
from demur.scoring.refusal import score
from demur.scoring.scores import ModelScore, document
from demur.scoring.slices import DEFAULT_SLICES, Slicing


def score_file(found: ResponseFile, *, replicates: int, seed: int, limits: Limits | None = None) -> list[ModelScore]:
    """Return every model's scores, none where the file has no row that can be scored."""
    import pandas as pd

    if not found.rows:
        return []
    frame = pd.DataFrame(found.rows)
    slices: Sequence[Slicing] = (*DEFAULT_SLICES, *(("language",) if frame["language"].notna().any() else ()))
    return score(frame, replicates=replicates, seed=seed, slices=slices, limits=limits, discrimination=True)


def score_json(scores: Sequence[ModelScore]) -> str:
    """Return scores as a JSON document: null for what is undefined, never NaN."""
    return json.dumps(document(scores), ensure_ascii=False, indent=1, allow_nan=False)
