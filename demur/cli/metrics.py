"""`demur metrics`: figures of rounds for Prometheus."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.options import write_out
from demur.cli.printing import echo

EXAMPLES: Final = """
[bold]Examples[/bold]

demur metrics                                            print them once

demur metrics --serve                                    for a Prometheus on this machine, at port 8767

demur metrics --serve --host 0.0.0.0 --key-env METRICS_KEY   for other machines; the key is a bearer token

demur metrics --out /var/lib/node_exporter/demur.prom    a file for node_exporter's textfile collector
"""


def run(
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
    from demur.reports.metrics import registry_of
    from demur.reports.serve_metrics import serve_metrics

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
