"""`demur record`: recordings of language models' replies, from which rounds run without keys."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.printing import echo_table
from demur.warehouse.formats import Format

EXAMPLES: Final = """
[bold]Examples[/bold]

demur record frontier-20261122T080000 --out replies.jsonl.gz      one round

demur round frontier --replay replies.jsonl.gz                    the round again, without keys

demur record second --with replies.jsonl.gz --out both.jsonl.gz   add the replies of another recording

demur record --with one.jsonl.gz --with two.jsonl.gz --out both.jsonl.gz

demur record trial --out replies.jsonl.gz --answered-by "a model without an API" --note "stand-in"
"""

Rounds = Annotated[
    list[str] | None,
    typer.Argument(help="Rounds of this home; none to merge recordings.", autocompletion=complete_round),
]


def run(
    out: Annotated[Path, typer.Option(help="The recording, compressed JSON lines.", metavar="FILE")],
    rounds: Rounds = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option("--with", help="A recording to add. Can be repeated.", metavar="FILE"),
    ] = None,
    answered_by: Annotated[
        str | None, typer.Option(help="The real source of the replies, if the round's models were stand-ins.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="Note for readers of the recording.")] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Write a recording of rounds: every reply of a language model, with the hash of its request.

    The recording has no API keys, addresses or prompts. The same rounds give the same bytes.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.recorder import record_rounds
    from demur.reports.tables import named_table

    if not rounds and not beside:
        raise typer.BadParameter("name a round that is here, or recordings to merge (--with FILE)")
    written = record_rounds(demur_home(), rounds or (), out, beside=beside or (), answered_by=answered_by, note=note)
    rows = (
        {
            "model": one.name,
            "roles": list(one.roles),
            "asked": list(one.asked),
            "replies": one.replies,
            "first": one.first,
            "last": one.last,
        }
        for one in written.speakers
    )
    echo_table(output, named_table("recording").shown(rows))
