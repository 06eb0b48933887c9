"""What verifiers make of generators: whether they favour their own, agree, and what stopping early would save."""

from dataclasses import dataclass

import pandas as pd

from demur.reports.frames import records
from demur.reports.standings import Score
from demur.reports.text import is_known, plain


@dataclass(frozen=True, slots=True)
class Preference:
    """How much more a generator passes of its own candidates than the other verifiers do."""

    generator: str
    self_rate: float | None
    cross_rate: float | None
    bias: Score


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement of two verifiers, or of all."""

    of: str
    value: Score


@dataclass(frozen=True, slots=True)
class Stopping:
    """Verdicts and dollars per candidate: all verifiers asked, and none after the first failing verdict."""

    cells: int
    cells_seen: int
    verdicts: tuple[float | None, float | None, float | None]
    dollars: tuple[float | None, float | None, float | None]
    remark: str


@dataclass(frozen=True, slots=True)
class Verified:
    """All that the section on verification shows; `stopping` is None where the round has no candidate."""

    preferences: tuple[Preference, ...]
    agreements: tuple[Agreement, ...]
    stopping: Stopping | None


def verified(preference: pd.DataFrame, agreement: pd.DataFrame, stopping: pd.DataFrame) -> Verified:
    """Return what verdicts add up to, from the frames of that name."""
    return Verified(
        preferences=tuple(_preference(row) for row in records(preference)),
        agreements=tuple(_agreement(row) for row in records(agreement)),
        stopping=next((_stopping(row) for row in records(stopping)), None),
    )


def _preference(row: dict[str, object]) -> Preference:
    bias = _score(row, "bias")
    return Preference(str(row["generator"]), _number(row["self_rate"]), _number(row["cross_rate"]), bias)


def _agreement(row: dict[str, object]) -> Agreement:
    names = {"fleiss": "All, Fleiss' kappa", "alpha": "All, Krippendorff's alpha"}
    return Agreement(names.get(str(row["coefficient"]), f"{row['first']} and {row['second']}"), _score(row, "value"))


def _stopping(row: dict[str, object]) -> Stopping:
    ways = ("full", "random", "ordered")
    verdicts = tuple(_number(row[f"{way}_verdicts"]) for way in ways)
    dollars = tuple(_number(row[f"{way}_usd"]) for way in ways)
    return Stopping(
        _count(row["cells"]),
        _count(row["cells_seen"]),
        (verdicts[0], verdicts[1], verdicts[2]),
        (dollars[0], dollars[1], dollars[2]),
        plain(row["remark"]),
    )


def _score(row: dict[str, object], name: str) -> Score:
    return Score(_number(row[name]), _number(row["low"]), _number(row["high"]), reason=plain(row["reason"]))


def _number(value: object) -> float | None:
    return float(value) if is_known(value) else None


def _count(value: object) -> int:
    return int(value) if is_known(value) else 0
