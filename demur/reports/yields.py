"""What became of the round's perturbations: coverage of the strata, the way from asked to items, the verifiers."""

from typing import Final

import pandas as pd

from demur.reports.cells import Row, rows
from demur.reports.names import CLASSES, INTENSITIES, in_order

COUNTS: Final = ("asked", "candidates", "accepted", "items", "declined", "rejected", "duplicates", "wanted")
_VERDICTS: Final = ["verdicts", "passes", "inconsistent"]


def yields(strata: pd.DataFrame, verifiers: pd.DataFrame) -> Row:
    """Return what the sections on yield show.

    `strata` are the counts by class and intensity with what they are `short`; `funnel` has a row of counts for each
    class with what `failed`, and `total` one for all, None without strata; `verdicts` are counts by verifier and
    generator, and those of all its candidates under the generator None.
    """
    counts = strata.assign(**{name: strata[name].fillna(0).astype(int) for name in COUNTS})
    counts["short"] = (counts["wanted"] - counts["items"]).clip(lower=0)
    cells = {(row["class"], row["intensity"]): row for row in rows(counts)}
    classes = in_order(counts["class"], CLASSES)
    given = verifiers.assign(**{name: verifiers[name].fillna(0).astype(int) for name in _VERDICTS})
    everything = pd.concat([given, given.assign(generator=None)])
    summed = everything.groupby(["verifier", "generator"], dropna=False)[_VERDICTS].sum().reset_index()
    return {
        "classes": classes,
        "intensities": in_order(counts["intensity"], INTENSITIES),
        "strata": cells,
        "filled": sum(not cell["short"] for cell in cells.values()),
        "funnel": [_funnel(CLASSES.get(name, name), counts[counts["class"] == name]) for name in classes],
        "total": _funnel("All classes", counts) if cells else None,
        "verifiers": sorted(set(given["verifier"])),
        "generators": sorted(set(given["generator"])),
        "verdicts": {(row["verifier"], row["generator"]): row for row in rows(summed)},
    }


def _funnel(name: str, counts: pd.DataFrame) -> Row:
    summed = {step: int(counts[step].sum()) for step in COUNTS}
    ended = sum(summed[step] for step in ("declined", "rejected", "duplicates", "candidates"))
    return {"name": name, **summed, "failed": max(0, summed["asked"] - ended)}
