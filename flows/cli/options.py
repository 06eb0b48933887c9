"""Options that several commands share."""

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from demur.flows.cli.completion import complete_config


class Output(StrEnum):
    """The format of a result that is more than rows."""

    TABLE = "table"
    JSON = "json"


def finite(value: float | None) -> float | None:
    """Return the value of an option, refused where it is infinite or no number."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def write_out(path: Path, text: str) -> None:
    """Write a result to the file of --out.

    Raises:
        FlowError: it cannot be written.
    """
    from demur.flows.errors import FlowError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise FlowError(f"--out {path}: cannot be written ({exc.strerror}). Name a file in an existing folder") from exc


Config = Annotated[
    str,
    typer.Argument(
        help="Round configuration: a YAML file, or the name of one of ours.", autocompletion=complete_config
    ),
]
Corpus = Annotated[
    str | None,
    typer.Option(help="Questions (JSONL) in place of the configured corpus: FILE, or FORMAT:FILE (garage:x.jsonl)."),
]
MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", help="The most that the round may cost (US dollars), in place of budget.max_usd.", min=0),
]
Bases = Annotated[int | None, typer.Option(help="Number of base instances in place of the configured one.")]
Printed = Annotated[Output, typer.Option("--format", help="What is printed: for people, or JSON for programs.")]
