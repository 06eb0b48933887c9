"""Use of the refusal codes by a model: entropy, the top code's share, codes never given, a constant code.

A model that gives one code for everything can look competent where that code is common; the constant-code baseline is
the score of such a model.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED, REFUSALS
from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, bootstrap
from demur.scoring.intervals import SHARE, Bounds
from demur.scoring.responses import EXPECTED, read_responses
from demur.scoring.slices import cluster_codes

NO_REFUSALS = "no refusals"


@dataclass(frozen=True, slots=True)
class ConstantCode:
    """Scores of a respondent that always gives this code; its answer accuracy is 0."""

    code: str
    refusal_accuracy: float
    calibrated_refusal_score: float


@dataclass(frozen=True, slots=True)
class RefusalSpread:
    """The distribution of one model's refusals over the codes.

    `entropy_bits` is over the given codes, `expected_entropy_bits` over the expected ones; `top_share` is the most
    frequent code's share of refusals. `never_given` lists expected codes without a refusal. `baseline` is the best
    constant code, None if no item is unanswerable.
    """

    model: str
    refusals: int
    entropy_bits: Estimate
    expected_entropy_bits: float
    top_code: str | None
    top_share: Estimate
    never_given: tuple[str, ...]
    baseline: ConstantCode | None


def code_use(frame: pd.DataFrame, *, replicates: int, seed: int) -> list[RefusalSpread]:
    """Return every model's use of refusal codes on perturbed items, sorted by model."""
    responses = read_responses(frame)
    found = []
    for model, at in responses.by_model():
        rows = at[~responses.apart[at]]
        expected = np.bincount(responses.expected[rows], minlength=len(EXPECTED))[1:].astype(np.float64)
        given = responses.predicted[rows].astype(np.int64)
        codes, clusters = cluster_codes(frame["source_id"].iloc[rows])
        sums = np.zeros((len(REFUSALS), 1, max(clusters, 1)))
        for position, code in enumerate(REFUSALS):
            hits = codes[given == PREDICTED.index(code)]
            sums[position, 0] = np.bincount(hits, minlength=max(clusters, 1))
        given_counts = sums.sum(axis=(1, 2))
        entropy_bits, top_share = _estimates(sums, replicates=replicates, seed=seed)
        found.append(
            RefusalSpread(
                model=model,
                refusals=int(given_counts.sum()),
                entropy_bits=entropy_bits,
                expected_entropy_bits=float(entropy(expected)),
                top_code=REFUSALS[int(given_counts.argmax())] if given_counts.any() else None,
                top_share=top_share,
                never_given=tuple(
                    code
                    for code, wanted in zip(EXPECTED[1:], expected, strict=True)
                    if wanted and not given_counts[REFUSALS.index(code)]
                ),
                baseline=_best_constant(expected),
            )
        )
    return found


def entropy(counts: FloatArray) -> FloatArray:
    """Return the entropy in bits of counts along the first axis; NaN where they are all 0."""
    share = ratio(counts, counts.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share == 0.0, 0.0, -share * np.log2(share))
    return np.asarray(terms.sum(axis=0) + 0.0)


def _best_constant(expected: FloatArray) -> ConstantCode | None:
    if not expected.any():
        return None
    share = float(expected.max() / expected.sum())
    return ConstantCode(EXPECTED[1 + int(expected.argmax())], share, share / 2.0)


def _estimates(sums: FloatArray, *, replicates: int, seed: int) -> list[Estimate]:
    def compute(counts: FloatArray) -> FloatArray:
        return np.stack([entropy(counts), ratio(counts.max(axis=0), counts.sum(axis=0))])

    total = int(sums.sum())
    support = EstimateBasis(
        n=np.full((2, 1), total),
        sources=np.full((2, 1), int((sums.sum(axis=0) > 0).sum())),
        reasons=[[NO_REFUSALS if not total else None]] * 2,
        spans=[Bounds(0.0, math.log2(len(REFUSALS))), SHARE],
    )
    weights = resample(sums.shape[-1], replicates, seed)
    return [row[0] for row in bootstrap(sums, compute, weights, support)]
