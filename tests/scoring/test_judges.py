from typing import Any

import pandas as pd
import pytest

from demur.scoring.agreement import judge_agreement, with_majority
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, Row, frame_of

Vote = tuple[str, bool | None, int | None]


def judged(votes: dict[str, list[Vote]], **more: Any) -> pd.DataFrame:
    """Return the votes of judges, each a class, a grade and a quality, on the same responses."""
    frames = []
    for judge, own in votes.items():
        rows: list[Row] = [(f"s{at}", ANSWER, said, right) for at, (said, right, _) in enumerate(own)]
        frame = frame_of(rows).assign(
            model="m", judge=judge, grade=pd.Series([vote[2] for vote in own], dtype=float), **more
        )
        frames.append(frame.assign(item_id=[f"i{at}" for at in range(len(own))]))
    return pd.concat(frames, ignore_index=True)


def elected(frame: pd.DataFrame) -> list[tuple[str, object]]:
    found = with_majority(frame)
    rows = found.loc[found["judge"] == "majority"]
    return [(row["predicted"], row["correct"]) for row in rows.to_dict("records")]


@pytest.mark.parametrize(
    ("votes", "majority"),
    [
        ([(ATTEMPT, True), (ATTEMPT, True), (MISSING, None)], (ATTEMPT, True)),
        ([(ATTEMPT, True), (ATTEMPT, False), (ATTEMPT, False)], (ATTEMPT, False)),
        ([(MISSING, None), (AMBIGUOUS, None), (MISSING, None)], (MISSING, None)),
        ([(MISSING, None), (AMBIGUOUS, None), (ATTEMPT, True)], ("INVALID", None)),
        ([(ATTEMPT, True), (ATTEMPT, False), (MISSING, None)], ("INVALID", None)),
        ([("INVALID", None), ("INVALID", None), (MISSING, None)], (MISSING, None)),
        ([("INVALID", None), ("INVALID", None), ("INVALID", None)], ("INVALID", None)),
        ([(ATTEMPT, True), (MISSING, None)], ("INVALID", None)),
    ],
)
def test_majority_of_votes_is_their_most_frequent_and_a_tie_is_undecided(
    votes: list[tuple[str, bool | None]], majority: tuple[str, bool | None]
) -> None:
    frame = judged({f"judge-{at}": [(*vote, None)] for at, vote in enumerate(votes)})
    assert elected(frame) == [majority]


def test_majority_of_one_judge_or_of_its_repeated_judgings_is_none() -> None:
    vote: list[Vote] = [(ATTEMPT, True, 5)]
    frame = judged({"a": vote, "a#2": vote, "a#3": vote})
    assert with_majority(frame).equals(frame)
    assert list(judge_agreement(frame, replicates=10, seed=1)) == []


def test_agreement_leaves_out_responses_that_no_judge_was_asked_about() -> None:
    first: list[Vote] = [(ATTEMPT, True, 5), (MISSING, None, None), (ATTEMPT, False, 2), (AMBIGUOUS, None, None)]
    second: list[Vote] = [(ATTEMPT, True, 4), (AMBIGUOUS, None, None), (ATTEMPT, False, 1), (AMBIGUOUS, None, None)]
    codes: list[Vote] = [(MISSING, None, None), (AMBIGUOUS, None, None)] * 20
    by = ["judge"] * 4 + ["code"] * 40
    found = {
        row["coefficient"]: row
        for row in judge_agreement(
            judged({"a": [*first, *codes], "b": [*second, *codes]}, judged_by=by), replicates=50, seed=1
        )
    }
    alone = {
        row["coefficient"]: row for row in judge_agreement(judged({"a": first, "b": second}), replicates=50, seed=1)
    }
    assert found == alone
    assert (found["cohen"]["n"], found["undecided"]["value"]) == (4, 0.25)
    assert found["cohen"]["value"] == pytest.approx((0.75 - 0.375) / (1 - 0.375))
