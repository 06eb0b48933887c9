"""The commands `demur explore`, `sql` and `metrics`: results in a browser, by SQL, and for Prometheus."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.terminal.options import complete_release, complete_round, write_out
from demur.cli.terminal.printing import echo, echo_rows
from demur.reports.texts import counted
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from demur.reports.explorer.app import Explorer


# `demur explore`: the results of rounds as pages in a browser.


EXPLORE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur explore --open                            all rounds of this home, in the browser

demur explore --round embedded --port 8080      begin with one round

demur explore --host 0.0.0.0                    for other machines; the printed address holds a token

demur explore --host 0.0.0.0 --read-only        the same without marks

demur explore --release copied/embedded/1       the folder of a release, without its warehouse

demur explore --release embedded --export pages   its pages as files, for any web server
"""


def explore_results(
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
    from demur.reports.explorer.app import Explorer, serve

    if round_id is not None and release is not None:
        raise typer.BadParameter("name a round or a release", param_hint="--release")
    with ExitStack() as opened:
        home = demur_home()
        of_release = None
        if release is not None:
            from demur.reports.explorer.export import opened_release  # imports a reader of Parquet

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
    from demur.reports.explorer.pages import results_page

    snapshot = explorer.snapshots.current()
    round_id = explorer.only or explorer.newest_round()
    results = results_page(snapshot, explorer.home, round_id, explorer.release)
    done = export_round(snapshot, round_id, folder, results=results, whole=explorer.whole, on_progress=_progress)
    size = f"{counted(done.files, 'file')}, {done.size / 1e6:.1f} MB"
    echo(f"{done.folder}: {done.items} items and controls of round {round_id}; {size}")
    echo(f"Open {done.folder / 'index.html'}")


def _progress(line: str) -> None:
    echo(line, err=True)


# `demur sql`: SQL on the published warehouse.


TABLE_ROWS: Final = 200
"""Default number of rows of tables."""
SQL_EXAMPLES: Final = """
[bold]Examples[/bold]

demur sql "SELECT * FROM leaderboard"

demur sql "SELECT class, intensity, accepted, candidates FROM yield_by_stratum WHERE round_id = 'embedded'" --format csv

demur sql "PIVOT live_items ON intensity USING count(*) GROUP BY class"

demur sql --file question.sql

echo "SHOW TABLES" | demur sql -
"""


def run_sql(
    statement: Annotated[
        str | None, typer.Argument(help="One read-only SQL statement; '-' reads it from standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the statement from this file.")] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
    limit: Annotated[
        int | None,
        typer.Option(help="Most rows; 0 for all. Default: 200 in tables, all in CSV and JSON.", min=0),
    ] = None,
) -> None:
    """Run a read-only SQL statement on the published warehouse, also while a round runs."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.results.query import query

    if limit is None and output in (Format.TABLE, Format.MARKDOWN):
        limit = TABLE_ROWS
    result = query(demur_home(), _given(statement, file), limit=limit or None)
    echo_rows(output, result.columns, result.rows)
    if result.truncated:
        echo(f"The first {limit} rows; --limit 0 shows all.", err=True)


def _given(statement: str | None, file: Path | None) -> str:
    if (statement is None) == (file is None):
        raise typer.BadParameter("give one SQL statement, or --file FILE, or - for standard input", param_hint="SQL")
    try:
        if file is not None:
            return file.read_text(encoding="utf-8")
        return sys.stdin.read() if statement == "-" else str(statement)
    except UnicodeDecodeError as exc:
        raise typer.BadParameter(f"{file or 'standard input'} is not UTF-8 ({exc.reason})", param_hint="SQL") from exc


# `demur metrics`: figures of rounds for Prometheus.


METRICS_EXAMPLES: Final = """
[bold]Examples[/bold]

demur metrics                                            print them once

demur metrics --serve                                    for a Prometheus on this machine, at port 8767

demur metrics --serve --host 0.0.0.0 --key-env METRICS_KEY   for other machines; the key is a bearer token

demur metrics --out /var/lib/node_exporter/demur.prom    a file for node_exporter's textfile collector
"""


def serve_metrics(
    serve: Annotated[bool, typer.Option("--serve", help="Serve the figures at /metrics until Ctrl-C.")] = False,
    host: Annotated[str, typer.Option(help="Address to serve at. Other machines need a key.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 takes a free one.")] = 8767,
    key_env: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="Environment variable with the key that callers must send.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the figures into this file, atomically.")] = None,
) -> None:
    """Show units, requests, tokens, dollars, 429s, queue, releases and time left, in the format of Prometheus.

    The figures come from the state of rounds and the published warehouse. One process therefore shows the work of all
    processes on all machines. The figures contain no text of items, prompts or replies.
    """
    from prometheus_client import generate_latest

    from demur.configuration.settings import demur_home, secret_of
    from demur.programs.installation import installed_version
    from demur.reports.prometheus import registry_of, serve_metrics

    if serve and out is not None:
        raise typer.BadParameter("serve the figures, or write them into a file", param_hint="--out")
    key = None if key_env is None else secret_of(key_env)
    registry = registry_of(demur_home(), installed_version())
    if serve:
        serve_metrics(registry, host=host, port=port, key=key, started=lambda address: echo(f"Metrics    {address}"))
    elif out is not None:
        write_out(out, generate_latest(registry))
    else:
        echo(generate_latest(registry).decode().rstrip("\n"))
