"""Changes of scores since earlier rounds, as rows of `drifts`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from demur.flows.score_rows.associations import HEADLINES
from demur.flows.score_rows.estimates import Row, known, limits
from demur.flows.score_rows.responses import Bootstrap
from demur.scoring.drift import drift

if TYPE_CHECKING:
    import pandas as pd

COMPARED: Final = (
    "item_id", "source_id", "class", "intensity", "expected", "predicted", "correct", "confidence", "eligible",
    "supported_all", "supported_relevant", "model", "kind", "judge", "replicate", "layout",
)  # fmt: skip


def drift_rows(after: "pd.DataFrame", earlier: Mapping[str, Sequence[Sequence[Any]]], how: Bootstrap) -> Iterator[Row]:
    """Yield how scores moved since each earlier round, without round and unit; its rows have the columns COMPARED."""
    import pandas as pd

    for round_id, rows in earlier.items():
        before = pd.DataFrame(list(rows), columns=list(COMPARED))
        for judge in sorted(set(before["judge"]) & set(after["judge"])):
            sides = [side[side["judge"] == judge].reset_index(drop=True) for side in (before, after)]
            for moved in drift(*sides, replicates=how.replicates, seed=how.seed, metrics=HEADLINES):
                yield {
                    "earlier_round_id": round_id,
                    "judge": judge,
                    "respondent": moved.model,
                    "metric": moved.metric,
                    **limits(moved.difference, "difference"),
                    "p_value": known(moved.p_value),
                    "sources": moved.sources_after,
                    "sources_earlier": moved.sources_before,
                    "sources_shared": moved.shared,
                }
