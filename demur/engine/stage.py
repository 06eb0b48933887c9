"""The stage engine: the steps of every stage of a round, with its progress in Prefect's interface."""

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast
from uuid import UUID

from prefect.artifacts import ProgressArtifact, update_progress_artifact
from prefect.client.schemas.objects import Artifact
from prefect.runtime import flow_run

from demur.engine.budget import cap_message, remaining_usd, reset_budget
from demur.engine.context import RoundContext, loader_reading, loader_writing
from demur.engine.loading import StageLoader, enforce_gate, publish_home
from demur.engine.logs import observer
from demur.engine.models import ModelUse, preflight_models
from demur.engine.progress_events import Quoting, phrases
from demur.engine.shard import LeavingOut, ShardReport
from demur.engine.state.shared import shared_state
from demur.engine.tasks import (
    ShardTask,
    UnitsToDo,
    end_earlier_runs,
    is_outside_prefect,
    is_remote,
    shard_reports,
    workers,
)
from demur.engine.units import OpenWork, Plan
from demur.errors import CapReachedError, StageStopped
from demur.lanes.spec import Mode, ModelSpec
from demur.lanes.throttle.shared import reset_breakers
from demur.programs.errors import ErrorKind
from demur.warehouse.connection import close_kept
from demur.warehouse.gates import StageGate
from demur.warehouse.plans import PendingUnits, PlanWriter, counts, pending, register_plan
from demur.warehouse.round_rows import spent
from demur.warehouse.tables import Table

# The progress of a round in Prefect's interface: one artifact of the root flow run.
#
# The artifact's key is derived from the configuration, so the history of a key covers all rounds of a configuration.


@dataclass(frozen=True, slots=True)
class StageProgress:
    """The progress artifact of one stage, whose value is the share of ended units."""

    artifact: UUID
    stage: str
    units: int

    def ended(self, units: int) -> None:
        """Update the artifact with the number of ended units."""
        text = "; ".join([f"{self.stage}: {units} of {self.units} units", *phrases(observer().left)])
        update_progress_artifact(self.artifact, 100.0 * units / self.units, text)


@contextmanager
def stage_progress(context: RoundContext, stage: str, units: int, landed: int) -> Iterator[StageProgress]:
    """Yield the progress artifact of a stage."""
    progress = StageProgress(progress_artifact(context.config.name, root_run()), stage, units)
    progress.ended(landed)
    yield progress


def artifact_key(*words: str) -> str:
    """Return a valid key of an artifact: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


def root_run() -> UUID | None:
    """Return the id of the root flow run; None outside flows."""
    return _root_of(flow_run.id)


@cache
def _root_of(run: str | None) -> UUID | None:
    """Return the root of a flow run. Prefect's API is asked once for each run."""
    root = None if run is None else flow_run.root_flow_run_id
    return UUID(root) if root else None


@cache
def progress_artifact(configuration: str, run: UUID | None) -> UUID:
    """Return the id of a run's progress artifact. The first call creates the artifact."""
    artifact = ProgressArtifact(key=artifact_key(configuration, "progress"), progress=0.0, flow_run_id=run)
    return cast("Artifact", artifact.create()).id


# The stage engine: the steps of every stage of a round.
#
# Each stage has five steps:
#
# - **Plan**: the stage's units are planned. One SQL anti-join finds the pending units, which have not landed yet.
# - **Shard**: a few hundred pending units are worked on in one Prefect task. Their calls run concurrently in asyncio.
# - **Load**: the flow's process inserts the validated rows of each shard, and stored calls, into DuckDB.
# - **Gate**: the stage's rows are checked against expectations. A failed integrity gate stops the round.
# - **Publish**: the warehouse is copied for readers.
#
# A process can die at any point. Every answer that was used is stored for ever, so the next run asks only for
# missing answers.


UNITS_FOR_A_REQUEST = 2
"""Units in work for each allowed concurrent request: while one unit waits for its answer, the next is prepared."""
MOST_CONCURRENT_UNITS = 1024
MOST_REASONS = 3
"""Most reasons of failures in the message of a stopped stage."""


def _once(context: RoundContext) -> int:
    return 1


