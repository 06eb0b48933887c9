"""Verdicts of verifiers on perturbations: which cells are matched, what a consensus accepts, what stopping early saves.

A frame of verdicts has one row per perturbation and verifier: perturbation_id, source_id, class, intensity,
generator, verifier, passed (null where the verdict is missing). A cell is a (source_id, class, intensity); it is
matched if every generator made an instance in it and every verifier gave a verdict on every instance of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray
from demur.scoring.errors import ScoringError

COLUMNS = ("perturbation_id", "source_id", "class", "intensity", "generator", "verifier", "passed")
CELL = ["source_id", "class", "intensity"]


@dataclass(frozen=True, slots=True, eq=False)
class MatchedVerdicts:
    """The verdicts in matched cells as a table: `passed` has shape (instances, verifiers), `instances` their rows."""

    instances: pd.DataFrame
    passed: FloatArray
    generators: tuple[str, ...]
    verifiers: tuple[str, ...]
    cells: int
    cells_seen: int


@dataclass(frozen=True, slots=True)
class Consensus:
    """How many verifiers must pass an instance: all of those asked, or at least `at_least` of them.

    With `without_self` a generator's verdict on its own instances is not asked.
    """

    at_least: int | None = None
    without_self: bool = False


@dataclass(frozen=True, slots=True)
class ShortCircuit:
    """What verifying costs per instance if it stops at the first failing verdict, against asking every verifier.

    `order` is the order of asking and `asked` the share of instances that come to each of its verifiers; verdicts and
    cost are means per instance.
    """

    order: tuple[str, ...]
    asked: tuple[float, ...]
    verdicts: float
    cost: float
    full_verdicts: float
    full_cost: float

    @property
    def saved(self) -> float:
        """The share of the cost that stopping early saves."""
        return 1.0 - self.cost / self.full_cost


def check_verdicts(verdicts: pd.DataFrame) -> None:
    """Refuse a frame that lacks a column or has two verdicts of one verifier on one perturbation.

    Raises:
        ScoringError: naming the columns, or the perturbation and the verifier.
    """
    missing = [name for name in COLUMNS if name not in verdicts.columns]
    if missing:
        raise ScoringError(f"verdicts: no column {', '.join(missing)}; a frame needs {', '.join(COLUMNS)}")
    twice = verdicts.duplicated(["perturbation_id", "verifier"])
    if twice.any():
        first = verdicts.loc[twice].iloc[0]
        raise ScoringError(
            f"verdicts: perturbation {first['perturbation_id']} has two verdicts of {first['verifier']}; "
            "keep the first that could be read"
        )


def match_cells(
    verdicts: pd.DataFrame, *, generators: Sequence[str] | None = None, verifiers: Sequence[str] | None = None
) -> MatchedVerdicts:
    """Keep the verdicts of matched cells; generators and verifiers are those that appear unless named.

    Name them where one of them may have produced nothing at all: no cell is then matched.

    Raises:
        ScoringError: if a column is missing or a perturbation has two verdicts of one verifier.
    """
    check_verdicts(verdicts)
    made = tuple(sorted(generators if generators is not None else verdicts["generator"].unique()))
    given = tuple(sorted(verifiers if verifiers is not None else verdicts["verifier"].unique()))
    kept = verdicts[verdicts["generator"].isin(made) & verdicts["verifier"].isin(given)]
    instances = kept.drop_duplicates("perturbation_id").drop(columns=["verifier", "passed"])
    instances = instances.sort_values("perturbation_id").reset_index(drop=True)
    table = _table(kept, instances["perturbation_id"], given)
    judged = instances.assign(judged=pd.Series(np.isfinite(table).all(axis=1))).groupby(CELL, dropna=False)
    whole = judged["judged"].transform("all") & (judged["generator"].transform("nunique") == len(made))
    return MatchedVerdicts(
        instances=instances[whole].reset_index(drop=True),
        passed=table[whole.to_numpy()],
        generators=made,
        verifiers=given,
        cells=int(instances[whole].groupby(CELL, dropna=False).ngroups),
        cells_seen=int(judged.ngroups),
    )


def accepted(verdicts: pd.DataFrame, verifiers: Sequence[str], rule: Consensus) -> "pd.Series[bool]":
    """Return per perturbation_id whether the rule accepts it; a missing verdict of a verifier that is asked does not.

    Raises:
        ScoringError: if the frame is malformed, or the rule wants more verdicts than are asked for.
    """
    check_verdicts(verdicts)
    instances = verdicts.drop_duplicates("perturbation_id")
    table = _table(verdicts, instances["perturbation_id"], tuple(verifiers))
    asked = np.ones(table.shape, dtype=np.bool_)
    if rule.without_self:
        asked = instances["generator"].to_numpy(dtype=object)[:, None] != np.array(verifiers, dtype=object)[None, :]
    fewest = int(asked.sum(axis=1).min()) if len(table) else len(verifiers)
    needed = asked.sum(axis=1) if rule.at_least is None else np.full(len(table), rule.at_least)
    if fewest < 1 or (rule.at_least is not None and not 1 <= rule.at_least <= fewest):
        raise ScoringError(
            f"consensus: at_least {rule.at_least} of {fewest} verdicts asked per instance; "
            f"give 1 to {fewest}, or name more verifiers"
        )
    complete = ~(asked & np.isnan(table)).any(axis=1)
    passes = (asked & (table == 1.0)).sum(axis=1)
    return pd.Series(complete & (passes >= needed), index=instances["perturbation_id"].to_numpy(), name="accepted")


def short_circuit(
    matched: MatchedVerdicts, costs: Mapping[str, float], order: Sequence[str] | None = None
) -> ShortCircuit:
    """Return the expected cost of stopping at the first failing verdict, from a full matrix of verdicts.

    `costs` is the price of one verdict per verifier. Without an order, the one that at each step asks the verifier
    with the most failures per unit of cost among the instances still passing.

    Raises:
        ScoringError: if a verifier has no cost or the order is not a permutation of the verifiers.
    """
    unpriced = [name for name in matched.verifiers if name not in costs]
    if unpriced:
        raise ScoringError(f"short circuit: no cost of {', '.join(unpriced)}; give one per verifier")
    if order is not None and sorted(order) != sorted(matched.verifiers):
        raise ScoringError(f"short circuit: order {', '.join(order)} is not one of {', '.join(matched.verifiers)}")
    column = {name: at for at, name in enumerate(matched.verifiers)}
    alive = np.ones(len(matched.passed), dtype=np.bool_)
    left = list(order if order is not None else matched.verifiers)
    taken: list[str] = []
    asked: list[float] = []
    while left:
        fails = {name: float((alive & (matched.passed[:, column[name]] == 0.0)).sum()) for name in left}
        best = left[0] if order is not None else max(left, key=lambda name: fails[name] / max(costs[name], 1e-12))
        left.remove(best)
        taken.append(best)
        asked.append(float(alive.mean()))
        alive &= matched.passed[:, column[best]] == 1.0
    full = sum(costs[name] for name in matched.verifiers)
    cost = sum(share * costs[name] for share, name in zip(asked, taken, strict=True))
    return ShortCircuit(tuple(taken), tuple(asked), sum(asked), cost, float(len(matched.verifiers)), full)


def random_order_shares(matched: MatchedVerdicts) -> dict[str, float]:
    """Return per verifier the expected share of instances it is asked about, in random order to the first failure.

    It is asked unless one of the others that fail the instance comes before it.
    """
    failed = matched.passed == 0.0
    others = failed.sum(axis=1, keepdims=True) - failed
    return dict(zip(matched.verifiers, (1.0 / (1.0 + others)).mean(axis=0).tolist(), strict=True))


def _table(verdicts: pd.DataFrame, perturbations: pd.Series, verifiers: Sequence[str]) -> FloatArray:
    """Return verdicts as 1, 0 or NaN, shape (perturbations, verifiers)."""
    passed = verdicts["passed"].astype("boolean").astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    wide = verdicts.assign(passed=passed).pivot(index="perturbation_id", columns="verifier", values="passed")
    return wide.reindex(index=perturbations, columns=list(verifiers)).to_numpy(dtype=np.float64)
