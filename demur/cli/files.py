"""Grading and judging of the lines of a file. Language models work in a round. Fixed rules work at once."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from demur.engine.context import RoundContext
    from demur.flows.files.request import FileRequest
    from demur.rewards.graders import GradedText, Grades, GradingModel


def run_on_file(request: "FileRequest") -> "RoundContext":
    """Grade or judge the lines of a file in a round, and return the round's context.

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


def grades_of(
    kind: str,
    path: "Path",
    model: str,
    by: "GradingModel",
    subjects: "Mapping[int, GradedText]",
    max_usd: float | None,
) -> "Mapping[int, Grades | str]":
    """Grade the lines of a file. Return grades by line number, or the reason why a line has no grades.

    Raises:
        FlowError: the file or the model cannot be used, or a cap stopped the round.
    """
    if by.spec.lane.by_rule:
        from demur.rewards.graders import graded_by_rule

        found = graded_by_rule(by, list(subjects.values()))
        said = [" ".join(str(one).split()) if isinstance(one, Exception) else one for one in found]
        return dict(zip(subjects, said, strict=True))
    from demur.configuration.settings import silence_prefect_log

    silence_prefect_log()  # the next import imports Prefect, which reads its settings then
    from demur.flows.files.request import FileRequest

    context = run_on_file(FileRequest(kind, str(path), model, by.named, by.grading, max_usd))
    from demur.flows.files.results import grades_by_line

    return grades_by_line(context)
