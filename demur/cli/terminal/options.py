"""Options that several commands share, completion of their values, and messages about rows of files."""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.terminal.printing import echo
from demur.corpora.corpus_rows import AnswersBy, OnBadRow
from demur.levers.durable import replace_durably
from demur.reports.texts import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demur.engine.context import RoundContext
    from demur.exchange.responses.response_file import ResponseFile
    from demur.flows.file import FileRequest
    from demur.rewards.graders import GradedText, Grades, GradingModel


# Shell completion of round configurations, rounds and releases. If an error occurs, no completions are offered.


Complete = Callable[[str], list[str]]


def _quietly(names: Callable[[str], Iterator[str]]) -> Complete:
    """Wrap `names`: keep the names that begin with the typed text. After an error, there are no names."""

    @wraps(names)
    def complete(incomplete: str) -> list[str]:
        try:
            return [name for name in names(incomplete) if name.startswith(incomplete)]
        except Exception:
            return []

    return complete


@_quietly
def complete_config(incomplete: str) -> Iterator[str]:
    """Yield names of our round configurations, and YAML files."""
    from demur.configuration.round_config import SHIPPED

    yield from sorted(path.stem for path in SHIPPED.glob("*.yaml"))
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield f"{path}/"
        elif path.suffix in {".yaml", ".yml"}:
            yield str(path)


@_quietly
def complete_round(incomplete: str) -> Iterator[str]:
    """Yield ids of rounds, the newest first."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.connection import reading
    from demur.warehouse.statements import records

    with reading(demur_home(), wait_seconds=1) as con:
        yield from (str(row["round_id"]) for row in records(con, "rounds_by_age"))


@_quietly
def complete_evaluation(incomplete: str) -> Iterator[str]:
    """Yield ids of evaluations, the newest first."""
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    with reading(demur_home(), wait_seconds=1) as con:
        yield from (str(row["evaluation"]) for row in named_table("evaluations").read(con).records)


@_quietly
def complete_release(incomplete: str) -> Iterator[str]:
    """Yield releases as NAME and as NAME/VERSION."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.releases.manifest import labels

    found = labels(demur_home())
    yield from dict.fromkeys(label.partition("/")[0] for label in found)
    yield from found


# Options that several commands share.


class AskedAgain(StrEnum):
    """Kinds of answered units that `--again` repeats."""

    INVALID = "invalid"


class Output(StrEnum):
    """Output formats for results that have several tables."""

    TABLE = "table"
    JSON = "json"


