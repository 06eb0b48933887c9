"""`demur explore`: the results of rounds as pages in a browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.completion import complete_release, complete_round
from demur.cli.printing import echo
from demur.reports.text import counted

if TYPE_CHECKING:
    from demur.reports.explorer.app import Explorer

EXAMPLES: Final = """
[bold]Examples[/bold]

demur explore --open                            all rounds of this home, in the browser

demur explore --round embedded --port 8080      begin with one round

demur explore --host 0.0.0.0                    for other machines; the printed address holds a token

demur explore --host 0.0.0.0 --read-only        the same without marks

demur explore --release copied/embedded/1       the folder of a release, without its warehouse

demur explore --release embedded --export pages   its pages as files, for any web server
"""


def run(
    round_id: Annotated[
        str | None, typer.Option("--round", help="Begin with this round.", autocompletion=complete_round)
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            help="Show this release: NAME, NAME/VERSION, or a copy's folder.", autocompletion=complete_release
        ),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the pages of the round or release into this folder, and exit.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at. Addresses of other machines need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65_535)] = 8766,
    token: Annotated[
        str | None,
        typer.Option(
            help="Token of browsers. Default: DEMUR_EXPLORER_TOKEN, or a random token for other machines.",
            metavar="TOKEN",
        ),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Accept no marks of readers.")] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
) -> None:
    """Browse items, responses, verdicts, levers and calls, also while a round runs.

    The explorer writes nothing except readers' marks. The pages load nothing from the network and send nothing.
    """
    from contextlib import ExitStack

    from demur.configuration.settings import demur_home, explorer_token
    from demur.reports.explorer.app import Explorer
    from demur.reports.explorer.serve import serve

    if round_id is not None and release is not None:
        raise typer.BadParameter("name a round or a release", param_hint="--release")
    with ExitStack() as opened:
        home = demur_home()
        of_release = None
        if release is not None:
            from demur.reports.explorer.release import opened_release  # imports a reader of Parquet

            home, of_release = opened.enter_context(opened_release(home, release))
            round_id = of_release.round_id
        explorer = Explorer(home, round_id, whole=home == demur_home(), read_only=read_only, release=of_release)
        if export is not None:
            _export(explorer, export)
            return
        explorer.check()

        def started(address: str) -> None:
            echo(f"Explorer   {address}")
            echo("Ctrl-C ends it")

        given = token or explorer_token()
        serve(explorer, host=host, port=port, token=given, open_browser=open_browser, started=started)


def _export(explorer: "Explorer", folder: Path) -> None:
    from demur.reports.explorer.export import export_round
    from demur.reports.explorer.results import results_page

    snapshot = explorer.snapshots.current()
    round_id = explorer.only or explorer.newest_round()
    results = results_page(snapshot, explorer.home, round_id, explorer.release)
    done = export_round(snapshot, round_id, folder, results=results, whole=explorer.whole, on_progress=_progress)
    size = f"{counted(done.files, 'file')}, {done.size / 1e6:.1f} MB"
    echo(f"{done.folder}: {done.items} items and controls of round {round_id}; {size}")
    echo(f"Open {done.folder / 'index.html'}")


def _progress(line: str) -> None:
    echo(line, err=True)
