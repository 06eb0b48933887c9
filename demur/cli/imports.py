"""`demur import`: import of other tools' results into the warehouse."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.terminal.options import MALFORMED, Output, Printed, complete_release, complete_round, report_malformed
from demur.cli.terminal.printing import echo
from demur.programs.options import LogFormat
from demur.reports.texts import counted

app: Final = typer.Typer(help="Import results of other tools into the warehouse.", no_args_is_help=True)

EXAMPLES: Final = """
[bold]Examples[/bold]

demur import responses responses.jsonl --round published

demur import responses logs/2026-11-22.eval --from inspect --round theirs --judge grader-model

demur import responses samples_demur_embedded_1.jsonl --from lm-eval --round theirs

demur sql "SELECT respondent, calibrated_refusal_score, crs_low, crs_high FROM leaderboard WHERE round_id = 'published'"
"""


@app.command("responses", epilog=EXAMPLES)
def responses(
    file: Annotated[
        Path, typer.Argument(help="JSONL in the format of `demur score`, or a log (--from).", metavar="FILE")
    ],
    round_id: Annotated[
        str,
        typer.Option(
            "--round",
            help="Name of the imported round: a new round, or an imported one to extend.",
            autocompletion=complete_round,
        ),
    ],
    source: Annotated[
        LogFormat | None, typer.Option("--from", help="The tool that wrote the log. Default: the file is JSONL.")
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            help="Of a log: the exported release, a name or a folder. Default: the release named in the log.",
            autocompletion=complete_release,
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Of a log: the respondent's name. Default: the model that the log names.")
    ] = None,
    judge: Annotated[str, typer.Option(help="Name of the judge that classified the responses.")] = "imported",
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first malformed row, exit status 2.")] = False,
    replicates: Annotated[int, typer.Option(min=2, max=100_000, help="Bootstrap replicates.")] = 1_000,
    output: Printed = Output.TABLE,
) -> None:
    """Import responses as a round, which is scored and appears in every view of results.

    With --from, the file is a log of another tool that ran a task of `demur release export`. Importing a file twice
    changes nothing. If a later file has a changed response, this response replaces the stored response. Malformed rows
    are listed and left out, and the exit status is then 1.
    """
    from demur.configuration.settings import demur_home
    from demur.exchange.responses.importing import import_responses
    from demur.exchange.responses.tool_logs import LogSource

    if not judge.strip():
        raise typer.BadParameter("is empty: give the name of the judge", param_hint="--judge")
    if source is None and (release or model):
        raise typer.BadParameter("--release and --model need a log: name its tool with --from")
    log = None if source is None else LogSource(source, release, model)
    done = import_responses(demur_home(), file, round_id, judge=judge, strict=strict, replicates=replicates, log=log)
    report_malformed(done.file, "imported")
    same = done.imported - done.new - done.replaced
    if output is Output.JSON:
        found = {
            "round_id": round_id,
            **{name: getattr(done, name) for name in ("imported", "new", "replaced", "total")},
            "same": same,
            "respondents": done.respondents,
            "malformed": len(done.file.malformed),
            "fields_not_read": sorted(done.file.others),
        }
        echo(json.dumps(found))
    else:
        echo(
            f"round {round_id}: {counted(done.new, 'response')} new, {done.replaced} replaced, {same} unchanged; "
            f"{done.total} in all, of {counted(len(done.respondents), 'respondent')}"
        )
    if done.file.malformed:
        raise typer.Exit(MALFORMED)
