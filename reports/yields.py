"""What became of the round's perturbations: coverage of the strata, the way from asked to items, the verifiers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from demur.reports.names import CLASSES, INTENSITIES, in_order

STEPS: Final = ("asked", "candidates", "accepted", "items")
COUNTS: Final = (*STEPS, "declined", "rejected", "duplicates", "wanted")


@dataclass(frozen=True, slots=True)
class CoverageCell:
    """One stratum: items drawn and wanted, and how many perturbations the verifiers accepted."""

    items: int
    wanted: int
    accepted: int

    @property
    def share(self) -> float:
        """Items drawn of those wanted, in [0, 1]."""
        return min(1.0, self.items / self.wanted) if self.wanted else 0.0

    @property
    def shortfall(self) -> int:
        """How many items are missing."""
        return max(0, self.wanted - self.items)


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """The strata of one class, by intensity; None where the round does not want a stratum."""

    name: str
    cells: tuple[CoverageCell | None, ...]


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """How many perturbations of a class came how far, and where the others were lost."""

    name: str
    asked: int
    candidates: int
    accepted: int
    items: int
    declined: int
    rejected: int
    duplicates: int
    wanted: int

    @property
    def failed(self) -> int:
        """Units that ended without a perturbation, of which the failures section tells."""
        return max(0, self.asked - self.declined - self.rejected - self.duplicates - self.candidates)


@dataclass(frozen=True, slots=True)
class AcceptanceCell:
    """The verdicts of one verifier on one generator's candidates."""

    verdicts: int
    passes: int
    inconsistent: int

    @property
    def rate(self) -> float | None:
        """Passes among verdicts, in [0, 1]; None without verdicts."""
        return self.passes / self.verdicts if self.verdicts else None


@dataclass(frozen=True, slots=True)
class AcceptanceRow:
    """One verifier's verdicts by generator (None where it saw none), and all of them."""

    verifier: str
    cells: tuple[AcceptanceCell | None, ...]
    total: AcceptanceCell


@dataclass(frozen=True, slots=True)
class Yields:
    """All that the sections on yield show; totals are None without strata."""

    intensities: tuple[str, ...]
    coverage: tuple[CoverageRow, ...]
    funnel: tuple[FunnelRow, ...]
    total: FunnelRow | None
    generators: tuple[str, ...]
    acceptance: tuple[AcceptanceRow, ...]
    strata: int
    filled: int


def yields(strata: pd.DataFrame, verifiers: pd.DataFrame) -> Yields:
    """Return the yield of a round from its counts by stratum and by verifier and generator."""
    counts = strata.assign(**{name: strata[name].fillna(0).astype(int) for name in COUNTS})
    intensities = in_order(counts["intensity"], INTENSITIES)
    classes = in_order(counts["class"], CLASSES)
    cells = {
        (row["class"], row["intensity"]): CoverageCell(row["items"], row["wanted"], row["accepted"])
        for row in counts.to_dict("records")
    }
    coverage = [
        CoverageRow(CLASSES.get(name, name), tuple(cells.get((name, level)) for level in intensities))
        for name in classes
    ]
    funnel = [_funnel(CLASSES.get(name, name), counts[counts["class"] == name]) for name in classes]
    generators = sorted(set(verifiers["generator"]))
    return Yields(
        intensities=tuple(INTENSITIES.get(level, level) for level in intensities),
        coverage=tuple(coverage),
        funnel=tuple(funnel),
        total=_funnel("All classes", counts) if len(counts) else None,
        generators=tuple(generators),
        acceptance=tuple(_acceptance(verifiers, generators)),
        strata=len(cells),
        filled=sum(1 for cell in cells.values() if not cell.shortfall),
    )


def _funnel(name: str, rows: pd.DataFrame) -> FunnelRow:
    return FunnelRow(name, **{step: int(rows[step].sum()) for step in COUNTS})


def _acceptance(verifiers: pd.DataFrame, generators: Sequence[str]) -> list[AcceptanceRow]:
    rows = []
    for verifier in sorted(set(verifiers["verifier"])):
        own = verifiers[verifiers["verifier"] == verifier]
        cells = [_verdicts(own[own["generator"] == generator]) for generator in generators]
        total = _verdicts(own)
        assert total is not None, "a verifier is listed because it has a row"
        rows.append(AcceptanceRow(verifier, tuple(cells), total))
    return rows


def _verdicts(rows: pd.DataFrame) -> AcceptanceCell | None:
    if rows.empty:
        return None
    return AcceptanceCell(*(int(rows[name].fillna(0).sum()) for name in ("verdicts", "passes", "inconsistent")))
