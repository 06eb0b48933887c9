"""`demur costs`: the cost of a round by stage, model, stratum and item, beside its estimate."""

from enum import StrEnum
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.printing import echo, echo_table, objects_of
from demur.warehouse.formats import Format

EXAMPLES: Final = """
[bold]Examples[/bold]

demur costs                                      the newest round run here: everything

demur costs weekly-20261120T030000 --by model

demur costs frontier --by estimate --format csv > estimate.csv

[bold]Words[/bold]  cost_usd is computed from prices and counted tokens. unsure_usd is the cost of requests without an
answer, which may have been billed. counted_usd is their sum, and caps limit it.
"""


class Breakdown(StrEnum):
    """A breakdown of costs."""

    ALL = "all"
    TOTAL = "total"
    STAGE = "stage"
    MODEL = "model"
    STRATUM = "stratum"
    ITEM = "item"
    JUDGING = "judging"
    ESTIMATE = "estimate"


_TABLES: Final = {
    Breakdown.TOTAL: "costs_total",
    Breakdown.STAGE: "costs_by_stage",
    Breakdown.MODEL: "costs_by_model",
    Breakdown.STRATUM: "costs_by_stratum",
    Breakdown.ITEM: "costs_per_item",
    Breakdown.JUDGING: "costs_of_judging",
    Breakdown.ESTIMATE: "costs_estimate",
}
"""The named table of each breakdown."""


def run(
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROUND]", help="A round. Default: the newest round of this home.", autocompletion=complete_round
        ),
    ] = None,
    by: Annotated[Breakdown, typer.Option("--by", help="Breakdown to show.")] = Breakdown.ALL,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Show the cost of a round by stage, model, stratum and accepted item, and compare it with the first estimate."""
    import json

    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.reports.tables.renderers import facts_of
    from demur.warehouse.connection import reading
    from demur.warehouse.rounds import chosen_round

    if by is Breakdown.ALL and output is Format.CSV:
        raise typer.BadParameter("CSV holds one table; choose it with --by", param_hint="--format")
    kinds = tuple(_TABLES) if by is Breakdown.ALL else (by,)
    with reading(demur_home()) as con:
        chosen = chosen_round(con, round_id)
        found = {kind: named_table(_TABLES[kind]).read(con, round=chosen) for kind in kinds}
    if by is not Breakdown.ALL:
        echo_table(output, found[by])
        return
    if output is Format.JSON:
        echo(json.dumps({"round_id": chosen, **{kind.value: objects_of(table) for kind, table in found.items()}}))
        return
    for kind, table in found.items():
        if kind is Breakdown.TOTAL:
            echo(f"\n{table.title} ({chosen})")
        elif table.rows:
            echo(f"\n{table.title}")
        else:
            continue
        if kind is Breakdown.TOTAL and output is Format.TABLE:
            echo(facts_of(table))
        else:
            echo_table(output, table)
