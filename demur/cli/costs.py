"""`demur costs`: what a round cost, by stage, model, stratum and item, and against its estimate."""

from enum import StrEnum
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.printing import echo, echo_rows, terminal_width
from demur.warehouse.formats import Format, as_table

EXAMPLES: Final = """
[bold]Examples[/bold]

demur costs                                      the newest round run here: everything

demur costs weekly-20261120T030000 --by model

demur costs frontier --by estimate --format csv > estimate.csv

[bold]Words[/bold]  cost_usd is known from prices and counted tokens. unsure_usd may have been billed: requests whose
answers never came, at what such requests cost. counted_usd is both; caps hold it.
"""


WIDEST: Final = 100
"""Places of a line where there is no terminal."""


class Breakdown(StrEnum):
    """A breakdown of costs."""

    ALL = "all"
    TOTAL = "total"
    STAGE = "stage"
    MODEL = "model"
    STRATUM = "stratum"
    ITEM = "item"
    ESTIMATE = "estimate"


_TITLES: Final = {
    Breakdown.TOTAL: "Total",
    Breakdown.STAGE: "By stage",
    Breakdown.MODEL: "By model",
    Breakdown.STRATUM: "By stratum",
    Breakdown.ITEM: "Per accepted perturbation and item",
    Breakdown.ESTIMATE: "Estimate against actual",
}


def run(
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROUND]", help="A round; the newest that was run here by default.", autocompletion=complete_round
        ),
    ] = None,
    by: Annotated[Breakdown, typer.Option("--by", help="Which breakdown.")] = Breakdown.ALL,
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """Show what a round cost: by stage, model and stratum, per accepted item, and against the estimate of its start."""
    import json

    from demur.configuration.settings import demur_home
    from demur.reports.content.costs import breakdowns, estimate_overview

    kinds = tuple(_TITLES) if by is Breakdown.ALL else (by,)
    if by is Breakdown.ALL and output is Format.CSV:
        raise typer.BadParameter("csv holds one table; say which with --by", param_hint="--format")
    found = breakdowns(demur_home(), round_id, [kind.value for kind in kinds])
    if by is Breakdown.ALL and output is Format.JSON:
        echo(
            json.dumps({"round_id": found.round_id, **{name: table.objects() for name, table in found.tables.items()}})
        )
        return
    for kind in kinds:
        table = found.tables[kind.value]
        if by is Breakdown.ALL:
            if not table.rows and kind is not Breakdown.TOTAL:
                continue
            echo(f"\n{_TITLES[kind]} ({found.round_id})" if kind is Breakdown.TOTAL else f"\n{_TITLES[kind]}")
        if output is not Format.TABLE:
            echo_rows(output, table.columns, table.rows)
        elif kind is Breakdown.ESTIMATE:
            table = estimate_overview(table)
            echo(as_table(table.columns, table.rows, terminal_width() or WIDEST))
            echo("\nactual / estimated; other formats have units and unrounded figures, too")
        else:
            echo(as_table(table.columns, table.rows, terminal_width() or WIDEST))