def _no_parties(context: RoundContext) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its plan, the work on a unit, and the tables of its rows.

    Attributes:
        name: The name of the stage. Its folder and its caps have the same name.
        table: The main table of the stage's rows. Some rows may land in other tables.
        folder: The folder of its SQL files; `gate.sql` has the expectations of its gate.
        plan: Yields the units of the stage.
        open_work: Opens models and programs, and yields the function that works on a unit.
        use: The models that the stage asks; None if it asks none.
        passes: The number of passes. Each pass is planned with the results of the previous pass.
        own_round: False if the stage's rows can belong to other rounds.
        parties: The labels of models that fail on their own, each with the same number of units: a model with too many
            failed units is left out, and the others go on. Empty if too many failed units stop the stage.
    """

    name: str
    table: str
    folder: Path
    plan: Plan
    open_work: OpenWork
    use: ModelUse | None = None
    passes: Callable[[RoundContext], int] = _once
    own_round: bool = True
    parties: Callable[[RoundContext], tuple[str, ...]] = _no_parties

    @property
    def gate(self) -> StageGate:
        """The gate that checks the stage's rows."""
        return StageGate(self.name, Table(self.table), self.folder / "gate.sql", self.own_round)

    def shard_size(self, context: RoundContext) -> int:
        """Return the largest number of units in a shard. Stages with a model in batch mode use `batch_shard_size`."""
        return context.config.batch_shard_size if self._batches(context) else context.config.shard_size

    def concurrency(self, context: RoundContext) -> int:
        """Return how many units run concurrently: enough for all requests that the models' limits allow.

        If a model works in batch mode, all units of a shard run concurrently, so that one batch has all their requests.
        The limits of the other models still apply.
        """
        if self._batches(context):
            return self.shard_size(context)
        limits = [spec.limits.concurrency for spec in self._specs(context)]
        return min(MOST_CONCURRENT_UNITS, UNITS_FOR_A_REQUEST * sum(limits)) if limits else 1

    def least_concurrency(self, context: RoundContext) -> int:
        """Return the fewest concurrent requests that a model of the stage allows."""
        limits = [spec.limits.concurrency for spec in self._specs(context) if spec.lane.limited]
        return min(limits, default=MOST_CONCURRENT_UNITS)

    def failure_rate(self, context: RoundContext) -> float:
        """Return the allowed share of failed units.

        For systems, this share is 1, since a system's failures are results.
        """
        asks_systems = any(spec.lane.system for spec in self._specs(context))
        return 1.0 if asks_systems else context.config.gates.failure_rate

    def _batches(self, context: RoundContext) -> bool:
        return any(spec.mode is Mode.BATCH for spec in self._specs(context))

    def _specs(self, context: RoundContext) -> tuple[ModelSpec, ...]:
        return () if self.use is None else context.specs(self.use.models(context))


@dataclass(frozen=True, slots=True)
class StageReport:
    """The result of a stage: numbers of planned units, of units with rows, and of failed units."""

    stage: str
    planned: int
    landed: int
    failed: int


def run_stage(context: RoundContext, stage: Stage) -> StageReport:
    """Work on the pending units of a stage inside a Prefect flow, and check its gate.

    Raises:
        StageStopped: too many units failed, an integrity gate failed, or no further request is possible now. The next
            run resumes the stage.
        ModelsDoNotAnswerError: models of the round do not answer the preflight; no unit was worked on.
        CapReachedError: the budget is spent. With a higher cap, the next run resumes the stage.
        UnitsToDo: the stage runs outside Prefect, and has pending units.
    """
    for _ in range(stage.passes(context) - 1):
        _run_pass(context, stage, gate=False)
    return _run_pass(context, stage, gate=True)


def _run_pass(context: RoundContext, stage: Stage, *, gate: bool) -> StageReport:
    observer().entered(stage.name, "loading")
    end_earlier_runs(context)
    loader = StageLoader(context, stage.name)
    loader.load()
    units, planned, landed = _prepare(context, stage)
    if len(units) and is_outside_prefect():
        raise UnitsToDo
    if units.answered:
        observer().notice(
            f"{stage.name}: answers to {units.answered:,} of these units are kept and not requested again"
        )
    observer().started(stage.name, planned, landed)
    failed = _buy(context, stage, loader, units, planned, landed) if len(units) else 0
    shared_state(context.home).batches(context.round_id, stage.name).tidy()
    if gate:
        landed = _pass_gate(context, stage, changed=len(units) > 0)
    observer().ended(stage.name, failed)
    _return_memory()
    return StageReport(stage.name, planned, landed, failed)


