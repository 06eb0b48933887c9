"""Sessions of evaluations. A session checks the request, holds the evaluation's lock, and publishes the results."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from demur.configuration.settings import demur_home
from demur.engine.context import RoundContext
from demur.engine.following import make_loader
from demur.engine.progress import observer
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.flows.evaluations.addresses import verified_release
from demur.flows.evaluations.request import EvaluationRequest, evaluation_context, recorded_config
from demur.flows.rounds.request import check_usd
from demur.flows.rounds.session import check_models, check_places, finished_session, round_row
from demur.flows.stages.unpack.sample import asked_items, sample_in_words

if TYPE_CHECKING:
    from demur.flows.planning.round_plan import RoundPlan


def check_evaluation(request: EvaluationRequest) -> RoundContext:
    """Check an evaluation before its start, and return its context.

    Raises:
        ConfigError: a model, the configuration or a key is wrong or missing, or the release cannot be fetched.
        WarehouseError: the release is missing or altered, or the home cannot be written.
    """
    home = demur_home()
    check_places(home)
    if request.replicates is not None and not 1 <= request.replicates <= 100:
        raise ConfigError(f"replicates {request.replicates} must be from 1 to 100")
    if request.max_usd is not None:
        check_usd(request.max_usd)
    context = evaluation_context(home, request, verified_release(home, request.release))
    check_models(context)
    shared_state(home).check_answers()
    make_loader(context)
    return context


def planned_evaluation(request: EvaluationRequest) -> "RoundPlan":
    """Return the plan of an evaluation that would start now. No model is asked and no key is needed.

    Raises:
        ConfigError, WarehouseError: the evaluation could not start.
    """
    home = demur_home()
    context = evaluation_context(home, request, verified_release(home, request.release))
    from demur.flows.planning.round_plan import plan_of  # takes seconds; refusals come before

    return plan_of(context)


@contextmanager
def evaluation_session(request: EvaluationRequest) -> Iterator[RoundContext]:
    """Check an evaluation, hold its lock during the `with` block, and yield its context.

    If the block raises no error, the evaluation is marked as finished and its results are published.

    Raises:
        ConfigError, WarehouseError: as `check_evaluation`.
        RoundBusyError: another process works on the evaluation.
    """
    context = check_evaluation(request)
    assert context.release is not None
    items = asked_items(context)
    if not items:
        raise ConfigError(f"{context.release.path}: has no items, so there is nothing to answer")
    from demur.reports.content.evaluations import evaluation_rows  # imports DSPy

    rows = list(evaluation_rows(context, context.release, request.occasion, sample_in_words(context)))
    for note in context.notes:
        observer().notice(note)
    bases = len({item.base_id for item in items})
    row = round_row(context, items[0].layout, bases, recorded_config(context, request.occasion))
    with finished_session(context, row, rows):
        yield context
