"""Options that several commands share."""

import math
from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from demur.cli.completion import complete_config
from demur.cli.printing import echo
from demur.corpora.faults import AnswersBy, OnBadRow
from demur.levers.durable import replace_durably


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
Mapping = Annotated[
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