def _return_memory() -> None:
    """Return the freed memory of DuckDB and glibc to the operating system."""
    close_kept()
    if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)


def _buy(
    context: RoundContext, stage: Stage, loader: StageLoader, units: PendingUnits, planned: int, landed: int
) -> int:
    """Work on all pending units and load the results; return the number of failed units."""
    preflight_models(context)
    reset_breakers()
    try:
        failed = _work_within_caps(context, stage, loader, units, planned, landed)
    except StageStopped as exc:
        loader.load()  # results and failures can then be read
        publish_home(context.home)
        if isinstance(exc, CapReachedError):
            raise CapReachedError(cap_message(context, stage.name, stage.table), exc.lacking_usd) from exc
        raise
    observer().entered(stage.name, "loading")
    loader.load()
    return failed


def _work_within_caps(
    context: RoundContext, stage: Stage, loader: StageLoader, units: PendingUnits, planned: int, landed: int
) -> int:
    """Work on all pending units within the caps; return the number of failed units.

    After a cap has stopped the work, more money may be available: requests of other shards have ended, and the
    estimated costs of requests without an answer become lower when the costs of similar requests are known. If the
    money then suffices for another request, the remaining units are worked on.
    """
    while True:
        reset_budget(context, stage.name)
        before = landed, remaining_usd(context, stage.name)
        try:
            return _work_on(context, stage, loader, units, planned, landed)
        except CapReachedError as exc:
            loader.load()
            units, planned, landed = _prepare(context, stage)
            left = remaining_usd(context, stage.name)
            if left < exc.lacking_usd or (landed, left) == before:
                raise


def _work_on(
    context: RoundContext, stage: Stage, loader: StageLoader, units: PendingUnits, planned: int, landed: int
) -> int:
    """Work on all pending units and load each shard as it ends; return the number of failed units.

    If the rules lane declines a unit because of the unit's language, the unit fails. Such failures are not compared
    with gates.failure_rate.
    """
    parties = stage.parties(context)
    most_failed = stage.failure_rate(context) * planned / max(1, len(parties))
    failed_by: Counter[str] = Counter()
    why: dict[str, str] = {}
    left_out: set[str] = set()
    failed = 0
    declined = 0
    reasons: Counter[str] = Counter()
    details: dict[str, str] = {}
    halted: str | None = None
    lacking: list[float] = []
    task, at_once = _shard_task(context, stage, most_failed)
    with (
        stage_progress(context, stage.name, planned, landed) as progress,
        closing(
            shard_reports(context, task, units.orders(), at_once, lambda late: loader.keep(late.rows), left_out)
        ) as reports,
    ):
        for report in reports:
            failed += report.failed
            declined += report.reasons.get(ErrorKind.LANGUAGE, 0)
            reasons.update(report.reasons)
            details.update(report.details)
            landed += report.landed
            loader.ended(report.shard, report.rows)
            if is_remote():
                _show_elsewhere(context, stage, report)
            progress.ended(landed + failed)
            failed_by.update(report.failed_by)
            why = {**report.why, **why}
            for label in failed_by.keys() - left_out:
                if failed_by[label] > most_failed:
                    left_out.add(label)
                    said = _left_out_message(context, stage, label, failed_by[label])
                    observer().notice(Quoting(said, why[label]))
            if len(left_out) == len(parties) and failed - declined > stage.failure_rate(context) * planned:
                raise StageStopped(
                    _failure_message(context, stage, failed, planned, reasons, details),
                    _failure_message(context, stage, failed, planned, reasons, {}),
                )
            halted = halted or report.halted
            if report.lacking_usd is not None:
                lacking.append(report.lacking_usd)
    if lacking:
        raise CapReachedError(f"{stage.name}: {halted}", min(lacking))
    if halted is not None:
        left = planned - landed - failed
        plain = _halted_message(stage, "no further request is possible now", planned, left)
        raise StageStopped(_halted_message(stage, halted, planned, left), plain)
    return failed


