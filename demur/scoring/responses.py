"""Validation of a frame of judged responses, and its conversion to arrays of small integers.

Columns of a frame, one row per response:

    item_id, source_id       the item, and its base question (the cluster)
    class, intensity         the stratum; null for controls, and for items of sets without classes
    expected                 ANSWER_CORRECTLY, the refusal code of the class, or REFUSE (for whatever reason)
    predicted                ANSWER_ATTEMPT, a REFUSE_* code, or INVALID (null reads as INVALID)
    correct                  whether an attempt on an answerable item is correct; ignored for other responses
    quality                  used if the column correct is null or absent: a number from 1 to 5, correct from 4;
                             ignored for items of several documents
    model                    optional: the respondent
    confidence               optional: one of the five verbal levels
    probability              optional: the stated confidence as a number, used in place of the level
    eligible, supported_all, supported_relevant
                             grades of an attempt on an answerable item of several documents; see RAF below
    layout                   optional: single or multi; if null or absent, see `several_documents`
    reaction                 optional: the reaction in plain words; null where respondents are told codes
    refused_by_provider      optional: whether the provider refused in place of the model
    kind                     optional: perturbed or control; controls have metrics of their own

RAF is 1 if a response is eligible and supported by the relevant passages, else 0. For items of several documents RAF
decides correctness if RAF is known; otherwise the column `correct` decides. An ungraded attempt on an answerable item
counts as INVALID, with one exception. If all attempts of a model on answerable items are ungraded, these attempts do
not become INVALID. Metrics of correctness are then undefined for the model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from demur.levers.vocabulary import (
    CORRECT_FROM,
    EXPECTATIONS,
    HIGHEST_QUALITY,
    INVALID,
    LOWEST_QUALITY,
    PREDICTED,
    AnyReason,
    Confidence,
    Intensity,
    ItemKind,
    Layout,
    LeverClass,
    Reaction,
)
from demur.scoring import ScoringError
from demur.scoring.bootstrap import BoolArray, IntArray
from demur.scoring.confidence import claimed_by

MULTI = 1
"""Position of several documents among layouts."""


def several_documents(
    layout: NDArray[np.int8],
    by_passages: BoolArray,
    by_answer: BoolArray,
    model: NDArray[np.object_],
    source: pd.Series,
) -> BoolArray:
    """Return for each row whether its item has several documents.

    A known layout decides. If the layout is unknown, the kind of the grades decides: only items of several documents
    are graded by passages. If no row has grades by passages, no item has several documents. If all graded rows have
    grades by passages, every item has several documents. Otherwise each model is looked at. If all graded rows of a
    model have the same kind of grades, this kind decides for all rows of the model. If a model has both kinds of grades
    or none, a row has several documents if any row of its source question has grades by passages.

    Args:
        layout: 0 for single, 1 for multi, negative for unknown, shape (rows,).
        by_passages: whether a row has a grade by passages (`eligible`, `supported_all` or `supported_relevant`).
        by_answer: whether a row has a grade of its answer (`correct` or `quality`).
        model: the respondent of each row.
        source: the source question of each row.
    """
    found = _by_grades(by_passages, by_answer & ~by_passages, model, source)
    return np.asarray(np.where(layout < 0, found, layout == MULTI), dtype=np.bool_)


def _by_grades(several: BoolArray, single: BoolArray, model: NDArray[np.object_], source: pd.Series) -> BoolArray:
    if not several.any() or not single.any():
        return np.full(len(model), bool(several.any()))
    of_model = pd.Series(model)
    of_source = source.reset_index(drop=True)
    model_several, model_single = (pd.Series(rows).groupby(of_model).transform("any") for rows in (several, single))
    by_source = pd.Series(several).groupby(of_source).transform("any")
    return np.where(model_several == model_single, by_source, model_several).astype(np.bool_)


Codes = NDArray[np.int8]

EXPECTED: tuple[str, ...] = tuple(expectation.value for expectation in EXPECTATIONS)
"""Expected behaviours. Codes have the positions of PREDICTED; 0 stands for answering, the last for any refusal."""
ANY_REASON = EXPECTED.index(AnyReason.REFUSE)

INVALID_AT = PREDICTED.index(INVALID)
UNKNOWN = -1
REACTIONS = tuple(Reaction)
UNNAMED = "unnamed"
KINDS = tuple(ItemKind)
"""Kinds of items. Kinds after the first (controls) have slices of their own and count in no other slice."""
RESPONSE_KEY = ("source_id", "item_id", "language", "replicate")
"""Columns that identify a response of one model; a frame may lack some of them."""
RAF_GRADES = ("eligible", "supported_all", "supported_relevant")
REQUIRED = ("item_id", "source_id", "class", "intensity", "expected", "predicted")


@dataclass(frozen=True, slots=True, eq=False)
class ResponseArrays:
    """Responses as arrays with one element per row; -1 is an unknown truth value, confidence or reaction.

    `expected`, `predicted` and `reaction` are positions in EXPECTED, PREDICTED and REACTIONS. For items of several
    documents `correct` is RAF if RAF is known. `claimed` is the stated probability of being right, NaN if none is
    stated. `ungraded` marks attempts on answerable items by models without any graded attempt. `apart` marks controls.
    """

    frame: pd.DataFrame
    model: NDArray[np.object_]
    expected: Codes
    predicted: Codes
    correct: Codes
    confidence: Codes
    claimed: NDArray[np.float64]
    eligible: Codes
    supported_all: Codes
    supported_relevant: Codes
    reaction: Codes
    refused_by_provider: Codes
    several_documents: BoolArray
    apart: BoolArray
    ungraded: BoolArray

    @property
    def answerable(self) -> BoolArray:
        """True for items whose expected behaviour is an answer."""
        return np.asarray(self.expected == 0, dtype=np.bool_)

    @property
    def attempted(self) -> BoolArray:
        """True for answer attempts."""
        return np.asarray(self.predicted == 0, dtype=np.bool_)

    @property
    def invalid(self) -> BoolArray:
        """True for INVALID responses: not obtained, not classified, or not graded."""
        return np.asarray(self.predicted == INVALID_AT, dtype=np.bool_)

    @property
    def refused(self) -> BoolArray:
        """True for refusals with any code."""
        return np.asarray(~self.attempted & ~self.invalid, dtype=np.bool_)

    @property
    def any_reason(self) -> BoolArray:
        """True for items that should be refused for whatever reason."""
        return np.asarray(self.expected == ANY_REASON, dtype=np.bool_)

    @property
    def matched(self) -> BoolArray:
        """True for right refusals: with the expected code, or with any code where any reason will do."""
        same = ~self.answerable & (self.expected == self.predicted)
        return np.asarray(np.where(self.any_reason, self.refused, same), dtype=np.bool_)

    @property
    def accurate(self) -> BoolArray:
        """True for correct answers and for refusals with the expected code."""
        correct = self.answerable & self.attempted & (self.correct == 1)
        return np.asarray(self.matched | correct, dtype=np.bool_)

    def by_model(self) -> Iterator[tuple[str, IntArray]]:
        """Yield each model with the positions of its rows, sorted by model."""
        codes, models = pd.factorize(self.model, sort=True)
        order = np.argsort(codes, kind="stable").astype(np.int64)
        bounds = np.searchsorted(codes[order], np.arange(len(models) + 1))
        for at, model in enumerate(models):
            yield str(model), order[bounds[at] : bounds[at + 1]]


def read_responses(frame: pd.DataFrame) -> ResponseArrays:
    """Validate a frame of responses and return it as arrays.

    Raises:
        ScoringError: a column is missing or a value is not allowed; the message names the row by its index label.
    """
    missing = [name for name in REQUIRED if name not in frame.columns]
    if missing:
        raise ScoringError(f"responses: there is no column {', '.join(missing)}; a frame needs {', '.join(REQUIRED)}")
    if frame.empty:
        raise ScoringError("responses: 0 rows; give at least one response")
    for name in ("item_id", "source_id"):
        _refuse(frame, name, frame[name].isna().to_numpy(), "text or a number")
    _positions(frame, "class", tuple(LeverClass), null=UNKNOWN)
    _positions(frame, "intensity", tuple(Intensity), null=UNKNOWN)
    expected = _positions(frame, "expected", EXPECTED)
    predicted = _positions(frame, "predicted", PREDICTED, null=INVALID_AT)
    grades = {name: _truth(frame, name) for name in ("correct", "eligible", "supported_all", "supported_relevant")}
    raf = _both(grades["eligible"], grades["supported_relevant"])
    model = _models(frame)
    answered = np.where(grades["correct"] == UNKNOWN, _rated(frame), grades["correct"])
    by_passages = np.max([grades[name] for name in RAF_GRADES], axis=0) != UNKNOWN
    layout = _positions(frame, "layout", tuple(Layout), null=UNKNOWN)
    several = several_documents(layout, by_passages, answered != UNKNOWN, model, frame["source_id"])
    correct = np.where(several, np.where(raf != UNKNOWN, raf, grades["correct"]), answered)
    confidence = _positions(frame, "confidence", tuple(Confidence), null=UNKNOWN)
    tried = (expected == 0) & (predicted == 0)
    ungraded = tried & ~_of_any(model, tried & (correct != UNKNOWN))
    return ResponseArrays(
        frame=frame,
        model=model,
        expected=expected,
        predicted=np.where(tried & ~ungraded & (correct == UNKNOWN), INVALID_AT, predicted).astype(np.int8),
        correct=correct.astype(np.int8),
        confidence=confidence,
        claimed=_claimed(frame, confidence),
        eligible=grades["eligible"],
        supported_all=grades["supported_all"],
        supported_relevant=grades["supported_relevant"],
        reaction=_positions(frame, "reaction", REACTIONS, null=UNKNOWN),
        refused_by_provider=_truth(frame, "refused_by_provider"),
        several_documents=several,
        apart=_positions(frame, "kind", KINDS, null=0) > 0,
        ungraded=ungraded,
    )


def _claimed(frame: pd.DataFrame, confidence: Codes) -> NDArray[np.float64]:
    """Return each response's stated probability of being right: `probability`, else the midpoint of `confidence`."""
    by_level = claimed_by(confidence)
    if "probability" not in frame.columns:
        return by_level
    stated = pd.to_numeric(frame["probability"]).to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isnan(stated), by_level, stated)


