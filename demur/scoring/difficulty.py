"""Difficulty of items, by lever, domain or any column: the share of all models' responses that are not accurate."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, bootstrap
from demur.scoring.intervals import SHARE
from demur.scoring.responses import read_responses
from demur.scoring.slices import cluster_codes, slice_rows, sum_by_slice_and_cluster

UNGRADED = "answer attempts without a grade: nothing says which are correct"
NO_RESPONSES = "no responses"


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The share of responses, by any model, that are neither a correct answer nor the expected code.

    An INVALID response is not accurate. `estimate.n` counts responses.
    """

    value: str
    items: int
    sources: int
    estimate: Estimate


def difficulty(frame: pd.DataFrame, factor: str, *, replicates: int, seed: int) -> list[Difficulty]:
    """Return the difficulty of every value of a column, over perturbed items and all models; nulls are left out.

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
        Difficulty(
            value=dict(members.dimensions[at])[factor],
            items=len(np.unique(items[member[:, 0] == at])),
            sources=int(support.sources[0, position]),
            estimate=grid[position],
        )
        for position, at in enumerate(present)
    ]


def _share(sums: FloatArray) -> FloatArray:
    whole, wrong, ungraded = sums
    return np.where(ungraded > 0, np.nan, ratio(wrong, whole))[None]
