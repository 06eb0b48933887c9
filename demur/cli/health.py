"""`demur health`: a probe for containers and monitors."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from demur.cli.options import AGE, Output, Printed, age
from demur.cli.printing import echo


def run(
    max_age: Annotated[
        str | None, typer.Option(metavar=AGE, help="Largest age of the newest round, as in 8d or 36h.")
    ] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Check that the home is writable, the state answers, versions agree, and the newest round is recent.

    Exit status is 0 if all checks pass, otherwise 1. `demur doctor` checks more and takes longer.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.health import health_of

    found = health_of(demur_home(), None if max_age is None else age(max_age, "--max-age"))
    if output is Output.JSON:
        echo(json.dumps({"healthy": found.healthy, **asdict(found)}))
    else:
        for check in found.checks:
            echo(f"{'ok     ' if check.ok else 'NOT OK '}  {check.what:10}  {check.found}")
    if not found.healthy:
        raise typer.Exit(1)
