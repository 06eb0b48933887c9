"""Changes of scores since earlier rounds, as rows of `drifts`."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from demur.levers.held_out import LEVER_SPLITS, is_held_out
from demur.scoring.drift import Drift, drift
from demur.scoring.rows.associations import HEADLINES
from demur.scoring.rows.estimates import Row, known, limits
from demur.scoring.rows.responses import Bootstrap

if TYPE_CHECKING:
    import pandas as pd

ALL, TRAIN, HELD_OUT = LEVER_SPLITS


def drift_rows(after: "pd.DataFrame", earlier: Mapping[str, "pd.DataFrame"], how: Bootstrap) -> Iterator[Row]:
    """Yield how scores moved since each earlier round, without round and unit; frames are those of `scored_rows`.

    Over all items, and, where both sides have levers, over those of levers that may be trained on and of the others.
    """
    for round_id, before in earlier.items():
        for judge in sorted(set(before["judge"]) & set(after["judge"])):
            sides = [side[side["judge"] == judge].reset_index(drop=True) for side in (before, after)]
            for levers, parts in _splits(*sides):
                for moved in drift(*parts, replicates=how.replicates, seed=how.seed, metrics=HEADLINES):
                    yield {"earlier_round_id": round_id, "judge": judge, "levers": levers, **_row(moved)}


def _row(moved: Drift) -> Row:
    return {
        "respondent": moved.model,
        "metric": moved.metric,
        **limits(moved.difference, "difference"),
        "p_value": known(moved.p_value),
        "sources": moved.sources_after,
        "sources_earlier": moved.sources_before,
        "sources_shared": moved.shared,
    }


def _splits(*sides: "pd.DataFrame") -> Iterator[tuple[str, list["pd.DataFrame"]]]:
    """Yield both sides whole, then their items of training levers and of held-out ones, where both have any."""
    yield ALL, list(sides)
    held = [
        side["lever_id"].map(lambda lever: is_held_out(lever) if isinstance(lever, str) else None) for side in sides
    ]
    for levers, wanted in ((TRAIN, False), (HELD_OUT, True)):
        parts = [side[which == wanted].reset_index(drop=True) for side, which in zip(sides, held, strict=True)]
        if all(len(part) for part in parts):
            yield levers, parts
