"""`demur judge`: agreement of judges with people."""

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

[bold]A line on a response of an evaluation, and a line with its own response[/bold]

{"item_id": "...", "respondent": "mine", "predicted": "ANSWER_ATTEMPT", "correct": true}

{"question": "...", "passages": ["..."], "answers": ["..."], "response": "...", "predicted": "ANSWER_ATTEMPT", "correct": true}
"""  # noqa: E501

COLUMNS: Final = (
    "judge", "aspect", "responses", "sources", "observed", "observed_low", "observed_high", "kappa", "low", "high",
    "reason",
)  # fmt: skip


@app.command("calibrate", epilog=EXAMPLES)
def calibrate(
    on: Annotated[Path, typer.Option(help="JSONL of people's labels of responses.", metavar="FILE")],
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[EVALUATION]",
            help="Evaluation or released round with the judgements. Without it the file has responses.",
            autocompletion=complete_evaluation,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Judge of the file's responses: [NAME=]PROVIDER:MODEL[,key=value...].", metavar="SPEC"),
    ] = None,
    max_usd: MaxUsd = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Compare judges with people's labels: agreement, and Cohen's kappa with its 95 % interval.

    The row `code` compares classifications: a refusal code, or an attempt to answer. The row `correct` compares whether
    answers are correct. The calibration is stored for the judge (model, parameters, prompt). If the judge judges later
    releases, their manifests contain the calibration. With --model, the judge works in a round of its own, which
    `demur rounds` lists. The same command continues an interrupted round and repeats no request. Exit status is 3 if a
    cap stops the round.
    """
    from demur.configuration.settings import demur_home, silence_prefect_log
    from demur.reports.tables import named_table

    if (round_id is None) == (model is None):
        raise typer.BadParameter(
            "name an EVALUATION with judgements, or a judge of the file's responses (--model SPEC), not both"
        )
    if round_id is not None:
        from demur.flows.evaluations.calibration import calibrate_judges

        rows = calibrate_judges(demur_home(), round_id, on)
    else:
        from demur.cli.files import run_on_file

        silence_prefect_log()  # the next import imports Prefect, which reads its settings then
        from demur.flows.files.request import FileRequest

        context = run_on_file(FileRequest(FileKind.RESPONSES, str(on), str(model), max_usd=max_usd))
        from demur.flows.evaluations.judged_file import calibrations_of

        rows = calibrations_of(context, on)
    echo_table(output, named_table("judge_calibration").shown(rows, COLUMNS))
