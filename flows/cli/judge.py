"""`demur judge`: how far judges agree with people."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.flows.cli.completion import complete_evaluation
from demur.flows.cli.printing import echo_rows
from demur.warehouse.formats import Format

app: Final = typer.Typer(help="Compare judges with people.", no_args_is_help=True)

EXAMPLES: Final = """
[bold]Examples[/bold]

demur judge calibrate embedded --on labels.jsonl

demur sql "SELECT * FROM judge_calibrations"

[bold]A line[/bold]

{"item_id": "...", "respondent": "mine", "predicted": "ANSWER_ATTEMPT", "correct": true}
"""

COLUMNS: Final = ("judge", "aspect", "responses", "sources", "observed", "kappa", "low", "high", "reason")


@app.command("calibrate", epilog=EXAMPLES)
def calibrate(
    round_id: Annotated[
        str,
        typer.Argument(
            metavar="EVALUATION",
            help="Evaluation or released round whose judgements are compared.",
            autocompletion=complete_evaluation,
        ),
    ],
    on: Annotated[Path, typer.Option(help="JSONL: what people say of its responses.", metavar="FILE")],
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """Compare judges with people's labels: agreement, and Cohen's kappa with its 95 % interval.

    `code` is whether both call a response the same refusal, or an attempt; `correct` whether both call an answer
    correct. It is written down for the judge (model, parameters, prompt); releases that it judged from then on have it
    in their manifests.
    """
    from demur.flows.evaluations.calibration import calibrate_judges
    from demur.flows.settings import demur_home

    rows = calibrate_judges(demur_home(), round_id, on)
    echo_rows(output, COLUMNS, [tuple(row[name] for name in COLUMNS) for row in rows])
