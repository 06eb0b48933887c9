"""Use of the refusal codes by a model: entropy, share of the top code, codes never given, constant-code baseline.

A model that gives one code for everything looks competent where that code is common. The constant-code baseline is the
score of such a model. The answer accuracy of such a model is 0.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED, REFUSALS
from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, Row, bootstrap, known
from demur.scoring.intervals import SHARE, Bounds
from demur.scoring.responses import ANY_REASON, EXPECTED, read_responses
from demur.scoring.slices import cluster_codes

NO_REFUSALS = "no refusals"


def code_use(frame: pd.DataFrame, *, replicates: int, seed: int) -> Iterator[Row]:
    """Yield a row of `code_use` for each model, sorted by model, about the model's refusals of perturbed items."""
    responses = read_responses(frame)
    for model, at in responses.by_model():
        rows = at[~responses.apart[at]]
        expected = np.bincount(responses.expected[rows], minlength=len(EXPECTED))[1:ANY_REASON].astype(np.float64)
        given = responses.predicted[rows].astype(np.int64)
        codes, clusters = cluster_codes(frame["source_id"].iloc[rows])
        sums = np.zeros((len(REFUSALS), 1, max(clusters, 1)))
        for position, code in enumerate(REFUSALS):
            hits = codes[given == PREDICTED.index(code)]
            sums[position, 0] = np.bincount(hits, minlength=max(clusters, 1))
        given_counts = sums.sum(axis=(1, 2))
        entropy_bits, top_share = _estimates(sums, replicates=replicates, seed=seed)
        yield {
            "respondent": model,
            "refusals": int(given_counts.sum()),
            "entropy_bits": known(entropy_bits.value),
            "entropy_bits_low": known(entropy_bits.low),
            "entropy_bits_high": known(entropy_bits.high),
            "expected_entropy_bits": known(float(entropy(expected))),
            "top_code": REFUSALS[int(given_counts.argmax())] if given_counts.any() else None,
            "top_share": known(top_share.value),
            "top_share_low": known(top_share.low),
            "top_share_high": known(top_share.high),
            "never_given": [
                code
                for code, wanted in zip(EXPECTED[1:ANY_REASON], expected, strict=True)
                if wanted and not given_counts[REFUSALS.index(code)]
            ],
            **_best_constant(expected),
            "reason": top_share.reason,
        }


def entropy(counts: FloatArray) -> FloatArray:
    """Return the entropy of the counts along the first axis, in bits; NaN if these counts are all 0."""
    share = ratio(counts, counts.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share == 0.0, 0.0, -share * np.log2(share))
    return np.asarray(terms.sum(axis=0) + 0.0)


def _best_constant(expected: FloatArray) -> Row:
    """Return the commonest expected code and the scores of a model that always gives it."""
    share = float(expected.max() / expected.sum()) if expected.any() else None
    return {
        "constant_code": None if share is None else EXPECTED[1 + int(expected.argmax())],
        "constant_refusal_accuracy": share,
        "constant_calibrated_refusal_score": None if share is None else share / 2.0,
    }


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
