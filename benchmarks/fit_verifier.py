"""Fit the strict verifier of the rules lane to people's readings, and hold all three verifiers against them.

    python benchmarks/fit_verifier.py READINGS.jsonl ... [--write] [--false-rejects 0.1]

A line of READINGS is an accepted candidate with what its readers said (`readings`: `overall` 1 or 0 each). Weights are
those of a logistic regression on signs of a change (demur/rules/roles/verifying/signs.py), in which each reading
counts once. What is shown for it is cross-validated: no base question is both fitted to and judged. The threshold is
the lowest that rejects at most `--false-rejects` of what readers passed. `--write` renews strict.yaml.
"""

import argparse
import ast
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from demur_process import machine, show
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, Passage
from demur.levers.load import load_catalogue
from demur.levers.vocabulary import Intensity, LeverClass, Target, expected_code
from demur.rules.roles.verify import VERIFIERS
from demur.rules.roles.verifying.case import Case
from demur.rules.roles.verifying.shared import shared_faults
from demur.rules.roles.verifying.signs import ISSUES, signs
from demur.rules.roles.verifying.strict import WEIGHTS, plain_faults, strict_faults

STRENGTH = 0.03
"""The inverse of the penalty on weights: readings are few."""
FOLDS = 10
Row = dict[str, Any]


def field(row: Row, name: str) -> Any:
    """Return a field that may be a list or its text."""
    value = row[name]
    return ast.literal_eval(value) if isinstance(value, str) and value[:1] == "[" else value


def case_of(row: Row, catalogue: Catalogue) -> Case:
    """Return an accepted candidate as verifiers see it."""
    lever = next((lever for lever in catalogue if lever.id == row["lever_id"]), None)
    before, after, signal = (field(row, n) for n in ("original_grounding", "grounding", "signal_indices"))
    lever_class, intensity = LeverClass(row["perturbation_class"]), Intensity(row["intensity"])
    asked = row["original_query"] != row["perturbed_query"]
    target = Target.QUERY if before == after else Target.QUERY_AND_CONTEXT if asked else Target.CONTEXT
    return Case(
        lever_class=lever_class,
        intensity=intensity,
        target=target,
        keeps_subject=lever is not None and lever.keeps_subject,
        disfluent=lever.disfluent if lever else (),
        expected=expected_code(lever_class, intensity),
        has_strategy=len(before) > 1,
        base=BaseInstance(
            question=row["original_query"],
            answers=tuple(field(row, "original_answers")),
            passages=passages(before, signal),
        ),
        question=row["perturbed_query"],
        passages=passages(after, signal),
    )


def passages(texts: Sequence[str], signal: Sequence[int]) -> tuple[Passage, ...]:
    return tuple(Passage(index=i, text=text, relevant=i in signal) for i, text in enumerate(texts))


def fit(x: np.ndarray, failed: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights of the signs as they are, and the intercept; `failed` are shares of readers."""
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=STRENGTH, class_weight="balanced")
    twice = np.vstack([scaler.transform(x)] * 2)
    labels = np.r_[np.ones(len(x)), np.zeros(len(x))]
    model.fit(twice, labels, sample_weight=np.r_[failed, 1 - failed])
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def scores_held_out(x: np.ndarray, failed: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Return the score of every candidate by weights fitted to other base questions."""
    scores = np.zeros(len(x))
    for train, test in GroupKFold(FOLDS).split(x, groups=groups):
        weights, intercept = fit(x[train], failed[train])
        scores[test] = intercept + x[test] @ weights
    return scores


def rates(rejected: np.ndarray, failed: np.ndarray) -> list[object]:
    """Return the shares of readings: accepted of what readers fail, rejected of what they pass."""
    return [f"{((~rejected) @ failed) / failed.sum():.2f}", f"{(rejected @ (1 - failed)) / (1 - failed).sum():.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readings", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--false-rejects", type=float, default=0.1)
    a = parser.parse_args()
    print(machine())
    data = [path.read_bytes() for path in a.readings]
    rows: list[Row] = [json.loads(line) for text in data for line in text.decode().splitlines()]
    catalogue = load_catalogue()
    cases = [case_of(row, catalogue) for row in rows]
    failed = np.array([np.mean([1 - r["overall"] for r in field(row, "readings")]) for row in rows])
    x = np.array([list(signs(case).values()) for case in cases])
    scores = scores_held_out(x, failed, [row["source_id"] for row in rows])
    allowed = [t for t in np.sort(scores) if ((scores > t) @ (1 - failed)) / (1 - failed).sum() <= a.false_rejects]
    threshold = float(allowed[0])
    rejected = {
        name: np.array([any(True for _ in (*shared_faults(case), *faults(case))) for case in cases])
        for name, faults in VERIFIERS.items()
        if name != "strict"
    }
    plain = np.array([any(True for _ in plain_faults(case)) for case in cases])
    rejected["strict, its score cross-validated"] = plain | (scores > threshold)
    rejected["strict, as it stands"] = np.array([any(True for _ in strict_faults(case)) for case in cases])
    held_out, standing = ("strict, its score cross-validated", "strict, as it stands")
    for name, without in (("cross-validated", standing), ("as they stand", held_out)):
        rejected[f"any of the three, {name}"] = np.logical_or.reduce(
            [r for n, r in rejected.items() if n != without and "any" not in n]
        )
    table: list[list[object]] = [[name, *rates(by, failed)] for name, by in rejected.items()]
    show(f"{len(rows)} candidates read", ["verifier", "accepted of failed", "rejected of passed"], table)
    weights, intercept = fit(x, failed)
    show("Weights", ["sign", "weight"], [[name, f"{w:.2f}"] for name, w in zip(ISSUES, weights, strict=True)])
    if a.write:
        found = {
            "readings": len(rows),
            "sha256": hashlib.sha256(b"".join(data)).hexdigest(),
            "intercept": round(intercept, 4),
            "threshold": round(threshold, 4),
            "weights": {name: round(float(w), 4) for name, w in zip(ISSUES, weights, strict=True)},
        }
        WEIGHTS.write_text(yaml.safe_dump(found, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
