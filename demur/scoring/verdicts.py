"""Verdicts of verifiers on perturbations: matched cells, and the best order of verifiers.

A frame of verdicts has one row per perturbation and verifier. The columns are those of COLUMNS; `passed` is null if the
verdict is missing. A cell is a combination of source_id, class and intensity. A cell is matched if each generator has a
perturbation in it, and each verifier has a verdict on each of these perturbations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray
from demur.scoring.errors import ScoringError

COLUMNS = ("perturbation_id", "source_id", "class", "intensity", "generator", "verifier", "passed")
CELL = ["source_id", "class", "intensity"]


@dataclass(frozen=True, slots=True, eq=False)
class MatchedVerdicts:
    """Verdicts in matched cells; `instances` has a row per perturbation, `passed` has shape (instances, verifiers)."""

    instances: pd.DataFrame
    passed: FloatArray
    generators: tuple[str, ...]
    verifiers: tuple[str, ...]
    cells: int
    cells_seen: int


def check_verdicts(verdicts: pd.DataFrame) -> None:
    """Check the columns and the uniqueness of verdicts of a frame.

    Raises:
        ScoringError: a column is missing, or a verifier has two verdicts on one perturbation.
    """
    missing = [name for name in COLUMNS if name not in verdicts.columns]
    if missing:
        raise ScoringError(f"verdicts: there is no column {', '.join(missing)}; a frame needs {', '.join(COLUMNS)}")
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
    """Return the verdicts of matched cells.

    Args:
        verdicts: the frame of verdicts.
        generators: all generators; None for the generators in the frame. No cell is matched if a generator has no rows.
        verifiers: all verifiers; None for the verifiers in the frame.

    Raises:
        ScoringError: a column is missing, or a verifier has two verdicts on one perturbation.
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


def short_circuit(matched: MatchedVerdicts) -> dict[str, float]:
    """Return an order of verifiers for rounds that stop asking at the first failing verdict.

    The order is greedy: the next verifier is the one with the most failing verdicts among instances that passed so far.
    The value of a verifier is the share of instances that the round would ask the verifier about.
    """
    column = {name: at for at, name in enumerate(matched.verifiers)}
    alive = np.ones(len(matched.passed), dtype=np.bool_)
    left = list(matched.verifiers)
    asked: dict[str, float] = {}
    while left:
        best = max(left, key=lambda name: int((alive & (matched.passed[:, column[name]] == 0.0)).sum()))
        left.remove(best)
        asked[best] = float(alive.mean())
        alive &= matched.passed[:, column[best]] == 1.0
    return asked


def _table(verdicts: pd.DataFrame, perturbations: pd.Series, verifiers: Sequence[str]) -> FloatArray:
    """Return verdicts as 1, 0 or NaN, shape (perturbations, verifiers)."""
    passed = verdicts["passed"].astype("boolean").astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    wide = verdicts.assign(passed=passed).pivot(index="perturbation_id", columns="verifier", values="passed")
    return wide.reindex(index=perturbations, columns=list(verifiers)).to_numpy(dtype=np.float64)
