import pandas as pd

from demur.scoring.difficulty import difficulty
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, TABLE, Row, frame_of


def test_difficulty_hand_made_table_is_the_share_not_accurate() -> None:
    frame = frame_of(TABLE, lever=["x"] * 5 + ["y"] * 4 + [None])
    found = {one["value"]: (one["difficulty"], one["items"], one["sources"], one["responses"]) for one in difficulty(
        frame, "lever", replicates=50, seed=1
    )}  # fmt: skip
    assert found == {"x": (3 / 5, 5, 2, 5), "y": (2 / 4, 4, 2, 4)}


def test_difficulty_counts_all_models_and_leaves_controls_out() -> None:
    rows: list[Row] = [
        ("a", AMBIGUOUS, AMBIGUOUS, None),
        ("b", AMBIGUOUS, ATTEMPT, None),
        ("c", ANSWER, ATTEMPT, False),
    ]
    frame = frame_of(rows, lever=["x"] * 3, kind=["perturbed", "perturbed", "control"])
    both = pd.concat([frame, frame.assign(model="n", predicted=[AMBIGUOUS, AMBIGUOUS, ATTEMPT])], ignore_index=True)
    (found,) = difficulty(both, "lever", replicates=50, seed=1)
    assert (found["difficulty"], found["items"], found["responses"]) == (1 / 4, 2, 4)
