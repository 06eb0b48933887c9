import pandas as pd

from demur.scoring.agreement import noise_floor
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, Row, frame_of


def judged_twice(first: list[Row], second: list[Row]) -> pd.DataFrame:
    return pd.concat([frame_of(first).assign(judge="one"), frame_of(second).assign(judge="two")], ignore_index=True)


def test_noise_floor_hand_made_judgings_match() -> None:
    first: list[Row] = [
        ("a", ANSWER, ATTEMPT, True),
        ("a", ANSWER, ATTEMPT, True),
        ("b", AMBIGUOUS, AMBIGUOUS, None),
        ("b", AMBIGUOUS, AMBIGUOUS, None),
    ]
    second = [first[0], ("a", ANSWER, ATTEMPT, False), first[2], ("b", AMBIGUOUS, MISSING, None)]
    (found,) = noise_floor(judged_twice(first, second), replicates=50, seed=1, metrics=("refusal_accuracy",))
    assert (found["first_judge"], found["second_judge"]) == ("one", "two")
    assert (found["difference"], found["same_class"]) == (0.5, 0.75)


def test_noise_floor_takes_the_two_judgings_furthest_apart() -> None:
    frames = [
        frame_of([("a", AMBIGUOUS, code, None), ("b", AMBIGUOUS, AMBIGUOUS, None)]).assign(judge=judge)
        for judge, code in (("one", AMBIGUOUS), ("three", ATTEMPT), ("two", AMBIGUOUS))
    ]
    (found,) = noise_floor(pd.concat(frames), replicates=50, seed=1, metrics=("missed_refusal_rate",))
    assert (found["first_judge"], found["second_judge"], found["difference"]) == ("one", "three", -0.5)
