"""Judged responses drawn from respondents whose rates are planted, with the dependence that real rounds have.

Every source question leans one way or the other in each respect (refusing, getting it right, ...), so that responses
to its perturbations are correlated; a respondent's rates are those of the population of source questions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from demur.levers.vocabulary import PREDICTED, STRATA, Code, Confidence, Intensity, expected_code
from demur.scoring.bootstrap import IntArray
from demur.scoring.confidence import MIDPOINTS, claimed_by
from demur.scoring.responses import EXPECTED, INVALID_AT, RAF_GRADES, UNKNOWN, ResponseArrays

ANSWERABLE = sum(intensity is Intensity.LOW for _, intensity in STRATA) / len(STRATA)


@dataclass(frozen=True, slots=True)
class Respondent:
    """Planted rates: each a probability over the population of source questions.

    `correct` is that of attempts on answerable items; with several documents it is the product of `eligible` and
    `supported_relevant`, which are then given. `correlation` is that between responses to one source question on the
    latent normal scale; `sure` the probability of stating VERY_CONFIDENT when accurate and when not, other levels
    being equally likely.
    """

    name: str
    false_refusal_rate: float
    missed_refusal_rate: float
    category_accuracy: float
    correct: float
    invalid_rate: float
    correlation: float
    sure: tuple[float, float] = (0.8, 0.6)
    eligible: float | None = None
    supported_all: float | None = None
    supported_relevant: float | None = None


def draw(
    respondent: Respondent, sources: int, items_per_source: int, rng: np.random.Generator
) -> tuple[IntArray, ResponseArrays]:
    """Return the stratum and one judged response of each item, the items of one source question beside each other."""
    rows = sources * items_per_source
    happens = _correlated(rng, np.repeat(np.arange(sources), items_per_source), sources, respondent.correlation)
    stratum = rng.integers(len(STRATA), size=rows)
    expected = np.array([EXPECTED.index(expected_code(*cell)) for cell in STRATA], dtype=np.int8)[stratum]
    answerable = expected == 0
    refuses = np.where(answerable, happens(respondent.false_refusal_rate), ~happens(respondent.missed_refusal_rate))
    other = rng.integers(1, len(EXPECTED), size=rows)
    other = np.where(other == expected, PREDICTED.index(Code.OTHER), other)
    refusal = np.where(~answerable & happens(respondent.category_accuracy), expected, other)
    predicted = np.where(happens(respondent.invalid_rate), INVALID_AT, np.where(refuses, refusal, 0)).astype(np.int8)
    graded = answerable & (predicted == 0)
    several = respondent.eligible is not None
    grades = {
        name: _known(happens(getattr(respondent, name)) if several else graded, graded & several) for name in RAF_GRADES
    }
    right = (grades["eligible"] == 1) & (grades["supported_relevant"] == 1) if several else happens(respondent.correct)
    accurate = np.where(answerable, graded & right, predicted == expected)
    sure = rng.random(rows) < np.where(accurate, *respondent.sure)
    confidence = np.where(sure, 0, rng.integers(1, len(Confidence), size=rows)).astype(np.int8)
    return stratum, ResponseArrays(
        frame=pd.DataFrame(index=range(rows)),
        model=np.full(rows, respondent.name, dtype=object),
        expected=expected,
        predicted=predicted,
        correct=_known(right, graded),
        confidence=confidence,
        claimed=claimed_by(confidence),
        several_documents=np.full(rows, several),
        apart=np.zeros(rows, dtype=bool),
        ungraded=np.zeros(rows, dtype=bool),
        **grades,
    )


def simulate(respondent: Respondent, sources: int, items_per_source: int, seed: int) -> pd.DataFrame:
    """Return a fresh round as a frame of one judged response per item, as scoring.responses describes."""
    stratum, drawn = draw(respondent, sources, items_per_source, np.random.default_rng(seed))
    grades = ("correct", *(RAF_GRADES if respondent.eligible is not None else ()))
    return pd.DataFrame(
        {
            "item_id": _texts(f"i{at}" for at in range(len(stratum))),
            "source_id": np.repeat(_texts(f"s{at:05}" for at in range(sources)), items_per_source),
            "class": _texts(cell[0].value for cell in STRATA)[stratum],
            "intensity": _texts(cell[1].value for cell in STRATA)[stratum],
            "expected": _texts(EXPECTED)[drawn.expected],
            "predicted": _texts(PREDICTED)[drawn.predicted],
            "confidence": _texts(name.value for name in Confidence)[drawn.confidence],
            "model": respondent.name,
            **{name: _nullable(getattr(drawn, name)) for name in grades},
        }
    )


def planted(respondent: Respondent) -> dict[str, float]:
    """Return the true value of every metric that the respondent's rates decide."""
    r = respondent
    a, u, valid = ANSWERABLE, 1.0 - ANSWERABLE, 1.0 - r.invalid_rate
    several = r.eligible is not None and r.supported_relevant is not None and r.supported_all is not None
    correct = r.eligible * r.supported_relevant if several else r.correct  # type: ignore[operator]
    answered, refused_a = a * valid * (1.0 - r.false_refusal_rate), a * valid * r.false_refusal_rate
    missed, refused_u = u * valid * r.missed_refusal_rate, u * valid * (1.0 - r.missed_refusal_rate)
    right_answers, matches = answered * correct, refused_u * r.category_accuracy
    f1 = 2.0 * refused_u / (refused_u + refused_a + u)
    values = {
        "answer_accuracy": right_answers / a,
        "refusal_accuracy": matches / u,
        "false_refusal_rate": refused_a / a,
        "missed_refusal_rate": missed / u,
        "refusal_rate": refused_a + refused_u,
        "correct_refusal_rate": refused_u / u,
        "detection_precision": refused_u / (refused_u + refused_a),
        "detection_recall": refused_u / u,
        "detection_f1": f1,
        "category_accuracy": r.category_accuracy,
        "hierarchical_refusal_score": f1 * r.category_accuracy,
        "calibrated_refusal_score": (right_answers / a + matches / u) / 2.0,
        "ece": _error(right_answers + matches, 1.0, r.sure),
        "ece_answers": _error(right_answers, answered + missed, r.sure),
        "ece_refusals": _error(matches, refused_a + refused_u, r.sure),
        "invalid_rate": r.invalid_rate,
    }
    if several:
        values |= {
            "answer_quality": right_answers / a,
            "hybrid_score": right_answers + matches,
            "eligibility": float(r.eligible or 0.0),
            "factuality_all": float(r.supported_all or 0.0),
            "factuality_relevant": float(r.supported_relevant or 0.0),
            "raf_attempts": correct,
        }
    return values


