"""Options that several commands share."""

import math
from typing import Annotated

import typer


def finite(value: float | None) -> float | None:
    """Return the value of an option, refused where it is infinite or no number."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


Config = Annotated[str, typer.Argument(help="Round configuration: a YAML file, or the name of one of ours.")]
Corpus = Annotated[
    str | None,
    typer.Option(help="Questions (JSONL) in place of the configured corpus: FILE, or FORMAT:FILE (garage:x.jsonl)."),
]
MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", help="The most that the round may cost (US dollars), in place of budget.max_usd.", min=0),
]
Bases = Annotated[int | None, typer.Option(help="Number of base instances in place of the configured one.")]
