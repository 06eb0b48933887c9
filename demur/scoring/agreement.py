"""Agreement beyond chance, agreement between judges, and the noise floor of judging."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
import pandas as pd

from demur.levers.vocabulary import ATTEMPT, INVALID, PREDICTED
from demur.scoring import ScoringError
from demur.scoring.bootstrap import BoolArray, Composite, FloatArray, IntArray, Statistic, resample
from demur.scoring.counts import cluster_codes, ratio
from demur.scoring.intervals import AGREEMENT, ERROR, SHARE, Estimate, EstimateBasis, Row, bootstrap, known, limits
from demur.scoring.model_comparisons import DEFAULT_METRICS, compare
from demur.scoring.responses import read_responses, response_keys

# Agreement beyond chance: Cohen's kappa, Fleiss' kappa, Krippendorff's alpha.
#
# Cohen's kappa is for two raters. Fleiss' kappa needs the same number of ratings for every unit. Each coefficient is
# computed from sums over units. A bootstrap replicate thus needs only the sums of the units that it draws. A
# coefficient is NaN if the ratings do not vary.
#
# Each coefficient is (observed - expected) / (1 - expected), with the observed agreement and the agreement by chance.
# Functions of sums return coefficient, observed and expected agreement, shape (3, ...). The interval of the
# coefficient is at least as wide as that of the observed agreement with the expected agreement as a known number
# (Cohen 1960), so agreement without exception does not count as certain.


Labels = Sequence[object] | FloatArray
CONSTANT = "no variation: chance agreement is 1"


def rating_counts(ratings: pd.DataFrame) -> FloatArray:
    """Return the number of ratings per unit and category, shape (units, categories).

    `ratings` has one row per unit and one column per rater. Nulls are missing ratings. Categories are sorted by their
    text.
    """
    values = ratings.astype(object).to_numpy()
    known = ratings.notna().to_numpy()
    categories = sorted({str(value) for value in values[known]})
    text = np.where(known, values.astype(str), "")
    return np.stack([((text == category) & known).sum(axis=1) for category in categories], axis=1).astype(np.float64)


def kappa_of_table(table: FloatArray) -> FloatArray:
    """Return Cohen's kappa of each contingency table; undefined if one of the raters used only one category.

    `table` has shape (categories, categories, ...). The further axes number the tables. Source: Cohen 1960.
    """
    rows = table.sum(axis=1)
    columns = table.sum(axis=0)
    total = table.sum(axis=(0, 1))
    observed = ratio(np.einsum("cc...->...", table), total)
    expected = ratio((rows * columns).sum(axis=0), total**2)
    constant = ((rows > 0).sum(axis=0) < 2) | ((columns > 0).sum(axis=0) < 2)
    return _beyond_chance(observed, expected, constant)


def _beyond_chance(observed: FloatArray, expected: FloatArray, constant: BoolArray) -> FloatArray:
    coefficient = np.where(constant, np.nan, _corrected(np.stack([observed, expected])))
    return np.stack([coefficient, observed, expected])


def _corrected(parts: FloatArray) -> FloatArray:
    observed, expected = parts
    return ratio(observed - expected, 1.0 - expected)


_SPANS: Final = (replace(AGREEMENT, composite=Composite((1, 2), _corrected, fixed=1)), SHARE, ERROR)
"""Bounds of coefficient, observed and expected agreement."""


def coefficient_estimates(
    sums: FloatArray, of_sums: Statistic, units: int, weights: FloatArray, undefined: Sequence[str] = (CONSTANT,)
) -> list[Estimate]:
    """Return a coefficient of each table with its interval.

    `sums` has shape (sums, tables, clusters). `undefined` has the reason for each table without a coefficient.
    """
    _, tables, clusters = sums.shape
    support = EstimateBasis(
        n=np.full((3, tables), units),
        sources=np.full((3, tables), clusters),
        reasons=[list(undefined)] * 3,
        spans=_SPANS,
    )
    return bootstrap(sums, of_sums, weights, support)[0]


def fleiss_terms(counts: FloatArray) -> FloatArray:
    """Return each unit's terms for Fleiss' kappa, shape (terms, units).

    The terms are the constant 1, the unit's agreement, and the unit's number of ratings in each category.

    Raises:
        ScoringError: units have different numbers of ratings, or fewer than two.
    """
    raters = counts.sum(axis=1)
    if len(counts) and (raters.min() != raters.max() or raters.min() < 2):
        raise ScoringError(
            f"fleiss: units have {raters.min():.0f} to {raters.max():.0f} ratings; every unit needs the same number, "
            "at least 2 (Krippendorff's alpha allows gaps)"
        )
    agreement = (counts * (counts - 1.0)).sum(axis=1) / np.maximum(raters * (raters - 1.0), 1.0)
    return np.concatenate([np.ones((1, len(counts))), agreement[None], counts.T])


def fleiss_of_sums(sums: FloatArray) -> FloatArray:
    """Return Fleiss' kappa from terms summed over units; `sums` has shape (terms, ...). Source: Fleiss 1971."""
    units = sums[0]
    agreement = sums[1]
    ratings = sums[2:]
    expected = (ratio(ratings, ratings.sum(axis=0)) ** 2).sum(axis=0)
    return _beyond_chance(ratio(agreement, units), expected, (ratings > 0).sum(axis=0) < 2)


