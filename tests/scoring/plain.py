"""The metrics written out row by row from their definitions, to hold the vectorised ones against.

Nothing of scoring is imported: only the words of the vocabulary.
"""

import math

import pandas as pd

MIDPOINT = {
    "VERY_CONFIDENT": 0.95,
    "CONFIDENT": 0.8,
    "SOMEWHAT_CONFIDENT": 0.6,
    "UNCERTAIN": 0.4,
    "VERY_UNCERTAIN": 0.15,
}


def divide(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def correctness(row: dict[str, object], several: bool) -> object:
    eligible, relevant = row.get("eligible"), row.get("supported_relevant")
    raf = 0 if eligible is False or relevant is False else (None if eligible is None or relevant is None else 1)
    return row["correct"] if not several or raf is None else bool(raf)


def records(frame: pd.DataFrame) -> list[tuple[dict[str, object], bool]]:
    """Each row, and whether it is of several documents."""
    graded = any(frame[c].notna().any() for c in ("eligible", "supported_all", "supported_relevant") if c in frame)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [(row, row.get("layout", "multi" if graded else "single") == "multi") for row in rows]


def nobody_graded(frame: pd.DataFrame) -> bool:
    """Whether no attempt on an answerable item of one model has a grade."""
    tried = [
        (row, several)
        for row, several in records(frame)
        if (row["expected"], row["predicted"]) == ("ANSWER_CORRECTLY", "ANSWER_ATTEMPT")
    ]
    return all(correctness(row, several) is None for row, several in tried)


def facts(row: dict[str, object], several: bool, graded: bool) -> dict[str, object]:
    """What one response is."""
    answerable = row["expected"] == "ANSWER_CORRECTLY"
    eligible, relevant = row.get("eligible"), row.get("supported_relevant")
    correct = correctness(row, several)
    predicted = row["predicted"]
    unknown = answerable and predicted == "ANSWER_ATTEMPT" and correct is None
    if unknown and graded:
        predicted = "INVALID"
    attempt = predicted == "ANSWER_ATTEMPT"
    right = (answerable and attempt and correct is True) or (not answerable and predicted == row["expected"])
    return {
        "answerable": answerable,
        "attempt": attempt,
        "refusal": str(predicted).startswith("REFUSE_"),
        "right": right,
        "unknown": unknown and not graded,
        "several": several,
        "confidence": row.get("confidence"),
        "eligible": eligible,
        "supported_all": row.get("supported_all"),
        "supported_relevant": relevant,
        "expected": row["expected"],
        "reaction": row.get("reaction"),
    }


def calibration_error(rows: list[dict[str, object]]) -> float:
    stated = [row for row in rows if row["confidence"] is not None]
    if any(row["unknown"] for row in stated):
        return math.nan
    total = 0.0
    for level, midpoint in MIDPOINT.items():
        inside = [row for row in stated if row["confidence"] == level]
        if inside:
            accuracy = sum(bool(row["right"]) for row in inside) / len(inside)
            total += len(inside) / len(stated) * abs(accuracy - midpoint)
    return total if stated else math.nan


def metrics(frame: pd.DataFrame, graded: bool | None = None) -> dict[str, float]:
    """Every metric of a frame without controls, one model; `graded` where the frame is a part of the model's rows."""
    graded = not nobody_graded(frame) if graded is None else graded
    rows = [facts(row, several, graded) for row, several in records(frame)]
    a = [row for row in rows if row["answerable"]]
    u = [row for row in rows if not row["answerable"]]
    refused_u = [row for row in u if row["refusal"]]
    refused_a = [row for row in a if row["refusal"]]
    unknown = any(row["unknown"] for row in a)
    accuracy = math.nan if unknown else divide(sum(bool(row["right"]) for row in a), len(a))
    refusal_accuracy = divide(sum(bool(row["right"]) for row in u), len(u))
    f1 = divide(2 * len(refused_u), len(refused_u) + len(refused_a) + len(u)) if u else math.nan
    category = divide(sum(bool(row["right"]) for row in refused_u), len(refused_u))
    multi = [row for row in rows if row["several"]]
    multi_a = [row for row in multi if row["answerable"]]
    tried = [row for row in multi_a if row["attempt"]]
    multi_unknown = any(row["unknown"] for row in multi_a)

    def multi_share(right: list[dict[str, object]], whole: list[dict[str, object]]) -> float:
        return math.nan if multi_unknown else divide(sum(bool(row["right"]) for row in right), len(whole))

    def grade(name: str) -> float:
        known = [row[name] for row in tried if row[name] is not None]
        return divide(sum(map(bool, known)), len(known))

    plain = [row for row in rows if row["reaction"] is not None]
    ambiguous = [row for row in plain if row["expected"] == "REFUSE_AMBIGUOUS_QUERY"]
    spoken = [row for row in plain if row["attempt"]]
    return {
        "answer_accuracy": accuracy,
        "refusal_accuracy": refusal_accuracy,
        "false_refusal_rate": divide(len(refused_a), len(a)),
        "missed_refusal_rate": divide(sum(bool(row["attempt"]) for row in u), len(u)),
        "refusal_rate": divide(len(refused_a) + len(refused_u), len(rows)),
        "correct_refusal_rate": divide(len(refused_u), len(u)),
        "detection_precision": divide(len(refused_u), len(refused_u) + len(refused_a)),
        "detection_recall": divide(len(refused_u), len(u)),
        "detection_f1": f1,
        "category_accuracy": category,
        "hierarchical_refusal_score": f1 * category,
        "calibrated_refusal_score": (accuracy + refusal_accuracy) / 2,
        "answer_quality": multi_share(multi_a, multi_a),
        "hybrid_score": multi_share(multi, multi),
        "ece": calibration_error(rows),
        "ece_answers": calibration_error([row for row in rows if row["attempt"]]),
        "ece_refusals": calibration_error([row for row in rows if row["refusal"]]),
        "invalid_rate": divide(sum(not row["attempt"] and not row["refusal"] for row in rows), len(rows)),
        "provider_refusal_rate": divide(sum(bool(row.get("refused_by_provider")) for row in rows), len(rows)),
        "eligibility": grade("eligible"),
        "factuality_all": grade("supported_all"),
        "factuality_relevant": grade("supported_relevant"),
        "raf_attempts": multi_share(tried, tried),
        "asked_back": divide(sum(row["reaction"] == "asked_back" for row in plain), len(plain)),
        "asked_back_if_ambiguous": divide(sum(row["reaction"] == "asked_back" for row in ambiguous), len(ambiguous)),
        "hedged_answers": divide(sum(row["reaction"] == "partial_answer" for row in spoken), len(spoken)),
    }
