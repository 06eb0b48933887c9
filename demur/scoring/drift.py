"""Change of a model's score between two rounds, with its interval.

If a source question is in both rounds, a replicate draws the question equally often for each round. What such a
question adds to both scores therefore cancels in the difference. Other source questions are drawn independently.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import evaluate, resample
from demur.scoring.counts import indicators
from demur.scoring.estimates import Row, known, limits
from demur.scoring.metrics import statistic, with_parts
from demur.scoring.paired import DEFAULT_METRICS, chosen_metrics, differences, p_value_of
from demur.scoring.refusal import support
from demur.scoring.responses import read_responses
from demur.scoring.slices import cluster_codes, sum_by_slice_and_cluster


def drift(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    metrics: Sequence[str] = DEFAULT_METRICS,
) -> Iterator[Row]:
    """Yield the drift of every named metric for every model of both rounds, sorted by model.

    The drift is the metric in the round `after` minus the metric in the round `before`.
    Both frames have the columns of scoring.responses. Controls are left out. `sources_shared` counts source questions
    that are in both rounds.

    Raises:
        ScoringError: a frame is malformed, or a metric does not exist.
    """
    wanted = chosen_metrics(metrics)
    counted = with_parts(wanted)
    rounds = [read_responses(frame) for frame in (after, before)]
    columns = [indicators(responses) for responses in rounds]
    rows = [{model: at[~responses.apart[at]] for model, at in responses.by_model()} for responses in rounds]
    for model in sorted(rows[0].keys() & rows[1].keys()):
        later = rows[0][model]
        earlier = rows[1][model]
        sources = [after["source_id"].iloc[later].astype(str), before["source_id"].iloc[earlier].astype(str)]
        codes, clusters = cluster_codes(pd.concat(sources, ignore_index=True))
        if not clusters:
            continue
        member = np.repeat(np.arange(2), [len(later), len(earlier)])[:, None]
        both = np.concatenate([columns[0][:, later], columns[1][:, earlier]], axis=1)
        sums = sum_by_slice_and_cluster(both, member, codes, 2, clusters)
        weights = resample(clusters, replicates, seed)
        sides = [
            (evaluate(side, statistic(counted), weights), support(counted, side)) for side in (sums[:, :1], sums[:, 1:])
        ]
        moved = differences(sides[0], sides[1])
        counts = [int(source.nunique()) for source in sources]
        for metric, (difference,) in zip(wanted, moved, strict=False):  # behind them are their parts
            yield {
                "respondent": model,
                "metric": metric.name,
                **limits(difference, "difference"),
                "p_value": known(p_value_of(difference)),
                "sources": counts[0],
                "sources_earlier": counts[1],
                "sources_shared": sum(counts) - clusters,
            }