def alpha_terms(counts: FloatArray) -> FloatArray:
    """Return each unit's terms for nominal alpha, shape (terms, units).

    The first term is the number of disagreeing pairs, in both orders, divided by (number of ratings - 1). The other
    terms are the unit's numbers of ratings in each category. All terms of a unit with fewer than two ratings are 0.
    """
    raters = counts.sum(axis=1)
    pairable = np.where(raters >= 2, 1.0, 0.0)[:, None] * counts
    pairs = raters**2 - (counts**2).sum(axis=1)
    disagreement = np.where(raters >= 2, pairs / np.maximum(raters - 1.0, 1.0), 0.0)
    return np.concatenate([disagreement[None], pairable.T])


def alpha_of_sums(sums: FloatArray) -> FloatArray:
    """Return Krippendorff's nominal alpha from terms summed over units. Source: Krippendorff 2011."""
    disagreement = sums[0]
    ratings = sums[1:]
    total = ratings.sum(axis=0)
    by_chance = ratio(total**2 - (ratings**2).sum(axis=0), total * (total - 1.0))
    return _beyond_chance(1.0 - ratio(disagreement, total), 1.0 - by_chance, (ratings > 0).sum(axis=0) < 2)


def krippendorff_alpha(counts: FloatArray) -> float:
    """Return nominal alpha; units with one rating are left out. `counts` has shape (units, categories)."""
    return float(alpha_of_sums(alpha_terms(counts).sum(axis=1))[0])


def agreement_estimate(
    counts: FloatArray, cluster: pd.Series, *, coefficient: str, replicates: int, seed: int
) -> Estimate:
    """Return an agreement coefficient with its clustered interval.

    `coefficient` is "fleiss" (Fleiss' kappa) or "alpha" (Krippendorff's alpha). `counts` has shape (units, categories).
    `cluster` has one element per unit.
    """
    functions: dict[str, tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]] = {
        "fleiss": (fleiss_terms, fleiss_of_sums),
        "alpha": (alpha_terms, alpha_of_sums),
    }
    if coefficient not in functions:
        raise ScoringError(f"agreement: coefficient {coefficient!r} is not one of {', '.join(functions)}")
    terms, of_sums = functions[coefficient]
    codes, clusters = cluster_codes(cluster)
    if not clusters:
        return Estimate(float("nan"), reason="no units")
    by_cluster = [np.bincount(codes, weights=row, minlength=clusters) for row in terms(counts)]
    summed = np.asarray(by_cluster, dtype=np.float64)
    return coefficient_estimates(summed[:, None], of_sums, len(counts), resample(clusters, replicates, seed))[0]


def share_estimate(alike: Sequence[bool], cluster: pd.Series, *, replicates: int, seed: int) -> Estimate:
    """Return the share of units that are True, with its clustered interval."""
    codes, clusters = cluster_codes(cluster)
    rows = np.asarray(alike, dtype=np.float64), np.ones(len(alike))
    sums = np.stack([np.bincount(codes, weights=row, minlength=clusters) for row in rows]).astype(np.float64)
    basis = EstimateBasis.of_one(len(alike), clusters, SHARE, "no units")
    weights = resample(clusters, replicates, seed)
    return bootstrap(sums[:, None], lambda totals: ratio(totals[:1], totals[1:]), weights, basis)[0][0]


def cohen_estimate(
    first: Sequence[str], second: Sequence[str], cluster: pd.Series, *, replicates: int, seed: int
) -> Estimate:
    """Return Cohen's kappa of two raters with its clustered interval; arguments have one element per unit."""
    codes, clusters = cluster_codes(cluster)
    if not clusters:
        return Estimate(float("nan"), reason="no units")
    categories = sorted({*first, *second})
    size = len(categories)
    place = {category: at for at, category in enumerate(categories)}
    cells = np.array([size * place[one] + place[other] for one, other in zip(first, second, strict=True)])
    tables = np.bincount(cells * clusters + codes, minlength=size * size * clusters).reshape(size * size, 1, clusters)
    return cohen_estimates(tables, size, len(cells), resample(clusters, replicates, seed))[0]


