"""What the reward fits found: weights with intervals, quality of each fit, rewards by label."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from demur.reports.names import REWARD_PARTS, in_order, spoken
from demur.reports.text import is_known, plain


@dataclass(frozen=True, slots=True)
class Span:
    """A value with an interval on an axis, as per cent of the axis from its left end; None where unknown."""

    at: float
    left: float | None = None
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Weight:
    """A feature's weight with its 95 % interval."""

    feature: str
    kind: str
    value: float
    low: float | None
    high: float | None
    span: Span

    @property
    def is_settled(self) -> bool:
        """True if the interval leaves out 0 as far as its two shown decimals tell."""
        return self.low is not None and self.high is not None and (round(self.low, 2) > 0 or round(self.high, 2) < 0)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well one behaviour's weights fit; shares in [0, 1], pairs of (train, held out), None where unknown."""

    grader: str
    margin: float | None
    l2: float | None
    relative_gap: float | None
    prompts: tuple[float | None, ...]
    pairs: tuple[float | None, ...]
    hinge_loss: tuple[float | None, ...]
    pairwise_error: tuple[float | None, ...]
    ideal_first: tuple[float | None, ...]
    errors: tuple[tuple[str, tuple[float | None, ...]], ...]
    """The pairwise errors by part of the reward; of all of it alone, under no name, where there is no base reward."""


@dataclass(frozen=True, slots=True)
class RewardBox:
    """The rewards of one label: median, middle half and range, also as per cent of an axis with its `zero`."""

    label: str
    n: int
    median: float
    mean: float
    low: float
    high: float
    middle: Span
    whole: Span
    zero: float


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What was fitted for one behaviour of a policy; `zero` is where 0 lies on the axis of weights, in per cent.

    `boxes` are by part of the reward, all on one axis.
    """

    policy: str
    name: str
    fit: Fit | None
    weights: tuple[Weight, ...]
    zero: float
    boxes: tuple[tuple[str, tuple[RewardBox, ...]], ...]

    @property
    def has_error(self) -> bool:
        """True if the share of pairs in the wrong order is known, on train or on held-out prompts."""
        return self.fit is not None and any(error is not None for error in self.fit.pairwise_error)


def behaviours(weights: pd.DataFrame, fits: pd.DataFrame, rewards: pd.DataFrame) -> tuple[Behaviour, ...]:
    """Return what was fitted, by policy and behaviour, in the order of the fits."""
    names = pd.concat([frame[["policy", "behaviour"]] for frame in (fits, weights, rewards)]).dropna().drop_duplicates()
    pairs = [(str(policy), str(behaviour)) for policy, behaviour in names.itertuples(index=False, name=None)]
    return tuple(
        _behaviour(policy, behaviour, *(_own(frame, policy, behaviour) for frame in (weights, fits, rewards)))
        for policy, behaviour in pairs
    )


def _own(frame: pd.DataFrame, policy: str, behaviour: str) -> pd.DataFrame:
    return frame[(frame["policy"] == policy) & (frame["behaviour"] == behaviour)]


def _behaviour(policy: str, name: str, weights: pd.DataFrame, fits: pd.DataFrame, rewards: pd.DataFrame) -> Behaviour:
    ends = [float(end) for end in weights[["value", "low", "high"]].to_numpy().ravel() if is_known(end)]
    left, right = _axis(ends)
    ordered = weights.sort_values(["kind", "value", "feature"], ascending=[True, False, True])
    return Behaviour(
        policy=policy,
        name=name,
        fit=_fit(fits.iloc[0]) if len(fits) else None,
        weights=tuple(_weight(row, left, right) for _, row in ordered.iterrows() if is_known(row["value"])),
        zero=_span(0.0, None, None, left, right).at,
        boxes=_boxes(rewards),
    )


def _weight(row: pd.Series, left: float, right: float) -> Weight:
    low, high = _number(row["low"]), _number(row["high"])
    return Weight(
        spoken(str(row["feature"])),
        plain(row["kind"]),
        float(row["value"]),
        low,
        high,
        _span(float(row["value"]), low, high, left, right),
    )


def _fit(row: pd.Series) -> Fit:
    def both(name: str) -> tuple[float | None, ...]:
        return tuple(_number(row[f"{name}_{part}"]) for part in ("train", "held_out"))

    alone = {part: both(f"{part}_only_error") for part in ("base", "rules")}
    by_part = {**alone, "total": both("pairwise_error")}
    has_base = any(error is not None for error in alone["base"])
    return Fit(
        plain(row["grader"]),
        margin=_number(row["margin"]),
        l2=_number(row["l2"]),
        relative_gap=_number(row["relative_gap"]),
        prompts=both("prompts"),
        pairs=both("pairs"),
        hinge_loss=both("hinge_loss"),
        pairwise_error=both("pairwise_error"),
        ideal_first=both("ideal_first"),
        errors=tuple((REWARD_PARTS[part], by_part[part]) for part in in_order(by_part, REWARD_PARTS))
        if has_base
        else (("", by_part["total"]),),
    )


def _boxes(rewards: pd.DataFrame) -> tuple[tuple[str, tuple[RewardBox, ...]], ...]:
    known = rewards.dropna(subset=["label", "reward"])
    if known.empty:
        return ()
    parts = known["part"].astype(object).where(known["part"].notna(), "rules").astype(str)
    left, right = _axis(known["reward"].astype(float))
    return tuple(
        (REWARD_PARTS.get(part, part), _boxes_of(known[parts == part], left, right))
        for part in in_order(parts, REWARD_PARTS)
    )


def _boxes_of(known: pd.DataFrame, left: float, right: float) -> tuple[RewardBox, ...]:
    values = known["reward"].astype(float)
    found = []
    for label, part in values.groupby(known["label"].astype(str)):
        low, first, median, third, high = (float(part.quantile(at)) for at in (0, 0.25, 0.5, 0.75, 1))
        found.append(
            RewardBox(
                spoken(str(label)),
                len(part),
                median,
                float(part.mean()),
                low,
                high,
                _span(median, first, third, left, right),
                _span(median, low, high, left, right),
                _span(0.0, None, None, left, right).at,
            )
        )
    return tuple(sorted(found, key=lambda box: (-box.mean, box.label)))


def _axis(numbers: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis that holds these numbers and 0, with some room."""
    left, right = min([0.0, *numbers]), max([0.0, *numbers])
    room = 0.04 * (right - left) or 1.0
    return left - room, right + room


def _span(value: float, low: float | None, high: float | None, left: float, right: float) -> Span:
    def place(number: float) -> float:
        return min(100.0, max(0.0, 100 * (number - left) / (right - left)))

    if low is None or high is None:
        return Span(place(value))
    return Span(place(value), place(low), place(high) - place(low))


def _number(value: object) -> float | None:
    return float(value) if is_known(value) else None
