"""Options that several commands share."""

from typing import Annotated

import typer

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