def cohen_estimates(
    tables: FloatArray | IntArray,
    categories: int,
    units: int,
    weights: FloatArray,
    undefined: Sequence[str] = (CONSTANT,),
) -> list[Estimate]:
    """Return Cohen's kappa of several pairs of raters, each with its interval.

    `tables` has the cells of each pair's contingency table, shape (categories * categories, pairs, clusters).
    """
    return coefficient_estimates(
        tables.astype(np.float64),
        lambda sums: kappa_of_table(sums.reshape(categories, categories, *sums.shape[1:])),
        units,
        weights,
        undefined,
    )


# Several judges: the label of their majority, and the agreement between them.
#
# Later judgings by one judge, such as `NAME#2`, have no vote of their own.


MAJORITY: Final = "majority"
"""The label under which the votes of several judges count."""
_GRADES: Final = ("correct", "eligible", "supported_all", "supported_relevant")


def voters(frame: pd.DataFrame) -> list[str]:
    """Return the judges with a vote, sorted; none if there is only one."""
    judges = sorted({str(name) for name in frame["judge"]} - {MAJORITY})
    first = [name for name in judges if "#" not in name]
    return first if len(first) > 1 else []


def with_majority(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame, and a row with the judge MAJORITY for each response that several judges judged.

    The class is the one with most votes; INVALID is no vote. Grades are those that most judges gave with this class. A
    tie is undecided: the class, and the class of an answer whose correctness is undecided, is INVALID.
    """
    by_response: dict[tuple[object, object], list[Row]] = defaultdict(list)
    for row in _votes(frame).to_dict("records"):
        by_response[row["model"], row.pop("key")].append({str(name): value for name, value in row.items()})
    chosen = [_elected(rows) for rows in by_response.values() if len(rows) > 1]
    return pd.concat([frame, pd.DataFrame(chosen, columns=frame.columns)], ignore_index=True) if chosen else frame


def judge_agreement(frame: pd.DataFrame, *, replicates: int, seed: int) -> Iterator[Row]:
    """Yield the rows of `judge_agreements`: none unless several judges judged.

    Cohen's kappa of each pair and Fleiss' kappa of all judges compare classes, Spearman's rho compares the qualities
    that a pair gave. Responses that no judge was asked about (`judged_by`) and controls are left out.
    `undecided` is the share of responses without a majority.
    """
    judges = voters(frame)
    votes = _votes(frame)
    votes = votes[votes["kind"] == "perturbed"] if "kind" in votes.columns else votes
    if "judged_by" in votes.columns:
        votes = votes[votes["judged_by"].fillna("judge") == "judge"]
    if not judges or votes.empty:
        return
    index = ["model", "key", "source_id"]
    classes = votes.pivot(index=index, columns="judge", values="predicted")
    grades = votes.pivot(index=index, columns="judge", values="grade") if "grade" in votes.columns else None
    how = {"replicates": replicates, "seed": seed}
    for first, second in combinations(classes.columns, 2):
        both = classes[[first, second]].dropna()
        kappa = cohen_estimate(list(both[first]), list(both[second]), _sources(both), **how)
        yield {"coefficient": "cohen", "first": first, "second": second, "n": len(both), **limits(kappa, "value")}
        if grades is not None and not (rated := grades[[first, second]].dropna()).empty:
            rho = spearman_estimate(rated[first], rated[second], _sources(rated), **how)
            yield {"coefficient": "spearman", "first": first, "second": second, "n": len(rated), **limits(rho, "value")}
    whole = classes.dropna()
    everybody = {"first": None, "second": None}
    if not whole.empty:
        fleiss = agreement_estimate(rating_counts(whole), _sources(whole), coefficient="fleiss", **how)
        yield {"coefficient": "fleiss", **everybody, "n": len(whole), **limits(fleiss, "value")}
    several = classes[classes.notna().sum(axis=1) > 1]
    if len(several):
        tied = np.array([_most(row) is None for row in several.to_numpy()])
        yield {"coefficient": "undecided", **everybody, "n": len(several), **limits(Estimate(tied.mean()), "value")}


def spearman_estimate(
    first: pd.Series, second: pd.Series, cluster: pd.Series, *, replicates: int, seed: int
) -> Estimate:
    """Return Spearman's rho of two raters' grades with its clustered interval. The ranks are those of all units."""
    x, y = (grades.astype(float).rank().to_numpy() for grades in (first, second))
    codes, clusters = cluster_codes(cluster)
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y])
    sums = np.stack([np.bincount(codes, weights=term, minlength=clusters) for term in terms]).astype(np.float64)
    basis = EstimateBasis.of_one(len(x), clusters, AGREEMENT, "a judge gives one grade only")
    return bootstrap(sums[:, None], _correlation, resample(clusters, replicates, seed), basis)[0][0]


def _correlation(sums: FloatArray) -> FloatArray:
    count, x, y, xy, xx, yy = sums
    spread = np.sqrt(np.maximum((xx - ratio(x * x, count)) * (yy - ratio(y * y, count)), 0.0))
    return np.where(spread > 0, ratio(xy - ratio(x * y, count), spread), np.nan)[None]


def _votes(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(key=response_keys(frame)).loc[frame["judge"].isin(voters(frame))]


def _sources(units: pd.DataFrame) -> pd.Series:
    return pd.Series(units.index.get_level_values("source_id"))


def _elected(rows: Sequence[Row]) -> Row:
    elected = _most(row["predicted"] for row in rows)
    found: Row = {**rows[0], **dict.fromkeys(_GRADES), "judge": MAJORITY, "predicted": elected or INVALID}
    alike = [row for row in rows if row["predicted"] == elected]
    graded = (*_GRADES, "reaction") if alike else ()
    found |= {name: _most(row.get(name) for row in alike) for name in graded}
    if elected == ATTEMPT and found["correct"] is None and any(not _is_null(row.get("correct")) for row in alike):
        found["predicted"] = INVALID
    return {name: found.get(name) for name in rows[0]}


def _most(votes: Iterable[object]) -> object | None:
    """Return the most frequent vote; None for a tie or without votes. Nulls and INVALID are no votes."""
    counted = Counter(vote for vote in votes if not _is_null(vote) and vote != INVALID).most_common(2)
    return counted[0][0] if counted and (len(counted) == 1 or counted[0][1] > counted[1][1]) else None


def _is_null(value: object) -> bool:
    return value is None or value is pd.NA or value != value  # noqa: PLR0124 (NaN differs from itself)


# Noise floor of judging: differences between two judgings of the same responses, by one judge or by several.
#
# Such differences come from the judges. A difference between two models below the noise floor says nothing about the
# models.


def noise_floor(
    frame: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    metrics: Sequence[str] = DEFAULT_METRICS,
) -> Iterator[Row]:
    """Yield a row of `noise_floors` for each model with several judgings and each named metric.

    `difference` is the largest difference of the metric between two judgings, `first_judge` minus `second_judge`.
    The frame has the columns of scoring.responses and `judge`, one row per response and judging. Two judgings are
    compared on the responses that both have. `same_class` and `alpha` leave out responses that no judge was asked about
    (`judged_by` is `code`), since all judgings agree on them by construction.

    Raises:
        ScoringError: there is no column `judge`, or a judging holds a response twice.
    """
    if "judge" not in frame.columns:
        raise ScoringError(
            "noise floor: there is no column judge; give one row per response and judging, named in judge"
        )
    responses = read_responses(frame)
    classes = np.array(PREDICTED, dtype=object)[responses.predicted]
    for model, at in responses.by_model():
        rows = at[~responses.apart[at]]
        judged = frame.iloc[rows]
        if judged["judge"].nunique() < 2:
            continue
        ratings = _ratings(judged, classes[rows])
        comparisons = compare(
            judged.assign(model=judged["judge"]),
            replicates=replicates,
            seed=seed,
            metrics=metrics,
        )
        for name in metrics:
            pairs = [c for c in comparisons if c.metric == name]
            worst = max(pairs, key=lambda c: -1.0 if math.isnan(c.difference.value) else abs(c.difference.value))
            yield {
                "respondent": model,
                "metric": name,
                "first_judge": worst.first,
                "second_judge": worst.second,
                "responses": len(ratings),
                **limits(worst.difference, "difference"),
                "same_class": float((ratings.nunique(axis=1) == 1).mean()) if len(ratings) else None,
                "alpha": known(krippendorff_alpha(rating_counts(ratings))) if len(ratings) else None,
            }


def _ratings(judged: pd.DataFrame, classes: np.ndarray) -> pd.DataFrame:
    """Return classes of responses that were judged at least twice, one row per response and a column per judging."""
    keyed = judged.assign(class_of=classes, key=response_keys(judged))
    if "judged_by" in keyed.columns:
        keyed = keyed[~keyed["judged_by"].isin(["code", "reply"])]
    table = keyed.pivot(index="key", columns="judge", values="class_of")
    return table[table.notna().sum(axis=1) >= 2]
