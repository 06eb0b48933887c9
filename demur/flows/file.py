"""The flow in which a model grades or judges the lines of a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from demur.configuration.settings import demur_home
from demur.engine.context import RoundContext, loader_writing
from demur.engine.following import publish_home
from demur.engine.preflight import skip_preflight
from demur.engine.progress import observer
from demur.engine.progress_state import progress_written
from demur.engine.round_lock import round_lock
from demur.flows.files.request import FileRequest, file_context
from demur.flows.requested import requested_flow
from demur.flows.rounds.asking import asking_row
from demur.flows.stages.registry import run_stages, stages_of
from demur.warehouse.archive import keep_rows
from demur.warehouse.rounds import finish_round, open_round
from demur.warehouse.tables import Table


def work_on(request: FileRequest) -> str:
    """Run the flow and return the id of the round."""
    return str(work_on_file(**asdict(request)))


@requested_flow(FileRequest)
def work_on_file(request: FileRequest) -> str:
    """Let a model grade or judge the lines of a file, and return the id of the file's round."""
    with _session(request) as context:
        skip_preflight(context)
        assert context.file_given is not None
        stages = stages_of(context)
        units = float(len(context.file_given.lines))
        observer().expect({stage.name: 0.0 if stage.use is None else units for stage in stages}, request.max_usd)
        run_stages(context, *stages)
    return context.round_id


@contextmanager
def _session(request: FileRequest) -> Iterator[RoundContext]:
    """Yield the context of a file's round, written down as open, and keep other processes off it."""
    context = file_context(demur_home(), request)
    with round_lock(context.home, context.round_id):
        with loader_writing(context) as con:
            open_round(con, asking_row(context, "file"))
            keep_rows(con, context.home, context.round_id, Table.ROUNDS)
        with progress_written(context.home, context.round_id, request.max_usd):
            yield context
        with loader_writing(context) as con:
            finish_round(con, context.round_id)
            keep_rows(con, context.home, context.round_id, Table.ROUNDS)
        publish_home(context.home)