def _shard_task(context: RoundContext, stage: Stage, most_failed: float) -> tuple[ShardTask, int]:
    """Return the settings of a stage for workers, and the most shards at a time.

    The limits of models are divided among the processes that can work. If a model allows fewer requests at a time than
    there are processes, only so many shards are worked on.
    """
    key = None if stage.use is None else stage.use.reply_key
    leaving_out = LeavingOut(key.model, most_failed) if key is not None and stage.parties(context) else None
    at_once = context.config.shards_at_once + 1
    least = stage.least_concurrency(context)
    if least < workers():
        at_once = min(at_once, least)
    parts = min(workers(), at_once)
    task = ShardTask(stage.name, stage.open_work, stage.concurrency(context), key, parts=parts, leaving_out=leaving_out)
    return task, at_once


def _show_elsewhere(context: RoundContext, stage: Stage, report: ShardReport) -> None:
    observer().advanced(stage.name, report.landed + report.failed)
    for reason, units in report.reasons.items():
        observer().failed(stage.name, reason, units)
    with loader_reading(context) as con:
        observer().spent(sum(one.counted_usd for one in spent(con, context.round_id).values()))


def _pass_gate(context: RoundContext, stage: Stage, changed: bool) -> int:
    """Check the stage's rows against its gate, and return the number of landed units.

    The warehouse is published if `changed` is True, if the expectations were evaluated, or if the gate stops the round.
    """
    observer().entered(stage.name, "checking")
    try:
        with loader_reading(context) as con:
            landed = counts(con, context.round_id, stage.name, stage.table).landed
        checked = enforce_gate(context, stage.gate, changed=changed)
    except StageStopped:
        publish_home(context.home)
        raise
    if changed or checked:
        observer().entered(stage.name, "publishing")
        publish_home(context.home, midway=True)
    return landed


def _prepare(context: RoundContext, stage: Stage) -> tuple[PendingUnits, int, int]:
    """Write the plan; return the pending units, and the numbers of planned and landed units."""
    observer().entered(stage.name, "planning")
    with PlanWriter(context.home, context.round_id, stage.name) as writer, loader_reading(context) as con:
        for unit in stage.plan(context, con):
            writer.add(unit.unit_id, unit.payload, unit.lever_class, unit.intensity, stamp=unit.stamp)
    with loader_writing(context) as con:
        register_plan(con, writer.plan)
        units = pending(con, writer.plan, stage.table, stage.shard_size(context))
        state = counts(con, context.round_id, stage.name, stage.table)
        observer().spent(sum(one.counted_usd for one in spent(con, context.round_id).values()))
    return units, state.planned, state.landed


def _halted_message(stage: Stage, why: str, planned: int, left: int) -> str:
    end = "" if why.endswith("?") else "."
    return (
        f"{stage.name}: {why}{end} INCOMPLETE, {planned - left} of {planned}: {left} units are left to do; "
        "what was answered is kept, and the same command goes on from here"
    )


def _left_out_message(context: RoundContext, stage: Stage, label: str, failed: int) -> str:
    return (
        f"{stage.name}: {label} is left out, and the others go on: {failed} of its units failed, more than "
        f"gates.failure_rate {context.config.gates.failure_rate:g} allows; the same command asks it again"
    )


def _failure_message(
    context: RoundContext, stage: Stage, failed: int, planned: int, reasons: Counter[str], details: Mapping[str, str]
) -> str:
    why = "; ".join(
        f"{units} {reason}" + (f", e.g. '{details[reason]}'" if reason in details else "")
        for reason, units in reasons.most_common(MOST_REASONS)
    )
    return (
        f"{stage.name}: {failed} of {planned} units failed, more than gates.failure_rate "
        f"{context.config.gates.failure_rate:g} allows: {why}. "
        f"`demur sql \"SELECT reason, detail, count(*) FROM failures WHERE stage = '{stage.name}' GROUP BY ALL\"` "
        "shows all, and the same command tries them again"
    )
