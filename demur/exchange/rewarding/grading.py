"""On-demand graders of completions: by rule, or by a model in a round."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.configuration.settings import demur_home
from demur.engine.context import RoundContext, digest_of, loader_writing
from demur.engine.following import publish_home
from demur.engine.online import OnlineStage, open_online
from demur.engine.round_lock import round_lock
from demur.errors import RoundBusyError
from demur.flows.rounds.asking import asking_context, asking_row, check_asking
from demur.flows.stages.grade.stage import GRADE, GradingUnits
from demur.lanes.spec import Mode
from demur.programs.errors import Halted, ProgramError
from demur.rewards.graders import ROLE, CompletionGrader, GradedText, Grades, GradingModel, open_rules
from demur.warehouse.rounds import finish_round, open_round

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
        inputs = {
            "behaviour": subject.behaviour,
            "subject_kind": "completion",
            "subject_id": digest_of("completion", subject.behaviour, subject.prompt, subject.completion),
            "prompt": subject.prompt,
            "completion": subject.completion,
            "grounding": None,
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
