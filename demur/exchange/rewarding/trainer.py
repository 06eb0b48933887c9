"""Rewards as a Python function for trainers, graded in this process through any lane."""

from pathlib import Path
from typing import Any

from demur.configuration.model_choice import chosen_model
from demur.errors import FlowError
from demur.exchange.rewarding.grading_thread import GradingThread
from demur.levers.policies import load_policy
from demur.programs.errors import ProgramError
from demur.programs.installation import missing_packages_named
from demur.rewards.graders import GradedText, GradingModel
from demur.scoring.demur_reward import FittedReward, load_reward, reward_function

PATTERNS = "rules:grader/patterns"
"""A grader without a network, a key or an extra."""


class TrainerReward:
    """A function of the shape of TRL's GRPOTrainer: `reward(prompts, completions, **columns) -> list[float | None]`.

    A completion without a text, or that could not be graded, has the reward None, which TRL leaves out.

    A batch is graded in a separate thread with its own event loop, so any thread can call the function.
    """

    def __init__(self, reward: FittedReward, by: GradingModel, behaviour: str | None, most_usd: float | None) -> None:
        self._thread = GradingThread(reward, by, most_usd)
        self._rewards = reward_function(reward, self._graded, behaviour)
        self.__name__ = self._rewards.__name__

    def __call__(self, prompts: list[Any], completions: list[Any], **columns: Any) -> list[float | None]:
        """Return the rewards of a batch.

        Raises:
            ProgramError: no completion could be graded.
            RewardError: no behaviour is given, or the arguments have different lengths.
        """
        return self._rewards(prompts, completions, **columns)

    def close(self) -> None:
        """Close the model's lane and end the thread."""
        self._thread.close()

    def _graded(self, batch: list[dict[str, Any]]) -> list[dict[str, float] | None]:
        subjects = [GradedText(row["behaviour"], row["prompt"], row["completion"]) for row in batch]
        found = self._thread.run(self._thread.grader.grades(subjects))
        errors = [each for each in found if isinstance(each, ProgramError)]
        if errors and len(errors) == len(found):
            raise errors[0]
        return [None if isinstance(each, ProgramError) else each for each in found]


@missing_packages_named()
def trainer_reward(
    reward: str | Path,
    model: str = PATTERNS,
    *,
    behaviour: str | None = None,
    policy: str | None = None,
    max_usd: float | None = None,
) -> TrainerReward:
    """Return a reward file as a function for trainers.

    Args:
        reward: a reward file of a release, or of `demur rbr fit --reward`.
        model: the grader, as PROVIDER:MODEL[,key=value...]; `rules:grader/trained,file=FILE` is a trained grader.
        behaviour: the behaviour of all completions; None if the data set has a column of that name.
        policy: the file of a user's policy; one of ours is found by the reward's name.
        max_usd: the cost limit of the round of a grading language model, in US dollars.

    Raises:
        FlowError: reward and policy do not match, or the model cannot be used for the policy.
        RewardError: the reward file cannot be used.
    """
    found = load_reward(reward)
    return TrainerReward(found, grading_model(found, model, policy), behaviour, max_usd)


def grading_model(reward: FittedReward, model: str, policy: str | None = None) -> GradingModel:
    """Return the grader for a reward.

    Raises:
        FlowError: reward and policy have different names, or the model cannot be used.
    """
    name = str(reward.content["policy"])
    chosen = load_policy(policy or name)
    if chosen.name != name:
        raise FlowError(
            f"the reward is for policy '{name}', but --policy names '{chosen.name}'. Name the reward's policy"
        )
    return GradingModel(chosen, policy or name, chosen_model(model, ()))
