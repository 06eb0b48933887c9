"""`demur judge`: how far judges agree with people."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_evaluation
from demur.cli.options import MaxUsd
from demur.cli.printing import echo_table
from demur.programs.options import FileKind
from demur.warehouse.formats import Format

app: Final = typer.Typer(help="Compare judges with people.", no_args_is_help=True)

EXAMPLES: Final = """
[bold]Examples[/bold]

demur judge calibrate embedded --on labels.jsonl

demur judge calibrate --on labelled-responses.jsonl --model openai:gpt-6-sol,max_completion_tokens=4096

demur sql "SELECT * FROM judge_calibrations"

[bold]A line, of an evaluation's response and without one[/bold]

{"item_id": "...", "respondent": "mine", "predicted": "ANSWER_ATTEMPT", "correct": true}

{"question": "...", "passages": ["..."], "answers": ["..."], "response": "...", "predicted": "ANSWER_ATTEMPT", "correct": true}
"""  # noqa: E501

COLUMNS: Final = ("judge", "aspect", "responses", "sources", "observed", "kappa", "low", "high", "reason")


@app.command("calibrate", epilog=EXAMPLES)
def calibrate(
    on: Annotated[Path, typer.Option(help="JSONL: what people say of responses.", metavar="FILE")],
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[EVALUATION]",
            help="Evaluation or released round whose judgements are compared; without, the file has responses.",
            autocompletion=complete_evaluation,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Who judges the file's responses: [NAME=]PROVIDER:MODEL[,key=value...].", metavar="SPEC"),
    ] = None,
    max_usd: MaxUsd = None,
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """Compare judges with people's labels: agreement, and Cohen's kappa with its 95 % interval.

    `code` compares the refusal code or attempt that both assign. `correct` compares whether both call an answer
    correct. The calibration is stored for the judge (model, parameters, prompt). Manifests of releases judged by it
    from then on contain it. A model judges a file in a round of its own, which `demur rounds` lists. The same command
    continues an interrupted round and repeats no request. Exit status is 3 where a cap stops it.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table

    if (round_id is None) == (model is None):
        raise typer.BadParameter(
            "name an EVALUATION whose judgements are compared, or who is to judge the file's responses: --model SPEC"
        )
    if round_id is not None:
        from demur.flows.evaluations.calibration import calibrate_judges

        rows = calibrate_judges(demur_home(), round_id, on)
    else:
        from demur.cli.files import run_on_file
        from demur.flows.files.request import FileRequest

        context = run_on_file(FileRequest(FileKind.RESPONSES, str(on), str(model), max_usd=max_usd))
        from demur.flows.evaluations.judged_file import calibrations_of

        rows = calibrations_of(context, on)
    echo_table(output, named_table("judge_calibration").shown(rows, COLUMNS))
