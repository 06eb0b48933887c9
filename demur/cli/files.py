"""Rounds of files, run by a command with their progress shown."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demur.engine.context import RoundContext
    from demur.flows.files.request import FileRequest


def run_on_file(request: "FileRequest") -> "RoundContext":
    """Return the context of a file's round after a model has graded or judged the lines.

    Raises:
        FlowError: the file or the model cannot be used, or a cap stopped the round.
    """
    from demur.cli.progress_bars import run_with_progress

    def check() -> "RoundContext":
        from demur.configuration.settings import demur_home
        from demur.flows.files.request import file_context

        return file_context(demur_home(), request)

    def run(context: "RoundContext") -> None:
        from demur.flows.file import work_on

        work_on(request)

    return run_with_progress(check, run)
