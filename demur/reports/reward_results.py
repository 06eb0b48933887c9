"""Results of reward fits for pages: weights with intervals, errors of each fit, rewards by label."""

from collections.abc import Iterable
from typing import Final

import pandas as pd

from demur.reports.cells import rows
from demur.reports.names import REWARD_PARTS, in_order, spoken
from demur.reports.pages.rendering import Ends
from demur.reports.texts import Row

_PARTS: Final = ("train", "held_out")
_WEIGHTS: Final = ("policy", "behaviour", "feature", "kind", "value", "low", "high")
_FITS: Final = (
    "policy", "behaviour", "grader", "margin", "l2",
    *(f"{name}_error_{part}" for name in ("base_only", "rules_only", "pairwise") for part in _PARTS),
)  # fmt: skip
_REWARDS: Final = ("label", "behaviour", "policy", "reward", "part")
"""Columns that are read; an empty frame may lack them."""
_QUANTILES: Final = {"low": 0.0, "first": 0.25, "median": 0.5, "third": 0.75, "high": 1.0}


def behaviours(weights: pd.DataFrame, fits: pd.DataFrame, rewards: pd.DataFrame) -> list[Row]:
    """Return one row per policy and behaviour, in the order of `fits`.

    A row has these fields:

        policy, name    the names of policy and behaviour
        fit             the row of `fits`, or None
        errors          pairs: a part of the reward, and the pairwise errors of this part on train and held-out prompts;
                        without base rewards there is one part, and its name is empty
        weights, axis   the weights, and the ends of their axis
        boxes           pairs: a part of the reward, and the quantiles of this part by label
        box_axis        the ends of the axis of boxes
    """
    weights = _complete(weights, _WEIGHTS)
    fits = _complete(fits, _FITS)
    rewards = _complete(rewards, _REWARDS)
    keys = ["policy", "behaviour"]
    names = pd.concat([frame[keys] for frame in (fits, weights, rewards)]).dropna().drop_duplicates()
    return [
        _behaviour(*who, *(frame[(frame[keys] == list(who)).all(axis=1)] for frame in (weights, fits, rewards)))
        for who in names.itertuples(index=False, name=None)
    ]


def _complete(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Return a frame with all `columns`. Missing columns are filled with nulls."""
    return frame.reindex(columns=list(dict.fromkeys((*columns, *frame.columns))))


def _behaviour(policy: str, name: str, weights: pd.DataFrame, fits: pd.DataFrame, rewards: pd.DataFrame) -> Row:
    ordered = weights.sort_values(["kind", "value", "feature"], ascending=[True, False, True])
    fitted = rows(ordered)
    fit = next(iter(rows(fits)), None)
    graded = rewards.dropna(subset=["label", "reward"])
    return {
        "policy": policy,
        "name": name,
        "fit": fit,
        "errors": _errors(fit) if fit else [],
        "weights": [{**row, "settled": _settled(row)} for row in fitted if row["value"] is not None],
        "axis": _axis(row[end] for row in fitted for end in ("value", "low", "high") if row[end] is not None),
        "boxes": _boxes(graded),
        "box_axis": _axis(graded["reward"].astype(float)),
    }


def _settled(weight: Row) -> bool:
    """Return whether the weight's interval, rounded to two decimals, excludes 0."""
    low = weight["low"]
    high = weight["high"]
    return low is not None and high is not None and (round(low, 2) > 0 or round(high, 2) < 0)


def _errors(fit: Row) -> list[tuple[str, list[float | None]]]:
    by_part = {part: [fit[f"{part}_only_error_{on}"] for on in _PARTS] for part in ("base", "rules")}
    total = [fit[f"pairwise_error_{on}"] for on in _PARTS]
    if total == [None, None]:
        return []
    if by_part["base"] == [None, None]:
        return [("", total)]
    by_part["total"] = total
    return [(REWARD_PARTS[part], by_part[part]) for part in in_order(by_part, REWARD_PARTS)]


def _boxes(graded: pd.DataFrame) -> list[tuple[str, list[Row]]]:
    parts = graded["part"].astype(object).where(graded["part"].notna(), "rules").astype(str)
    return [(REWARD_PARTS.get(part, part), _boxes_of(graded[parts == part])) for part in in_order(parts, REWARD_PARTS)]


def _boxes_of(graded: pd.DataFrame) -> list[Row]:
    values = graded["reward"].astype(float).groupby(graded["label"].astype(str))
    found = [
        {
            "label": spoken(str(label)),
            "n": len(of),
            "mean": of.mean(),
            **{at: of.quantile(q) for at, q in _QUANTILES.items()},
        }
        for label, of in values
    ]
    return sorted(found, key=lambda box: (-box["mean"], box["label"]))


def _axis(numbers: Iterable[float]) -> Ends:
    """Return the ends of an axis for these numbers and 0, with a margin."""
    held = [0.0, *numbers]
    room = 0.04 * (max(held) - min(held)) or 1.0
    return min(held) - room, max(held) + room
