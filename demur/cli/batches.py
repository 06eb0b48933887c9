"""`demur batches`: listing and cancelling batches of requests at providers."""

from typing import Annotated

import typer

from demur.cli.printing import echo, echo_rows
from demur.warehouse.formats import Format

app = typer.Typer(help="List and cancel batches that rounds have sent to providers.", no_args_is_help=True)


@app.command("list", epilog="Example: demur batches list --open")
def list_batches(
    only_open: Annotated[bool, typer.Option("--open", help="Only batches without results yet.")] = False,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """List batches, newest first, with the last state that the round saw. CSV and JSON have all columns."""
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.batches import COLUMNS, SHORT_COLUMNS, cells, known_batches, short_cells

    batches = known_batches(demur_home(), only_open=only_open)
    columns, row_of = (SHORT_COLUMNS, short_cells) if output is Format.TABLE else (COLUMNS, cells)
    echo_rows(output, columns, list(map(row_of, batches)))


@app.command("cancel", epilog="Example: demur batches cancel demur-4f0c2a")
def cancel_batch(
    batch: Annotated[str, typer.Argument(help="Id of the batch, ours or the provider's, from `demur batches list`.")],
) -> None:
    """Ask the provider to stop a batch. Finished requests are paid for, and the round collects their replies."""
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.batches import cancel

    echo(cancel(demur_home(), batch))
