"""Changes of scores since earlier rounds, as rows of `drifts`."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from demur.levers.held_out import LEVER_SPLITS, is_held_out
from demur.scoring.drift import drift
from demur.scoring.estimates import Row
from demur.scoring.rows.associations import HEADLINES
from demur.scoring.rows.responses import Bootstrap

if TYPE_CHECKING:
    import pandas as pd

ALL, TRAIN, HELD_OUT = LEVER_SPLITS


def drift_rows(after: "pd.DataFrame", earlier: Mapping[str, "pd.DataFrame"], how: Bootstrap) -> Iterator[Row]:
    """Yield the rows of `drifts` since each earlier round. The caller adds the columns of the round and the unit.

    Frames have the columns that `scored_rows` takes. There are rows over all items. There are also rows over the items
    of training levers, and over the items of held-out levers, if both rounds have such items. The module
    levers.held_out tells which levers are held out from training.
    """
    for round_id, before in earlier.items():
        for judge in sorted(set(before["judge"]) & set(after["judge"])):
            sides = [side[side["judge"] == judge].reset_index(drop=True) for side in (before, after)]
            for levers, parts in _splits(*sides):
                for moved in drift(*parts, replicates=how.replicates, seed=how.seed, metrics=HEADLINES):
                    yield {"earlier_round_id": round_id, "judge": judge, "levers": levers, **moved}


def _splits(*sides: "pd.DataFrame") -> Iterator[tuple[str, list["pd.DataFrame"]]]:
    """Yield the name of a split of levers, and the rows of both frames in this split.

    The first split is `all`. The splits `train` and `held_out` are left out if one of the frames has no rows in them.
    """
    yield ALL, list(sides)
    held = [
        side["lever_id"].map(lambda lever: is_held_out(lever) if isinstance(lever, str) else None) for side in sides
    ]
    for levers, wanted in ((TRAIN, False), (HELD_OUT, True)):
        parts = [side[which == wanted].reset_index(drop=True) for side, which in zip(sides, held, strict=True)]
        if all(len(part) for part in parts):
            yield levers, parts