def response_keys(frame: pd.DataFrame) -> IntArray:
    """Return a number for each row; rows of the same item, language and replicate have the same number."""
    columns = [name for name in RESPONSE_KEY if name in frame.columns]
    return frame.groupby(columns, sort=False, dropna=False).ngroup().to_numpy().astype(np.int64)


def _models(frame: pd.DataFrame) -> NDArray[np.object_]:
    if "model" not in frame.columns:
        return np.full(len(frame), UNNAMED, dtype=np.object_)
    return frame["model"].astype(object).where(frame["model"].notna(), UNNAMED).astype(str).to_numpy(dtype=np.object_)


def _of_any(model: NDArray[np.object_], holds: BoolArray) -> BoolArray:
    """Return for each row whether `holds` is true for any row of the same model."""
    codes, models = pd.factorize(model)
    return np.asarray(np.bincount(codes, weights=holds, minlength=len(models))[codes] > 0, dtype=np.bool_)


def _rated(frame: pd.DataFrame) -> Codes:
    """Return for each row 1 if its quality counts as correct, 0 if not, UNKNOWN without a quality."""
    if "quality" not in frame.columns:
        return np.full(len(frame), UNKNOWN, dtype=np.int8)
    column = frame["quality"]
    rating = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    inside = (rating >= LOWEST_QUALITY) & (rating <= HIGHEST_QUALITY)
    allowed = f"a number from {LOWEST_QUALITY} to {HIGHEST_QUALITY}"
    _refuse(frame, "quality", ~inside & ~column.isna().to_numpy(), allowed)
    return np.where(np.isnan(rating), UNKNOWN, rating >= CORRECT_FROM).astype(np.int8)


