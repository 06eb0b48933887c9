"""Rows of all tables with scores of judged responses."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from demur.levers.vocabulary import CORRECT_FROM
from demur.scoring.calibration import reliability_table
from demur.scoring.diagnostics import code_use
from demur.scoring.difficulty import difficulty
from demur.scoring.estimates import Row, known, limits
from demur.scoring.judges import judge_agreement, with_majority
from demur.scoring.near_pairs import BOTH_RIGHT, pair_scores
from demur.scoring.noise_floor import noise_floor
from demur.scoring.own_metrics import own_estimates
from demur.scoring.paired import compare
from demur.scoring.precision import sample_precision
from demur.scoring.refusal import score
from demur.scoring.responses import read_responses
from demur.scoring.rows.associations import HEADLINES, Tags, association_rows
from demur.scoring.scores import ModelScore, SliceScore
from demur.scoring.slices import DEFAULT_SLICES, Slicing, slice_cells
from demur.scoring.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

LABELS: Final = ("domain", "language", "generator")
FACTORS: Final = ("lever_id", "domain")
COUNTED: Final = (
    "model", "kind", "layout", "class", "intensity", "domain", "language", "lever_id", "expected", "predicted",
    "correct", "eligible", "supported_all", "supported_relevant", "confidence", "reaction",
    "refused_by_provider",
)  # fmt: skip
MEMORY: Final = "memory"
"""Name of the slicing by whether the round's probes know the answer without passages."""
NEAR_PAIRS: Final = "near pairs"
FLAGS: Final = ("correct", "eligible", "supported_all", "supported_relevant")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Number of replicates and seed of the bootstrap."""

    replicates: int
    seed: int


def scored_rows(frame: "pd.DataFrame", how: Bootstrap, tags: Tags, metrics: Sequence[str] = ()) -> dict[str, list[Row]]:
    """Return the rows of each table with scores. The caller adds the columns of the round and the unit.

    Args:
        frame: columns of scoring.responses, `judge`, `replicate`, `lever_id`, and those of LABELS.
        how: settings of the bootstrap.
        tags: tags of the respondents.
        metrics: names of metrics of other packages.
    """
    rows: dict[str, list[Row]] = {name: [] for name in _TABLES}
    for judge, judged in with_majority(frame).groupby("judge", sort=True):
        part = judged.reset_index(drop=True)
        stated = part["confidence"].notna().any()
        scores = score(part, replicates=how.replicates, seed=how.seed, slices=_slices(part))
        found: dict[str, Iterable[Row]] = {
            "scores": (
                {**row, "scoring_version": VERSION}
                for row in (*_scores(scores), *_pairs(part, how), *_own(part, metrics))
            ),
            "response_counts": _counts(part),
            "paired_tests": paired_rows(part, how),
            "code_use": code_use(part, replicates=how.replicates, seed=how.seed),
            "calibration": reliability_table(part, replicates=how.replicates, seed=how.seed) if stated else (),
            "difficulties": _difficulties(part, how),
            "sample_precision": sample_precision(part, replicates=how.replicates, seed=how.seed),
            "associations": association_rows(scores, tags),
        }
        for table, made in found.items():
            rows[table] += [{"judge": str(judge), **row} for row in made]
    if frame["judge"].nunique() > 1:
        rows["noise_floors"] += noise_floor(frame, replicates=how.replicates, seed=how.seed, metrics=HEADLINES)
        rows["judge_agreements"] += judge_agreement(frame, replicates=how.replicates, seed=how.seed)
    return rows


_TABLES: Final = (
    "scores", "response_counts", "paired_tests", "code_use", "calibration", "difficulties", "associations",
    "noise_floors", "judge_agreements", "sample_precision",
)  # fmt: skip


def _slices(frame: "pd.DataFrame") -> tuple[Slicing, ...]:
    labels = (*DEFAULT_SLICES, *(name for name in LABELS if name in frame.columns and frame[name].notna().any()))
    return (*labels, MEMORY, ("class", MEMORY)) if MEMORY in frame.columns and frame[MEMORY].notna().any() else labels


def _scores(scores: list[ModelScore]) -> Iterator[Row]:
    for model in scores:
        for part in (model.overall, *model.slices):
            for row in _of_slice(part):
                yield {"respondent": model.model, **row}


def _own(frame: "pd.DataFrame", metrics: Sequence[str]) -> Iterator[Row]:
    """Yield rows for the metrics that other packages define. Each is computed over all perturbed items."""
    for model, metric, estimate in own_estimates(frame, metrics):
        where = {"slice": "overall", "slice_value": "overall", "metric": metric}
        yield {"respondent": model, **where, "n": int(estimate.n), **limits(estimate, "value")}


def _pairs(frame: "pd.DataFrame", how: Bootstrap) -> Iterator[Row]:
    """Yield the rows of near pairs; none if the frame has no column `in_pair`."""
    if "in_pair" not in frame.columns:
        return
    for model, estimate in pair_scores(frame, replicates=how.replicates, seed=how.seed).items():
        where = {"slice": NEAR_PAIRS, "slice_value": "overall", "metric": BOTH_RIGHT}
        yield {"respondent": model, **where, "n": int(estimate.n), **limits(estimate, "value")}


def _of_slice(part: SliceScore) -> Iterator[Row]:
    """Yield one row per metric of a slice. The share of each kind of response is a metric `share_<kind>`."""
    where = slice_cells(part.dimensions)
    shares = {f"share_{kind}": share for kind, share in part.distribution.items()}
    for metric, estimate in {**part.metrics, **shares}.items():
        yield {**where, "metric": metric, "n": int(estimate.n), **limits(estimate, "value")}


def _counts(frame: "pd.DataFrame") -> Iterator[Row]:
    """Yield the number of responses for each combination of the columns that decide metrics.

    The columns `layout` and `correct` have the values with which scores are computed.
    """
    import pandas as pd

    read = read_responses(frame)
    alike = frame[[name for name in COUNTED if name in frame.columns]].astype(object)
    alike["layout"] = ["multi" if several else "single" for several in read.several_documents]
    alike["predicted"] = alike["predicted"].where(alike["predicted"].notna(), "INVALID")
    if "quality" in frame.columns:
        rated = frame["quality"].map(lambda quality: None if pd.isna(quality) else bool(quality >= CORRECT_FROM))
        alike["correct"] = alike["correct"].where(alike["correct"].notna() | read.several_documents, rated)
    keys = [name for name in COUNTED if name in alike.columns]
    numbers = alike.groupby(keys, dropna=False, sort=False).size().reset_index(name="responses")
    for row in numbers.rename(columns={"model": "respondent"}).to_dict("records"):
        values: Row = {str(name): None if pd.isna(value) else value for name, value in row.items()}
        flags = {name: None if values[name] is None else bool(values[name]) for name in FLAGS}
        yield {**values, **flags, "responses": int(row["responses"])}


def paired_rows(frame: "pd.DataFrame", how: Bootstrap) -> Iterator[Row]:
    """Yield a row for each metric of HEADLINES and each pair of models."""
    for pair in compare(frame, replicates=how.replicates, seed=how.seed, metrics=HEADLINES):
        yield {
            "first": pair.first,
            "second": pair.second,
            "metric": pair.metric,
            "items": pair.items,
            "sources": pair.sources,
            **limits(pair.difference, "difference"),
            "p_value": known(pair.p_value),
            "p_value_holm": known(pair.p_value_holm),
            "minimum_detectable": known(pair.minimum_detectable),
            "only_first": pair.only_first,
            "only_second": pair.only_second,
            "mcnemar_p_value": known(pair.mcnemar_p_value),
            "mcnemar_p_value_holm": known(pair.mcnemar_p_value_holm),
        }


def _difficulties(frame: "pd.DataFrame", how: Bootstrap) -> Iterator[Row]:
    for factor in FACTORS:
        for found in difficulty(frame, factor, replicates=how.replicates, seed=how.seed):
            yield {"factor": factor, "factor_value": found.pop("value"), **found}
