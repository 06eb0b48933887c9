"""Rows of tables with the results of scoring."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from demur.levers.lever_models import LEVER_SPLITS, is_held_out
from demur.levers.vocabulary import CORRECT_FROM
from demur.scoring import VERSION
from demur.scoring.agreement import judge_agreement, noise_floor, with_majority
from demur.scoring.calibration import code_use, reliability_table
from demur.scoring.counts import DEFAULT_SLICES, Slicing, slice_cells
from demur.scoring.difficulty import BOTH_RIGHT, difficulty, pair_scores
from demur.scoring.intervals import Row, known, limits
from demur.scoring.metrics import own_estimates
from demur.scoring.model_comparisons import compare, contrasts, drift, metric_correlation, trend
from demur.scoring.precision import sample_precision
from demur.scoring.refusal_scores import ModelScore, SliceScore, score
from demur.scoring.responses import read_responses
from demur.scoring.verifier_agreement import MatchedVerdicts, match_cells, short_circuit, verify

if TYPE_CHECKING:
    import pandas as pd


# Rows of `associations`: how scores of models depend on tags such as size, and how two metrics correlate.


Tags: TypeAlias = Mapping[str, Mapping[str, float | str]]
"""Tags of models: numbers or groups, by tag and model."""

HEADLINES: Final = (
    "calibrated_refusal_score", "answer_accuracy", "refusal_accuracy", "false_refusal_rate", "missed_refusal_rate",
)  # fmt: skip
"""Metrics for comparisons of models, in pairs and along factors."""

GROUPS: Final = ("family", "alignment")
_PER_THOUSAND: Final = 1_000.0


def association_rows(scores: Sequence[ModelScore], tags: Tags) -> Iterator[Row]:
    """Yield rows of three kinds: correlation, slope, difference.

    The correlation is that of the false refusal rate and the missed refusal rate. Slopes are those of each metric of
    HEADLINES against the number of parameters and against the thinking budget. Differences are those between groups of
    models.
    """
    if len(scores) > 1:
        both = metric_correlation(scores, "false_refusal_rate", "missed_refusal_rate")
        yield _association("correlation", "missed_refusal_rate", "false_refusal_rate", both)
    for metric in HEADLINES:
        for factor, logarithmic, unit in (("parameters_billion", True, 1.0), ("thinking_tokens", False, _PER_THOUSAND)):
            if numbers := tags.get(factor):
                scaled = {model: float(number) / unit for model, number in numbers.items()}
                yield _association("slope", factor, metric, trend(scores, scaled, metric, logarithmic=logarithmic))
        for factor in GROUPS:
            groups = {model: str(group) for model, group in tags.get(factor, {}).items()}
            for first, second, found in contrasts(scores, groups, metric):
                yield {**_association("difference", factor, metric, found), "first": first, "second": second}


def _association(statistic: str, factor: str, metric: str, found: Row) -> Row:
    return {"statistic": statistic, "factor": factor, "metric": metric, **found}


# Rows of all tables with scores of judged responses.


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


# Changes of scores since earlier rounds, as rows of `drifts`.


ALL, TRAIN, HELD_OUT = LEVER_SPLITS


def drift_rows(after: "pd.DataFrame", earlier: Mapping[str, "pd.DataFrame"], how: Bootstrap) -> Iterator[Row]:
    """Yield the rows of `drifts` since each earlier round. The caller adds the columns of the round and the unit.

    Frames have the columns that `scored_rows` takes. There are rows over all items. There are also rows over the items
    of training levers, and over the items of held-out levers, if both rounds have such items. The module
    `levers.lever_models.is_held_out` tells which levers are held out from training.
    """
    for round_id, before in earlier.items():
        for judge in sorted(set(before["judge"]) & set(after["judge"])):
            sides = [side[side["judge"] == judge].reset_index(drop=True) for side in (before, after)]
            for levers, parts in _splits(*sides):
                for moved in drift(*parts, replicates=how.replicates, seed=how.seed, metrics=HEADLINES):
                    yield {"earlier_round_id": round_id, "judge": judge, "levers": levers, **moved}


def _splits(*sides: "pd.DataFrame") -> Iterator[tuple[str, list["pd.DataFrame"]]]:
    """Yield the name of a split of levers, and the rows of both frames in this split.

    The first split is `all`. The splits `train` and `held_out` are left out if one of the frames has no rows in them.
    """
    yield ALL, list(sides)
    held = [
        side["lever_id"].map(lambda lever: is_held_out(lever) if isinstance(lever, str) else None) for side in sides
    ]
    for levers, wanted in ((TRAIN, False), (HELD_OUT, True)):
        parts = [side[which == wanted].reset_index(drop=True) for side, which in zip(sides, held, strict=True)]
        if all(len(part) for part in parts):
            yield levers, parts


# Rows of all tables with statistics of verdicts.
#
# The statistics are pass rates, agreement, and an order of verifiers. They are computed over matched cells, which the
# module scoring.verifier_agreement explains.


STOPPED_EARLY: Final = (
    "asking ended at the first failing verdict: only candidates that every verifier was asked about are matched, and "
    "most of these pass"
)


def agreement_rows(
    verdicts: "pd.DataFrame",
    generators: Sequence[str],
    verifiers: Sequence[str],
    how: Bootstrap,
    *,
    stopped_early: bool = False,
) -> dict[str, list[Row]]:
    """Return the rows of each table with statistics of verdicts. The caller adds the columns of the round and the unit.

    Args:
        verdicts: the frame of scoring.verifier_agreement.
        generators: all generators of the round.
        verifiers: all verifiers of the round.
        how: settings of the bootstrap.
        stopped_early: whether the round asked no further verifier after a failing verdict.
    """
    matched = match_cells(verdicts, generators=generators, verifiers=verifiers)
    rows: dict[str, list[Row]] = {"verifications": [_cells(matched, stopped_early)]}
    if matched.cells:
        rows |= verify(matched, replicates=how.replicates, seed=how.seed)
    return rows


def _cells(matched: MatchedVerdicts, stopped_early: bool) -> Row:
    remarks = [STOPPED_EARLY] if stopped_early else []
    if not matched.cells:
        remarks.append(
            f"none of {matched.cells_seen} cells is matched: in none has every generator a candidate and every "
            "candidate a verdict of every verifier"
        )
    asked = short_circuit(matched) if matched.cells else {}
    return {
        "cells": matched.cells,
        "cells_seen": matched.cells_seen,
        "instances": len(matched.instances),
        "stop_order": list(asked),
        "asked": list(asked.values()),
        "remark": "; ".join(remarks) or None,
    }
