"""`demur warehouse`: the loader's file, made again from landed shards."""

from typing import Final

import typer

from demur.cli.printing import echo

app: Final = typer.Typer(help="Make the warehouse again from what landed.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `rebuild` a command of a group, which has no other yet."""


@app.command("rebuild", epilog="Example: demur warehouse rebuild")
def rebuild_warehouse() -> None:
    """Make the loader's file again from the landed shards, and publish it, after the file is lost or damaged.

    Nothing is asked or bought. Running rounds wait meanwhile.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.context import LOADER_WAIT_SECONDS
    from demur.engine.following import publish_home
    from demur.engine.progress import observer
    from demur.warehouse.rebuild import rebuild

    home = demur_home()
    made = rebuild(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
    publish_home(home)
    echo(f"Rebuilt    {home.loader}: {len(made.rounds)} rounds, {sum(made.rows.values()):,} rows")
    if made.from_published:
        echo(f"Published  rounds of which only the published copy was left: {', '.join(made.from_published)}")
    if made.kept is not None:
        echo(f"Kept       {made.kept}: the file in whose place it stands; delete it when you like")
    for damaged in made.damaged:
        echo(f"Damaged    {damaged}; what it held is worked on again by the next run of its round")
