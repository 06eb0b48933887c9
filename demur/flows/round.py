"""The flows that people run: a whole round, or one of its parts alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from inspect import signature
from typing import Any, Final

from prefect import Flow, flow
from prefect.runtime import flow_run

from demur.engine.context import RoundContext
from demur.engine.progress_artifact import root_run_known
from demur.engine.task_engine import open_engine
from demur.flows.evaluation import documented, evaluate_static
from demur.flows.orchestration.notifications import RoundEvent, emit
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import round_session
from demur.flows.stages.registry import PARTS, STAGES, RoundPart

_open: ContextVar[RoundContext | None] = ContextVar("_open", default=None)


def _run_name() -> str:
    """Return the name of a flow run: its round and its part."""
    return f"{RoundRequest(**flow_run.parameters).label}/{flow_run.flow_name}"


@contextmanager
def _begun(request: RoundRequest) -> Iterator[RoundContext]:
    """Open a round, record what it is estimated to take, and write the Data Docs of its gates when the flow ends.

    A flow inside the flow of the same round works in the session that is open already.
    """
    context = _open.get()
    if context is not None and context.round_id == request.round_id:
        yield context
        return
    with round_session(request) as context, documented(context, STAGES, probe=request.probe):
        token = _open.set(context)
        try:
            with root_run_known(), open_engine(context):
                yield context
        finally:
            _open.reset(token)


def _flow(name: str, description: str, work: Callable[[RoundRequest, RoundContext], Any]) -> Flow[..., Any]:
    """Return a flow; its parameters are the fields of a RoundRequest."""

    def run(**fields: Any) -> Any:
        request = RoundRequest(**fields)
        with _begun(request) as context:
            return work(request, context)

    run.__name__ = name
    run.__signature__ = signature(RoundRequest)  # type: ignore[attr-defined]
    return flow(
        name=name, description=description, flow_run_name=_run_name, validate_parameters=True, persist_result=False
    )(run)


def _part_flow(part: RoundPart) -> Flow[..., Any]:
    return _flow(part.name, part.description, lambda _, context: part.run(context))


FLOWS: Final = {part.name: _part_flow(part) for part in PARTS}
"""The flow of each part of a round, in their order; this module has them by their names too."""


def __getattr__(name: str) -> Flow[..., Any]:
    """Return the flow of a part, which deployments name as `demur.flows.round.<part>`."""
    if name in FLOWS:
        return FLOWS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _run_parts(request: RoundRequest, context: RoundContext) -> str:
    fields = asdict(replace(request, round_id=context.round_id))
    results = [part(**fields) for part in FLOWS.values()]
    if context.config.static_release is not None and request.replay is None:  # a repeated round asks nobody
        evaluate_static(context, request.config)
    emit(RoundEvent.ENDED, context.round_id, f"Released {results[-1]}")
    return str(results[-1])


round_flow: Final = _flow(
    "round", "Run a whole round, or what is left of it; return its release's name and version.", _run_parts
)
