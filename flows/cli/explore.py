"""`demur explore`: pages of everything that rounds made, in a browser."""

from typing import Annotated, Final

import typer

from demur.flows.cli.completion import complete_round
from demur.flows.cli.printing import echo

EXAMPLES: Final = """
[bold]Examples[/bold]

demur explore --open                            all rounds of this home, in the browser

demur explore --round embedded --port 8080      begin with one round

demur explore --host 0.0.0.0                    for other machines; the printed address holds a token
"""


def run(
    round_id: Annotated[
        str | None, typer.Option("--round", help="Begin with this round.", autocompletion=complete_round)
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; other than this machine only with a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65_535)] = 8766,
    token: Annotated[
        str | None,
        typer.Option(help="What browsers must bring; made where the address is not this machine's.", metavar="TOKEN"),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
) -> None:
    """Page through items, responses, verdicts, levers and calls in a browser, also while a round runs.

    Read only, except for the marks of readers. Nothing comes from or goes to the network.
    """
    from demur.flows.explorer.app import Explorer
    from demur.flows.explorer.serve import serve
    from demur.flows.settings import demur_home

    explorer = Explorer(demur_home(), round_id)
    explorer.snapshots.current()

    def started(address: str) -> None:
        echo(f"Explorer   {address}")
        echo("Ctrl-C ends it")

    serve(explorer, host=host, port=port, token=token, open_browser=open_browser, started=started)
