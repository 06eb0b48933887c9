"""Frames of responses for the tests of scoring: written out by hand, or drawn by hypothesis."""

from collections.abc import Sequence

import pandas as pd
from hypothesis import strategies as st

from demur.levers.vocabulary import (
    CLASS_CODE,
    PREDICTED,
    Code,
    Confidence,
    Intensity,
    LeverClass,
    Reaction,
    expected_code,
)

ANSWER = Code.ANSWER_CORRECTLY.value
ATTEMPT = "ANSWER_ATTEMPT"
AMBIGUOUS, MISSING, FALSE_PREMISE = Code.AMBIGUOUS.value, Code.MISSING.value, Code.FALSE_PREMISE.value
CLASS_OF = {code.value: lever_class.value for lever_class, code in CLASS_CODE.items()}

Row = tuple[str, str, str, bool | None]
"""source, expected, predicted, correct."""


def frame_of(rows: Sequence[Row], **columns: Sequence[object]) -> pd.DataFrame:
    """A frame of responses with one row per item; other columns by name."""
    return pd.DataFrame(
        {
            "item_id": [f"i{at}" for at in range(len(rows))],
            "source_id": [row[0] for row in rows],
            "class": [CLASS_OF.get(row[1], LeverClass.AMBIGUITY.value) for row in rows],
            "intensity": ["LOW" if row[1] == ANSWER else "HIGH" for row in rows],
            "expected": [row[1] for row in rows],
            "predicted": [row[2] for row in rows],
            "correct": pd.Series([row[3] for row in rows], dtype=object),
            "model": "m",
            **{name: pd.Series(list(values), dtype=object) for name, values in columns.items()},
        }
    )


TABLE: tuple[Row, ...] = (
    ("a", ANSWER, ATTEMPT, True),
    ("a", ANSWER, ATTEMPT, False),
    ("a", ANSWER, AMBIGUOUS, None),
    ("b", ANSWER, ATTEMPT, True),
    ("b", ANSWER, "INVALID", None),
    ("b", AMBIGUOUS, AMBIGUOUS, None),
    ("b", AMBIGUOUS, MISSING, None),
    ("c", AMBIGUOUS, ATTEMPT, None),
    ("c", MISSING, MISSING, None),
    ("c", MISSING, Code.OTHER.value, None),
)
"""Ten responses with every kind among them: A = 5, U = 5."""


@st.composite
def frames(draw: st.DrawFn, models: int = 1) -> pd.DataFrame:
    """Draw a frame of 1 to 40 responses on up to 6 source questions, every optional column filled in at random."""
    size = draw(st.integers(1, 40))
    maybe = st.sampled_from([True, False, None])

    def column(of: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(of, min_size=size, max_size=size))

    classes = column(st.sampled_from(list(LeverClass)))
    intensities = column(st.sampled_from(list(Intensity)))
    return pd.DataFrame(
        {
            "item_id": [f"i{at}" for at in range(size)],
            "source_id": column(st.sampled_from("abcdef")),
            "class": [str(name) for name in classes],
            "intensity": [str(name) for name in intensities],
            "expected": [
                expected_code(LeverClass(str(c)), Intensity(str(i))).value
                for c, i in zip(classes, intensities, strict=True)
            ],
            "predicted": column(st.sampled_from(PREDICTED)),
            "correct": pd.Series(column(maybe), dtype=object),
            "reaction": pd.Series(column(st.sampled_from([*map(str, Reaction), None])), dtype=object),
            "confidence": pd.Series(column(st.sampled_from([*map(str, Confidence), None])), dtype=object),
            "eligible": pd.Series(column(maybe), dtype=object),
            "supported_all": pd.Series(column(maybe), dtype=object),
            "supported_relevant": pd.Series(column(maybe), dtype=object),
            "layout": column(st.sampled_from(["single", "multi"])),
            "model": column(st.sampled_from([f"m{at}" for at in range(models)])),
        }
    )
