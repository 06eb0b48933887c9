"""Verdicts of verifiers in matched cells: pass rates, bias towards own perturbations, agreement, order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from demur.scoring import ScoringError
from demur.scoring.agreement import CONSTANT, agreement_estimate, cohen_estimates, rating_counts
from demur.scoring.bootstrap import FloatArray, IntArray, resample, single
from demur.scoring.counts import (
    Slices,
    Slicing,
    cluster_codes,
    ratio,
    slice_cells,
    slice_rows,
    sum_by_slice_and_cluster,
)
from demur.scoring.intervals import DIFFERENCE, SHARE, Estimate, EstimateBasis, Row, bootstrap, limits

# Verdicts of verifiers on perturbations: matched cells, and the best order of verifiers.
#
# A frame of verdicts has one row per perturbation and verifier. The columns are those of COLUMNS; `passed` is null if
# the verdict is missing. A cell is a combination of source_id, class and intensity. A cell is matched if each
# generator has a perturbation in it, and each verifier has a verdict on each of these perturbations.


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
    is_judged = pd.Series(np.isfinite(table).all(axis=1))
    judged = instances.assign(judged=is_judged).groupby(CELL, dropna=False)
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


# Statistics of verdicts in matched cells: pass rates, bias towards own perturbations, agreement.
#
# The first section of this module describes the frame of verdicts and the matched cells.


def _pairwise_kappa(matched: MatchedVerdicts, cluster: IntArray, weights: FloatArray) -> Iterator[Row]:
    pairs = list(combinations(range(len(matched.verifiers)), 2))
    if not pairs:
        return
    clusters = weights.shape[1]
    tables = np.zeros((4, len(pairs), clusters))
    for at, (first, second) in enumerate(pairs):
        # cell of the 2x2 table, from 0 (both fail) to 3 (both pass)
        cell = 2 * matched.passed[:, first].astype(np.int64) + matched.passed[:, second].astype(np.int64)
        flat = cell * clusters + cluster
        tables[:, at] = np.bincount(flat, minlength=4 * clusters).reshape(4, clusters)
    reasons = [_constant(matched, pair) for pair in pairs]
    found = cohen_estimates(tables, 2, len(matched.passed), weights, reasons)
    for (first, second), kappa in zip(pairs, found, strict=True):
        yield _agreement("cohen", matched.verifiers[first], matched.verifiers[second], kappa)


def _agreement(coefficient: str, first: str | None, second: str | None, found: Estimate) -> Row:
    return {"coefficient": coefficient, "first": first, "second": second, "n": found.n, **limits(found, "value")}


def _constant(matched: MatchedVerdicts, pair: tuple[int, int]) -> str:
    for at in pair:
        if len(np.unique(matched.passed[:, at])) < 2:
            return f"{matched.verifiers[at]} gives one verdict only"
    return CONSTANT


NO_CELL = "no matched cell in this slice"


def verify(
    matched: MatchedVerdicts, *, replicates: int, seed: int, slices: Sequence[Slicing] = ("class", "intensity")
) -> dict[str, list[Row]]:
    """Return the rows of the tables `verification_rates` and `verifier_agreements`, by name of the table.

    `matched` holds the verdicts of the matched cells; the first section of this module defines a matched cell.

    There are pass rates for each generator and verifier. For each generator there is also the pass rate by the same
    model as verifier (`self_rate`), the pass rate by all other verifiers (`cross_rate`), and the difference of these
    two (`bias`). Intervals are clustered by source question.

    Raises:
        ScoringError: there is no matched cell.
    """
    cluster, clusters = cluster_codes(matched.instances["source_id"])
    no_controls = np.zeros(len(matched.instances), dtype=np.bool_)
    members = slice_rows(matched.instances, slices, no_controls)
    weights = resample(clusters, replicates, seed)
    agreements = list(_pairwise_kappa(matched, cluster, weights))
    counts = rating_counts(pd.DataFrame(matched.passed))
    for name in ("fleiss", "alpha"):
        found = Estimate(float("nan"), reason="one verifier")
        if name == "alpha" or len(matched.verifiers) > 1:
            found = agreement_estimate(
                counts, matched.instances["source_id"], coefficient=name, replicates=replicates, seed=seed
            )
        agreements.append(_agreement(name, None, None, found))
    rates = _rates(matched, members, cluster, weights, (len(members.dimensions), clusters))
    return {"verification_rates": list(rates), "verifier_agreements": agreements}


@dataclass(frozen=True, slots=True, eq=False)
class _Spec:
    """A rate as a quotient of weighted sums.

    `part` and `whole` have the weights of the terms (`_terms`) in numerator and denominator. `reason` says why the rate
    is undefined if the denominator is 0.
    """

    statistic: str
    generator: str | None
    verifier: str | None
    part: FloatArray
    whole: FloatArray
    reason: str = NO_CELL


def _rates(
    matched: MatchedVerdicts,
    members: Slices,
    cluster: IntArray,
    weights: FloatArray,
    shape: tuple[int, int],
) -> Iterator[Row]:
    specs = _specs(matched)
    part = np.stack([spec.part for spec in specs])
    whole = np.stack([spec.whole for spec in specs])
    sums = sum_by_slice_and_cluster(_terms(matched), members.member, cluster, *shape)
    biases = {spec.generator: at for at, spec in enumerate(specs) if spec.statistic == "bias"}
    pairs = [
        (at, _find(specs, "self_rate", generator), _find(specs, "cross_rate", generator))
        for generator, at in biases.items()
    ]

    def statistic(terms: FloatArray) -> FloatArray:
        rates = ratio(np.tensordot(part, terms, axes=1), np.tensordot(whole, terms, axes=1))
        for at, own, others in pairs:
            rates[at] = rates[own] - rates[others]
        return rates

    behind = np.tensordot(whole, sums, axes=1)
    spans = [SHARE] * len(specs)
    for at, own, others in pairs:  # the interval of a bias is made from the two rates
        spans[at] = replace(DIFFERENCE, composite=single(own).minus(single(others)))
    support = EstimateBasis(
        n=behind.sum(axis=-1).astype(np.int64),
        sources=(behind > 0).sum(axis=-1),
        reasons=[[spec.reason] * shape[0] for spec in specs],
        spans=spans,
    )
    grid = bootstrap(sums, statistic, weights, support)
    for at, dimensions in enumerate(members.dimensions):
        for spec, row in zip(specs, grid, strict=True):
            yield {
                "statistic": spec.statistic,
                "generator": spec.generator,
                "verifier": spec.verifier,
                **slice_cells(dimensions),
                "n": row[at].n,
                **limits(row[at], "value"),
            }


def _terms(matched: MatchedVerdicts) -> FloatArray:
    """Return the terms of each instance, 0 or 1, shape (terms, instances).

    The terms are, in this order: generator g made the instance; g made the instance and verifier v passed it; g made
    the instance and all verifiers passed it.
    """
    generator = matched.instances["generator"].to_numpy()
    made = (generator[None, :] == np.array(matched.generators)[:, None]).astype(float)
    passed = matched.passed.T
    by_both = (made[:, None, :] * passed[None, :, :]).reshape(-1, made.shape[1])
    return np.concatenate([made, by_both, made * passed.all(axis=0)])


def _specs(matched: MatchedVerdicts) -> list[_Spec]:
    generators = matched.generators
    verifiers = matched.verifiers
    g_count = len(generators)
    v_count = len(verifiers)
    # The order of `_terms`: one term per generator, one per generator and verifier, and again one per generator.
    first_passed = g_count
    first_unanimous = first_passed + g_count * v_count
    size = first_unanimous + g_count

    def made(chosen: Sequence[int], times: float = 1.0) -> FloatArray:
        vector = np.zeros(size)
        vector[list(chosen)] = times
        return vector

    def passed(chosen: Sequence[int], by: Sequence[int]) -> FloatArray:
        vector = np.zeros(size)
        vector[[first_passed + g * v_count + v for g in chosen for v in by]] = 1.0
        return vector

    def unanimous(chosen: Sequence[int]) -> FloatArray:
        vector = np.zeros(size)
        vector[[first_unanimous + g for g in chosen]] = 1.0
        return vector

    everyone: list[tuple[str | None, list[int]]] = [(None, list(range(g_count)))]
    everyone += [(name, [at]) for at, name in enumerate(generators)]
    panel: list[tuple[str | None, list[int]]] = [(None, list(range(v_count)))]
    panel += [(name, [at]) for at, name in enumerate(verifiers)]
    specs = [
        _Spec("pass_rate", generator, verifier, passed(chosen, by), made(chosen, len(by)))
        for generator, chosen in everyone
        for verifier, by in panel
    ]
    specs += [
        _Spec("unanimous_rate", generator, None, unanimous(chosen), made(chosen)) for generator, chosen in everyone
    ]
    for at, name in enumerate(generators):
        own = [verifiers.index(name)] if name in verifiers else []
        others = [v for v in range(v_count) if v not in own]
        alone = f"{name} is not among the verifiers" if not own else NO_CELL
        no_others = f"no verifier other than {name}" if not others else NO_CELL
        self_whole = made([at], len(own))
        cross_whole = made([at], len(others))
        both = self_whole + cross_whole if own and others else np.zeros(size)
        specs.append(_Spec("self_rate", name, name if own else None, passed([at], own), self_whole, alone))
        specs.append(_Spec("cross_rate", name, None, passed([at], others), cross_whole, no_others))
        # `_rates` replaces this quotient by a difference of rates; the denominator counts the verdicts behind it.
        specs.append(_Spec("bias", name, None, both, both, alone if not own else no_others))
    return specs


def _find(specs: Sequence[_Spec], statistic: str, generator: str | None) -> int:
    return next(at for at, spec in enumerate(specs) if (spec.statistic, spec.generator) == (statistic, generator))
