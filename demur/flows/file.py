"""The flow in which a model grades or judges the lines of a file."""

from dataclasses import asdict

from demur.configuration.settings import demur_home
from demur.engine.preflight import skip_preflight
from demur.engine.progress import observer
from demur.flows.files.request import FileRequest, file_context
from demur.flows.requested import requested_flow
from demur.flows.rounds.asking import asking_row
from demur.flows.rounds.session import finished_session
from demur.flows.stages.registry import run_stages, stages_of


def work_on(request: FileRequest) -> str:
    """Run the flow and return the id of the round."""
    return str(work_on_file(**asdict(request)))


@requested_flow(FileRequest)
def work_on_file(request: FileRequest) -> str:
    """Let a model grade or judge the lines of a file, and return the id of the file's round."""
    context = file_context(demur_home(), request)
    with finished_session(context, asking_row(context, "file")):
        skip_preflight(context)
        assert context.file_given is not None
        stages = stages_of(context)
        units = float(len(context.file_given.lines))
        observer().expect({stage.name: 0.0 if stage.use is None else units for stage in stages}, request.max_usd)
        run_stages(context, *stages)
    return context.round_id
