"""A grader in a separate thread with an event loop, for synchronous trainers and for servers."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import AsyncExitStack
from typing import Any, Final, TypeVar

from demur.errors import FlowError
from demur.exchange.rewarding.grading import open_grader
from demur.programs.errors import ProgramError
from demur.rewards.graders import CompletionGrader, GradedText, GradingModel, check_grading
from demur.scoring.demur_reward import FittedReward, RewardError

PROBE: Final = "How is it done?", "It is done by hand."
Answer = TypeVar("Answer")


class GradingThread:
    """Grades completions for a reward, in a thread of its own, until `close` is called."""

    def __init__(self, reward: FittedReward, by: GradingModel, most_usd: float | None = None) -> None:
        """Check that the grader can grade the reward's features, and open the grader.

        Raises:
            FlowError: policy, grading mode or rules do not match the reward.
            ProgramError: the model's key is missing.
        """
        check_fits(reward, by)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="demur-reward")
        self._thread.start()
        self._open = AsyncExitStack()
        try:
            self.grader: CompletionGrader = self.run(self._open.enter_async_context(open_grader(by, most_usd)))
            if by.spec.lane.by_rule:
                self.run(_check_rules(reward, by, self.grader))
        except BaseException:
            self.close()
            raise

    def submit(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """Start a coroutine in the thread; cancelling the returned future cancels the coroutine."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run a coroutine in the thread and return its result."""
        return self.submit(work).result()

    def close(self) -> None:
        """Close the model's lane and end the thread."""
        self.run(self._open.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def check_fits(reward: FittedReward, by: GradingModel) -> None:
    """Check without a request that a model's grades have all features of the reward.

    Raises:
        FlowError: the policy lacks a feature of the reward, or the model gives no log-probabilities.
        LeverError: the policy lacks a behaviour of the reward.
    """
    check_grading(by.spec, by.grading)
    for name in reward.behaviours:
        try:
            reward.explain(name, dict.fromkeys(by.policy.behaviour(name).features, 0.5))
        except RewardError as exc:
            raise FlowError(
                f"policy '{by.policy.name}' is not the policy that the reward was fitted to: behaviour '{name}': "
                f"{exc}. Name the file of the reward's policy (--policy)"
            ) from exc


async def _check_rules(reward: FittedReward, by: GradingModel, grader: CompletionGrader) -> None:
    """Raise FlowError if the rules cannot grade a proposition of a behaviour."""
    subjects = [GradedText(name, *PROBE) for name in reward.behaviours]
    for name, found in zip(reward.behaviours, await grader.grades(subjects), strict=True):
        if isinstance(found, ProgramError):
            raise FlowError(
                f"model '{by.spec.name}' cannot grade behaviour '{name}' of policy '{by.policy.name}': {found}"
            ) from found
