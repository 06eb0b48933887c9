"""Difficulty of items, by lever, domain or any column: the share of all models' responses that are not accurate."""

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.calibration import UNGRADED
from demur.scoring.counts import ratio
from demur.scoring.estimates import EstimateBasis, Row, bootstrap, limits
from demur.scoring.intervals import SHARE
from demur.scoring.responses import read_responses
from demur.scoring.slices import cluster_codes, slice_rows, sum_by_slice_and_cluster

NO_RESPONSES = "no responses"


def difficulty(frame: pd.DataFrame, factor: str, *, replicates: int, seed: int) -> list[Row]:
    """Return one row for each value of the column `factor`: the difficulty, its standard error and its limits.

    Undefined numbers are None, with a reason. The difficulty is the share of responses of all models that are neither a
    correct answer nor a refusal with the expected code. INVALID responses belong to this share. Controls and rows whose
    `factor` is null are left out. A row also has the numbers of items, source questions and responses.

    Raises:
        ScoringError: the frame lacks the column.
    """
    responses = read_responses(frame)
    members = slice_rows(frame, (factor,), responses.apart)
    member = np.where(responses.apart, -1, members.member[:, 1])[:, None]
    present = [at for at in range(len(members.dimensions)) if (member == at).any()]
    if not present:
        return []
    codes, clusters = cluster_codes(frame["source_id"])
    columns = np.stack([np.ones(len(frame)), ~responses.accurate, responses.ungraded]).astype(np.float64)
    sums = sum_by_slice_and_cluster(columns, member, codes, len(members.dimensions), clusters)[:, present]
    ungraded = sums[2].sum(axis=-1) > 0
    support = EstimateBasis(
        n=sums[:1, :].sum(axis=-1).astype(np.int64),
        sources=(sums[:1] > 0).sum(axis=-1),
        reasons=[[UNGRADED if unknown else NO_RESPONSES for unknown in ungraded]],
        spans=[SHARE],
    )
    grid = bootstrap(sums, _share, resample(clusters, replicates, seed), support)[0]
    items = frame.groupby(["source_id", "item_id"], sort=False).ngroup().to_numpy()
    return [
        {
            "value": dict(members.dimensions[at])[factor],
            "items": len(np.unique(items[member[:, 0] == at])),
            "sources": int(behind),
            "responses": estimate.n,
            **limits(estimate, "difficulty"),
        }
        for at, behind, estimate in zip(present, support.sources[0], grid, strict=True)
    ]


def _share(sums: FloatArray) -> FloatArray:
    whole, wrong, ungraded = sums
    return np.where(ungraded > 0, np.nan, ratio(wrong, whole))[None]
