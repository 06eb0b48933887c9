"""Rewards as a Python function for trainers, graded by rule or by a model through any lane."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from demur.configuration.models import chosen_model
from demur.configuration.settings import demur_home
from demur.engine.context import RoundContext, digest_of, loader_writing
from demur.engine.loading import publish_home
from demur.engine.online import OnlineStage, open_online
from demur.engine.round_lock import round_lock
from demur.errors import FlowError, RoundBusyError
from demur.flows.rounds.asking import asking_context, asking_row, check_asking
from demur.flows.stages.rewards.grade import GRADE, GradingUnits
from demur.lanes.spec import Mode
from demur.levers.explain import first_fault
from demur.levers.policies import load_policy
from demur.levers.vocabulary import Code
from demur.programs.errors import Halted, ProgramError
from demur.programs.installation import missing_packages_named
from demur.programs.signatures.completions import Grounding
from demur.rewards.graders import ROLE, CompletionGrader, GradedText, Grades, GradingModel, check_grading, open_rules
from demur.scoring.standalone.demur_reward import FittedReward, RewardError, load_reward, reward_function
from demur.warehouse.round_rows import finish_round, open_round

# On-demand graders of completions: by rule, or by a model in a round.


NO_STRATUM: Final = {"class": None, "intensity": None}


@dataclass(frozen=True, slots=True)
class RoundGrader:
    """A model that grades in a round. An instance belongs to one event loop."""

    policy: str
    units: GradingUnits
    online: OnlineStage
    round_id: str

    async def grades(self, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
        """Return the grades of each completion, in order. If a completion was not graded, its entry is an error.

        Raises:
            Halted: the cost limit is reached, or the model does not answer. All requests have ended by then.
        """
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._graded(subject)) for subject in subjects]
        except ExceptionGroup as exc:
            raise exc.exceptions[0] from None
        found = [task.result() for task in tasks]
        for each in found:
            if isinstance(each, Halted):
                raise each
        return found

    async def _graded(self, subject: GradedText) -> Grades | ProgramError:
        grounding = subject.grounding and subject.grounding.model_dump(mode="json")
        about = ("completion", subject.behaviour, subject.prompt, subject.completion)
        inputs = {
            "behaviour": subject.behaviour,
            "subject_kind": "completion",
            "subject_id": digest_of(*about, grounding) if grounding else digest_of(*about),
            "prompt": subject.prompt,
            "completion": subject.completion,
            "grounding": grounding,
        }
        try:
            rows = await self.online.rows_of(self.units.of(self.policy, NO_STRATUM, inputs, self.round_id))
        except ProgramError as exc:
            return exc
        return {str(row["proposition"]): float(str(row["probability"])) for row in rows["grades"]}


@asynccontextmanager
async def open_grader(by: GradingModel, max_usd: float | None = None) -> AsyncIterator[CompletionGrader]:
    """Yield a grader for the running event loop.

    Raises:
        FlowError: home, key, prices or cap are missing or wrong, or another process uses this grader in this home.
    """
    if by.spec.lane.by_rule:
        async with open_rules(by) as rules:
            yield rules
        return
    context = await asyncio.to_thread(_context, by, max_usd)
    with _alone(context):
        await asyncio.to_thread(_begin, context)
        async with open_online(context, GRADE) as online:
            yield RoundGrader(by.policy.name, GradingUnits(context), online, context.round_id)
        await asyncio.to_thread(_finish, context)


_open: Final[set[tuple[Path, str]]] = set()


@contextmanager
def _alone(context: RoundContext) -> Iterator[None]:
    """Lock a round against other processes and against other graders of this process, which would share the cap.

    Raises:
        RoundBusyError: another process or grader uses the round.
    """
    place = (context.home.root, context.round_id)
    if place in _open:
        raise RoundBusyError(
            f"round {context.round_id} is in use by this process: the same model grades for another reward "
            "function or server. Use that function or server, or close it first"
        )
    with round_lock(context.home, context.round_id):
        _open.add(place)
        try:
            yield
        finally:
            _open.discard(place)


def _context(by: GradingModel, max_usd: float | None) -> RoundContext:
    """Return the context of a grading round, in which the model is asked without batches."""
    spec = by.spec.model_copy(update={"mode": Mode.LIVE})
    who = digest_of(by.policy.fingerprint, spec.name, spec.fingerprint, by.grading)
    round_id = f"served-{by.policy.name}-{who[:10]}"
    context = asking_context(demur_home(), round_id, spec, ROLE, policy=by.named, grading=by.grading, max_usd=max_usd)
    check_asking(context)
    return context


def _begin(context: RoundContext) -> None:
    with loader_writing(context) as con:
        open_round(con, asking_row(context, "served"))
    publish_home(context.home)


def _finish(context: RoundContext) -> None:
    with loader_writing(context) as con:
        finish_round(con, context.round_id)
    publish_home(context.home)


# A grader in a separate thread with an event loop, for synchronous trainers and for servers.


PROBE: Final = "How is it done?", "It is done by hand."
_GROUNDING: Final = TypeAdapter[Grounding | None](Grounding | None)
PROBE_GROUNDING: Final = Grounding(
    question=PROBE[0], passages=(), reference_answers=(), expected_behaviour=Code.MISSING
)
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
    grounding = PROBE_GROUNDING if by.policy.refusal_codes else None
    subjects = [graded_text(by, name, *PROBE, grounding) for name in reward.behaviours]
    for name, found in zip(reward.behaviours, await grader.grades(subjects), strict=True):
        if isinstance(found, ProgramError):
            raise FlowError(
                f"model '{by.spec.name}' cannot grade behaviour '{name}' of policy '{by.policy.name}': {found}"
            ) from found


def graded_text(
    by: GradingModel, behaviour: str, prompt: str, completion: str, grounding: Grounding | None
) -> GradedText:
    """Return a completion to grade.

    Raises:
        RewardError: the policy is about items of a benchmark, and there is no grounding.
    """
    if by.policy.refusal_codes and grounding is None:
        raise RewardError(
            f"policy '{by.policy.name}' judges a completion against its item. Give `grounding` for each completion: an "
            f"object with {', '.join(Grounding.model_fields)}, as in grpo.jsonl of `demur release export --to training`"
        )
    return GradedText(behaviour, prompt, completion, grounding=grounding)


# Rewards as a Python function for trainers, graded in this process through any lane.


PATTERNS = "rules:grader/patterns"
"""A grader without a network, a key or an extra."""


class TrainerReward:
    """A function of the shape of TRL's GRPOTrainer: `reward(prompts, completions, **columns) -> list[float | None]`.

    A completion without a text, or that could not be graded, has the reward None, which TRL leaves out.

    A batch is graded in a separate thread with its own event loop, so any thread can call the function.
    """

    def __init__(self, reward: FittedReward, by: GradingModel, behaviour: str | None, most_usd: float | None) -> None:
        self._by = by
        self._thread = GradingThread(reward, by, most_usd)
        self._rewards = reward_function(reward, self._graded, behaviour)
        self.__name__ = self._rewards.__name__

    def __call__(self, prompts: list[Any], completions: list[Any], **columns: Any) -> list[float | None]:
        """Return the rewards of a batch.

        Raises:
            ProgramError: no completion could be graded.
            RewardError: no behaviour or grounding is given, or the arguments have different lengths.
        """
        return self._rewards(prompts, completions, **columns)

    def close(self) -> None:
        """Close the model's lane and end the thread."""
        self._thread.close()

    def _graded(self, batch: list[dict[str, Any]]) -> list[dict[str, float] | None]:
        try:
            grounds = [_GROUNDING.validate_python(row.get("grounding")) for row in batch]
        except ValidationError as exc:
            raise RewardError(f"grounding: {first_fault(exc)}") from exc
        subjects = [
            graded_text(self._by, row["behaviour"], row["prompt"], row["completion"], grounding)
            for row, grounding in zip(batch, grounds, strict=True)
        ]
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
