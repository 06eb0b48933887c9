"""Several judges: the label of their majority, and the agreement between them.

Later judgings by one judge, such as `NAME#2`, have no vote of their own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np
import pandas as pd

from demur.levers.vocabulary import ATTEMPT, INVALID
from demur.scoring.agreement import agreement_estimate, cohen_estimate, rating_counts
from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, Row, bootstrap, limits
from demur.scoring.intervals import AGREEMENT
from demur.scoring.responses import response_keys
from demur.scoring.slices import cluster_codes

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
