"""The session in which a process works on an evaluation."""

from collections.abc import Iterator
from contextlib import contextmanager

from demur.configuration.labels import judgings, labelled_judges, labelled_respondents
from demur.configuration.settings import check_takes_files, check_writable, demur_home, started_by, temporary_api_home
from demur.engine.context import RoundContext, loader_writing
from demur.engine.following import follow, publish_home
from demur.engine.progress import observer
from demur.engine.progress_state import progress_written
from demur.engine.round_lock import round_lock
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.flows.evaluations.addresses import verified_release
from demur.flows.evaluations.request import EvaluationRequest, evaluation_context, recorded_config
from demur.flows.planning.round_plan import RoundPlan, plan_of
from demur.flows.rounds.session import check_models
from demur.flows.stages.unpack.items import released_items
from demur.reports.content.evaluations import evaluation_rows
from demur.warehouse.archive import keep_rows
from demur.warehouse.evaluations import record_evaluations
from demur.warehouse.rounds import RoundRow, finish_round, open_round
from demur.warehouse.tables import Table


def check_evaluation(request: EvaluationRequest) -> RoundContext:
    """Return the context of an evaluation after all checks before its start.

    Raises:
        ConfigError: a model, the configuration or a key is wrong or missing, or the release cannot be fetched.
        WarehouseError: no such release, an altered release, or a home that cannot be written.
    """
    home = demur_home()
    check_takes_files(home)
    follow(home)
    if (prefect_home := temporary_api_home()) is not None:
        check_writable(prefect_home)
    if request.replicates is not None and not 1 <= request.replicates <= 100:
        raise ConfigError(f"replicates {request.replicates} must be from 1 to 100")
    if request.max_usd is not None and not 0 <= request.max_usd < float("inf"):
        raise ConfigError(f"max-usd {request.max_usd} must be an amount of US dollars, 0 or more")
    context = evaluation_context(home, request, verified_release(home, request.release))
    check_models(context)
    shared_state(home).check_answers()
    with loader_writing(context):
        pass  # a first look at a new home makes it
    return context


def planned_evaluation(request: EvaluationRequest) -> RoundPlan:
    """Return the plan of an evaluation that would start now; nothing is asked and no key is needed.

    Raises:
        ConfigError, WarehouseError: it could not start.
    """
    home = demur_home()
    return plan_of(evaluation_context(home, request, verified_release(home, request.release)))


@contextmanager
def evaluation_session(request: EvaluationRequest) -> Iterator[RoundContext]:
    """Yield the context of a checked evaluation, written down as open, and keep other processes off it.

    When the block ends without an error, the evaluation is finished and published.

    Raises:
        ConfigError, WarehouseError: as `check_evaluation`.
        RoundBusyError: another process works on it.
    """
    context = check_evaluation(request)
    assert context.release is not None
    rows = list(evaluation_rows(context, context.release, request.occasion))
    for note in context.notes:
        observer().notice(note)
    with round_lock(context.home, context.round_id):
        with loader_writing(context) as con:
            open_round(con, _row(context, request.occasion))
            record_evaluations(con, context.round_id, rows, scored=False)
            keep_rows(con, context.home, context.round_id, Table.ROUNDS, Table.EVALUATIONS)
        with progress_written(context.home, context.round_id, context.config.budget.max_usd):
            yield context
        with loader_writing(context) as con:
            record_evaluations(con, context.round_id, rows, scored=True)
            finish_round(con, context.round_id)
            keep_rows(con, context.home, context.round_id, Table.ROUNDS, Table.EVALUATIONS)
        publish_home(context.home)


def _row(context: RoundContext, occasion: str | None) -> RoundRow:
    config = context.config
    assert context.release is not None
    items = list(released_items(context.release))
    if not items:
        raise ConfigError(f"{context.release.path}: holds no items, so that there is nothing to answer")
    return RoundRow(
        round_id=context.round_id,
        name=context.release.label,
        seed=context.seed,
        layout=items[0].layout.value,
        bases_wanted=len({item.base_id for item in items}),
        respondents=tuple(labelled_respondents(config)),
        judges=tuple(labelled_judges(config)),
        judgings=tuple({"respondent": one.respondent, "judge": one.judge} for one in judgings(config)),
        config=recorded_config(context, occasion),
        config_digest=config.digest,
        started_by=started_by(),
    )
