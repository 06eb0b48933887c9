"""`demur plan`: what a round will ask, of whom, and what that can cost, before anything is bought."""

from typing import Annotated, Final

import typer

from flows.cli.options import Bases, Config, Corpus, MaxUsd
from warehouse.formats import Format, render

EXAMPLES: Final = """
[bold]Examples[/bold]

demur plan frontier

demur plan frontier --max-usd 20          how much of a cap the round would take

demur plan embedded --corpus questions.jsonl --format json
"""


def run(
    config: Config,
    corpus: Corpus = None,
    bases: Bases = None,
    max_usd: MaxUsd = None,
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """Show units, calls, tokens and cost per stage and model; nothing is asked and no key is needed.

    Estimates come from rendered prompts and from what earlier rounds' replies and yields were. Ceilings (most_units,
    most_usd) take every candidate as verified, every quota as filled, every reply as long as max_tokens allows.
    """
    from flows.planning import COLUMNS, plan_round

    planned = plan_round(config, corpus, bases, max_usd)
    typer.echo(render(output, COLUMNS, planned.cells()))
    if output is Format.TABLE:
        typer.echo("")
        for line in planned.notes:
            typer.echo(line)
