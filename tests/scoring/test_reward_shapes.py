"""Whatever a trainer hands to a reward function: a batch with an odd completion is rewarded, and training goes on."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from demur.scoring.standalone.demur_reward import FittedReward, RewardError, Rewards, reward_function

POLICY = {"policy": "p", "behaviours": {"refuse": {}}}
SEEN: list[str] = []


class _Length(FittedReward):
    """A reward that is the length of the completion."""

    def score(self, behaviour: str, probabilities: Mapping[str, float], *others: Any) -> float:
        return probabilities["length"]


def graded(batch: Sequence[Mapping[str, Any]]) -> list[Mapping[str, float] | None]:
    SEEN[:] = [row["completion"] for row in batch]
    return [None if row["completion"] == "ungradable" else {"length": len(row["completion"])} for row in batch]


@pytest.fixture
def rewards() -> Rewards:
    return reward_function(_Length(POLICY), graded, "refuse")


def said(content: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": content, **more}]


ODD = [None, [], said(None, tool_calls=[]), said(7), 7, {}]


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_reward_of_a_completion_without_a_text_is_none_and_the_others_have_theirs(rewards: Rewards, odd: Any) -> None:
    assert rewards(["a", "b", "c"], ["No.", odd, "Never."]) == [3.0, None, 6.0]
    assert rewards(["a"], [odd]) == [None]


def test_reward_of_a_completion_that_was_not_graded_is_none(rewards: Rewards) -> None:
    assert rewards(["a", "b"], ["ungradable", "No."]) == [None, 3.0]


def test_reward_columns_stay_with_their_completions(rewards: Rewards) -> None:
    found = rewards(["a", "b"], [None, "No."], behaviour=["unknown", "refuse"], facts=[None, {}], log=print)
    assert found == [None, 3.0] and SEEN == ["No."]
    assert rewards([], []) == []


@pytest.mark.parametrize(
    ("prompts", "columns", "name"),
    [(["a", "b"], {}, "prompts: 2 for 1"), (["a"], {"behaviour": ["x", "y"]}, "behaviour: 2 for 1")],
)
def test_reward_arguments_of_unequal_lengths_are_named(
    rewards: Rewards, prompts: list[str], columns: dict[str, Any], name: str
) -> None:
    with pytest.raises(RewardError, match=f"{name} completions. Give one for each"):
        rewards(prompts, ["No."], **columns)