def _error(accurate: float, total: float, sure: tuple[float, float]) -> float:
    """Expected calibration error of responses of which a share is accurate, under the planted confidence."""
    shares = ([sure[0], *[(1.0 - sure[0]) / 4.0] * 4], [sure[1], *[(1.0 - sure[1]) / 4.0] * 4])
    error = 0.0
    for right, wrong, midpoint in zip(*shares, MIDPOINTS, strict=True):
        stated = accurate * right + (total - accurate) * wrong
        error += abs(accurate * right - midpoint * stated)
    return error / total


def _correlated(
    rng: np.random.Generator, source: np.ndarray, sources: int, correlation: float
) -> Callable[[float], np.ndarray]:
    """Return a function that draws an event of a given rate per row, correlated within source questions."""

    def happens(rate: float) -> np.ndarray:
        shared = rng.standard_normal(sources)[source] * np.sqrt(correlation)
        own = rng.standard_normal(len(source)) * np.sqrt(1.0 - correlation)
        return np.asarray(shared + own < ndtri(rate))

    return happens


def _texts(values: Iterable[str]) -> np.ndarray:
    return np.array(list(values), dtype=object)


def _known(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    return np.where(known, values, UNKNOWN).astype(np.int8)


def _nullable(codes: np.ndarray) -> pd.Series:
    return pd.Series(codes == 1, dtype="boolean").where(codes != UNKNOWN)
