"""Time of scoring a leaderboard with clustered intervals, beside the same recomputed per replicate in pandas.

    python benchmarks/bootstrap.py [--plain-replicates 5]

Ours scores 30 models on 1,600 items (100 source questions), all metrics, 28 slices, 1,000 replicates. The plain
version resamples the rows of every source question and recomputes the same metrics with groupby, once per replicate;
it is timed over a few replicates of one model and scaled up, after its values were checked against ours.
"""

import argparse
import resource
import time

import numpy as np
import pandas as pd
from simulated_respondents import Respondent, simulate

from demur.levers.vocabulary import Code, Confidence
from demur.scoring.bootstrap import draws, evaluate, resample
from demur.scoring.confidence import MIDPOINTS
from demur.scoring.counts import DEFAULT_SLICES, cluster_codes, indicators, slice_rows, sum_by_slice_and_cluster
from demur.scoring.metrics import METRIC_NAMES, METRICS, statistic
from demur.scoring.refusal_scores import score
from demur.scoring.responses import read_responses

MODELS, SOURCES, ITEMS_PER_SOURCE, REPLICATES, SEED = 30, 100, 16, 1_000, 20_261_101
GROUPINGS: tuple[list[str], ...] = ([], ["class"], ["intensity"], ["class", "intensity"])


def leaderboard() -> pd.DataFrame:
    rng = np.random.default_rng(SEED)
    frames = []
    for at in range(MODELS):
        false, missed, category, correct = rng.uniform((0.05, 0.02, 0.3, 0.5), (0.6, 0.4, 0.8, 0.95))
        respondent = Respondent(f"model-{at:02}", false, missed, category, correct, 0.01, 0.2)
        frames.append(simulate(respondent, SOURCES, ITEMS_PER_SOURCE, SEED + at))
    return pd.concat(frames, ignore_index=True)


def with_facts(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the 0/1 columns that the plain version averages; done once, outside its timing."""
    answerable = frame["expected"] == Code.ANSWER_CORRECTLY.value
    attempt = frame["predicted"] == "ANSWER_ATTEMPT"
    refusal = frame["predicted"].str.startswith("REFUSE_")
    right = (answerable & attempt & frame["correct"].fillna(False)) | (frame["predicted"] == frame["expected"])
    midpoint = frame["confidence"].map(dict(zip(map(str, Confidence), MIDPOINTS, strict=True)))
    return frame.assign(
        answerable=answerable, attempt=attempt, refusal=refusal, right=right.astype(bool), midpoint=midpoint
    )


def calibration_error(rows: pd.DataFrame) -> float:
    bins = rows.groupby("midpoint")["right"].agg(["mean", "size"])
    return float((abs(bins["mean"] - bins.index) * bins["size"]).sum() / bins["size"].sum())


def plain_metrics(rows: pd.DataFrame) -> dict[str, float]:
    """The metrics of a single-document frame as one would write them in pandas."""
    a, u = rows[rows["answerable"]], rows[~rows["answerable"]]
    refused = rows[rows["refusal"]]
    refused_u = u[u["refusal"]]
    precision, recall = (~refused["answerable"]).mean(), u["refusal"].mean()
    f1 = 2 * precision * recall / (precision + recall)
    category = refused_u["right"].mean()
    return {
        "answer_accuracy": a["right"].mean(),
        "refusal_accuracy": u["right"].mean(),
        "false_refusal_rate": a["refusal"].mean(),
        "missed_refusal_rate": u["attempt"].mean(),
        "refusal_rate": rows["refusal"].mean(),
        "correct_refusal_rate": recall,
        "detection_precision": precision,
        "detection_recall": recall,
        "detection_f1": f1,
        "category_accuracy": category,
        "hierarchical_refusal_score": f1 * category,
        "calibrated_refusal_score": (a["right"].mean() + u["right"].mean()) / 2,
        "ece": calibration_error(rows),
        "ece_answers": calibration_error(rows[rows["attempt"]]),
        "ece_refusals": calibration_error(refused),
        "invalid_rate": (~(rows["attempt"] | rows["refusal"])).mean(),
    }


def plain_replicate(by_source: list[pd.DataFrame], drawn: np.ndarray) -> dict[tuple[str, ...], dict[str, float]]:
    """One replicate: resample whole source questions, then every metric overall and in every slice."""
    rows = pd.concat([by_source[at] for at in drawn])
    found = {(): plain_metrics(rows)}
    for columns in GROUPINGS[1:]:
        found |= {tuple(key): plain_metrics(part) for key, part in rows.groupby(columns)}
    return found


def check(frame: pd.DataFrame, by_source: list[pd.DataFrame]) -> float:
    """Return the largest difference between ours and the plain version, overall and by intensity, over 3 replicates."""
    members = slice_rows(frame, ("intensity",), np.zeros(len(frame), dtype=bool))
    codes, clusters = cluster_codes(frame["source_id"])
    columns = indicators(read_responses(frame))
    sums = sum_by_slice_and_cluster(columns, members.member, codes, len(members.dimensions), clusters)
    ours = evaluate(sums, statistic(METRICS), resample(clusters, 3, SEED)).replicates
    worst = 0.0
    for at, drawn in enumerate(draws(clusters, 3, SEED)):
        plain = plain_replicate(by_source, drawn)
        for position, dimensions in enumerate(members.dimensions):
            for name, value in plain[tuple(value for _, value in dimensions)].items():
                mine = ours[METRIC_NAMES.index(name), position, at]
                worst = max(worst, 0.0 if np.isnan(value) or np.isnan(mine) else abs(mine - value))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain-replicates", type=int, default=5)
    arguments = parser.parse_args()
    frame = leaderboard()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.perf_counter()
    scores = score(frame, replicates=REPLICATES, seed=SEED, slices=DEFAULT_SLICES)
    ours = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    slices = 1 + len(scores[0].slices)

    one = with_facts(frame[frame["model"] == frame["model"].iloc[0]])
    by_source = [one[one["source_id"] == name] for name in sorted(one["source_id"].unique())]
    worst = check(one, by_source)
    started = time.perf_counter()
    for drawn in draws(len(by_source), arguments.plain_replicates, SEED):
        plain_replicate(by_source, drawn)
    per_replicate = (time.perf_counter() - started) / arguments.plain_replicates
    plain = per_replicate * REPLICATES * MODELS

    size = f"{MODELS} models x {len(frame) // MODELS} items x {slices} slices x {len(METRICS)} metrics"
    print(f"{size}, {REPLICATES} replicates")
    print(f"{'':34}{'seconds':>12}{'ratio':>10}")
    print(f"{'one pass over weights (measured)':34}{ours:>12.2f}{1:>10.0f}")
    print(f"{'pandas per replicate (scaled up)':34}{plain:>12.0f}{plain / ours:>10.0f}")
    print(
        f"pandas: {per_replicate * 1000:.0f} ms per model and replicate, over {arguments.plain_replicates} replicates"
    )
    print(f"largest difference between the two: {worst:.1e}")
    print(f"peak memory: {peak:.0f} MB, of which {before:.0f} MB before scoring")


if __name__ == "__main__":
    main()
