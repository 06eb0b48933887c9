"""`demur warehouse`: rebuilding the warehouse."""

from typing import Final

import typer

from demur.cli.printing import echo
from demur.reports.text import counted

app: Final = typer.Typer(help="Rebuild the warehouse.", no_args_is_help=True)


@app.command("rebuild", epilog="Example: demur warehouse rebuild")
def rebuild_warehouse() -> None:
    """Rebuild a lost or damaged warehouse, or one of another version, with its rows, and publish it.

    Rows of a lost or damaged warehouse come from the published copy. No model is asked. Running rounds wait until the
    end.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.following import publish_home
    from demur.engine.rebuilding import rebuild_home
    from demur.engine.state.shared import shared_state

    home = demur_home()
    shared_state(home).check_answers()  # a home that is too old is refused before any file is changed
    made = rebuild_home(home)
    publish_home(home)
    echo(
        f"Rebuilt    {home.loader}: {counted(made.rows['rounds'], 'round')}, {counted(sum(made.rows.values()), 'row')}"
    )
    if made.from_published:
        echo("Published  the rows come from the published copy; the next run of a round makes younger rows again")
    if made.kept is not None:
        echo(f"Kept       {made.kept}: the replaced file; delete it when you like")