def finite(value: float | None) -> float | None:
    """Return the value of an option. Raise typer.BadParameter for infinity and NaN."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def write_out(path: Path, data: str | bytes, option: str = "--out") -> None:
    """Write a result to the file `path` atomically. A missing folder is created. Error messages name `option`.

    Raises:
        FlowError: the file cannot be written.
    """
    from demur.errors import FlowError

    content = data.encode() if isinstance(data, str) else data
    target = path.resolve()
    try:
        if target.is_file() or not target.exists():
            replace_durably(target, content)
        else:  # a pipe or a terminal
            target.write_bytes(content)
    except OSError as exc:
        raise FlowError(f"{path}: cannot be written ({exc.strerror}). Name another file with {option}") from exc


def write_lines(lines: Sequence[str], out: Path | None, done: str, *, err: bool = False) -> None:
    """Write lines to a file and print `done`, or print the lines if no file is named."""
    if out is None:
        for line in lines:
            echo(line)
        return
    write_out(out, "".join(f"{line}\n" for line in lines))
    echo(f"{done} written to {out}", err=err)


Config = Annotated[
    str,
    typer.Argument(
        help="Round configuration: a YAML file, or the name of one of ours.", autocompletion=complete_config
    ),
]
Corpus = Annotated[
    str | None,
    typer.Option(
        help="Questions in place of the configured corpus: FILE, or FORMAT:FILE (squad:dev-v2.0.json). Public sets are "
        "recognised; other files are JSONL, a JSON array, or CSV."
    ),
]
FieldMapping = Annotated[
    str | None,
    typer.Option(
        "--map",
        help="Where the rows have our fields: question=query,answers=answer+aliases,context=evidence[].text",
        metavar="FIELD=THEIRS,...",
    ),
]
Answers = Annotated[
    AnswersBy | None,
    typer.Option(
        "--answers",
        help="With proved, the screeners decide whether passages give an answer that they do not state.",
    ),
]
BadRows = Annotated[
    OnBadRow | None,
    typer.Option(
        "--bad-rows", help="Faulty rows of the corpus: end with an error, or leave out and count (public sets: skip)."
    ),
]
Documents = Annotated[
    str | None,
    typer.Option(help="Documents in place of the configured ones: a folder, a file or an address.", metavar="FOLDER"),
]


Questions = Annotated[
    str | None,
    typer.Option(
        help="Questions that people asked about the documents: a text with a question a line, or JSONL.", metavar="FILE"
    ),
]


def corpus_of(corpus: str | None, documents: str | None) -> str | None:
    """Return the corpus that `--corpus` names, or `documents:FOLDER` for `--documents FOLDER`."""
    if documents is None:
        return corpus
    if corpus is not None:
        raise typer.BadParameter("cannot be combined with --corpus: a round has one of them", param_hint="--documents")
    return f"documents:{documents}"


MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", help="Cost limit of the round in US dollars, in place of budget.max_usd.", min=0),
]
Bases = Annotated[int | None, typer.Option(help="Number of base instances in place of the configured one.")]
Again = Annotated[
    AskedAgain | None, typer.Option(help="Ask again for unreadable judgements, after the judge is repaired.")
]
Reported = Annotated[
    list[Path] | None,
    typer.Option(
        "--reference",
        help="Also show the figures of this file, which others reported of the benchmark. Can be repeated.",
        metavar="FILE",
    ),
]
Printed = Annotated[Output, typer.Option("--format", help="Output format: a table, or JSON for programs.")]


AGE = "AGE"
_AGE_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def age(text: str, option: str) -> timedelta:
    """Return the duration of a text such as 36h, 90d or 4w."""
    number, unit = text[:-1], text[-1:]
    if unit not in _AGE_UNITS or not number.isdecimal() or len(number) > 5 or not int(number):
        raise typer.BadParameter(
            f"'{text}' is not a duration: write hours, days or weeks, such as 36h, 90d or 4w", param_hint=option
        )
    return timedelta(**{_AGE_UNITS[unit]: int(number)})


# Grading and judging of the lines of a file. Language models work in a round. Fixed rules work at once.


def run_on_file(request: "FileRequest") -> "RoundContext":
    """Grade or judge the lines of a file in a round, and return the round's context.

    Raises:
        FlowError: the file or the model cannot be used, or a cap stopped the round.
    """
    from demur.cli.terminal.progress_bars import run_with_progress

    def check() -> "RoundContext":
        from demur.configuration.settings import demur_home
        from demur.flows.file import file_context

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
    from demur.flows.file import FileRequest

    context = run_on_file(FileRequest(kind, str(path), model, by.named, by.grading, max_usd))
    from demur.flows.file import grades_by_line

    return grades_by_line(context)


# Messages about malformed rows of response files.


MALFORMED: Final = 1
"""Exit status if rows were left out."""

MOST_LISTED: Final = 1_000
_MOST_NAMED: Final = 10


def report_malformed(found: "ResponseFile", done: str) -> None:
    """Print malformed rows, their number and unread fields. `done` says what was done with the other rows."""
    for problem in found.malformed[:MOST_LISTED]:
        echo(f"{found.path}: {problem}", err=True)
    if len(found.malformed) > MOST_LISTED:
        echo(f"{found.path}: and {len(found.malformed) - MOST_LISTED} more", err=True)
    if found.malformed:
        echo(
            f"demur: {len(found.malformed)} of {counted(found.lines, 'row')} malformed and left out, "
            f"{len(found.rows)} {done}",
            err=True,
        )
    if found.others:
        names = ", ".join(ascii(name)[1:-1] for name, _ in found.others.most_common(_MOST_NAMED))
        more = f" and {len(found.others) - _MOST_NAMED} more" if len(found.others) > _MOST_NAMED else ""
        echo(f"demur: fields not read: {names}{more}", err=True)