def _both(left: Codes, right: Codes) -> Codes:
    """Return the three-valued AND: 0 if one operand is 0, UNKNOWN if one is unknown and none is 0."""
    known = (left != UNKNOWN) & (right != UNKNOWN)
    return np.where((left == 0) | (right == 0), 0, np.where(known, 1, UNKNOWN)).astype(np.int8)


def _positions(frame: pd.DataFrame, name: str, allowed: Sequence[str | int], null: int | None = None) -> Codes:
    """Return each value's position in `allowed`; for a null value or a missing column, the number `null`.

    If `null` is None, the column must exist and have no nulls.
    """
    if name not in frame.columns:
        return np.full(len(frame), null, dtype=np.int8)
    column = frame[name]
    codes = column.map({value: at for at, value in enumerate(allowed)}).to_numpy(dtype=np.float64, na_value=np.nan)
    excused = column.isna().to_numpy() if null is not None else np.zeros(len(frame), dtype=np.bool_)
    _refuse(frame, name, np.isnan(codes) & ~excused, f"one of {', '.join(map(str, allowed))}")
    return np.where(np.isnan(codes), null if null is not None else UNKNOWN, codes).astype(np.int8)


def _truth(frame: pd.DataFrame, name: str) -> Codes:
    """Return 1, 0 or UNKNOWN for each value of a nullable column of booleans or of 0 and 1."""
    if name not in frame.columns:
        return np.full(len(frame), UNKNOWN, dtype=np.int8)
    column = frame[name]
    codes = column.astype(object).map({True: 1.0, False: 0.0}).to_numpy(dtype=np.float64, na_value=np.nan)
    _refuse(frame, name, np.isnan(codes) & ~column.isna().to_numpy(), "true, false or null")
    return np.where(np.isnan(codes), UNKNOWN, codes).astype(np.int8)


def _refuse(frame: pd.DataFrame, name: str, wrong: NDArray[np.bool_], allowed: str) -> None:
    """Raise ScoringError for the first wrong value of a column, if there is one."""
    if wrong.any():
        at = int(wrong.argmax())
        raise ScoringError(
            f"responses: row {frame.index[at]}, {name} {frame[name].iloc[at]!r} is not {allowed}"
            f" ({int(wrong.sum())} of {len(frame)} rows)"
        )
