"""`demur judge`: agreement of judges with people."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_evaluation
from demur.cli.options import MaxUsd, write_out
from demur.cli.printing import echo, echo_table
from demur.programs.options import FileKind
from demur.reports.text import counted
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

CHECK_EXAMPLES: Final = """
[bold]Examples[/bold]

demur judge check embedded --sample 30                  30 responses, as check-embedded.html

demur judge check embedded --read check-embedded-20261120-Ada.json

demur judge check embedded --sample 30 --seed 2         other responses, for a second sample
"""

COLUMNS: Final = (
    "judge", "aspect", "responses", "sources", "observed", "observed_low", "observed_high", "kappa", "low", "high",
    "reason",
)  # fmt: skip


@app.command("check", epilog=CHECK_EXAMPLES)
def check(
    round_id: Annotated[
        str,
        typer.Argument(
            metavar="EVALUATION",
            help="Evaluation or released round with the judgements.",
            autocompletion=complete_evaluation,
        ),
    ],
    sample: Annotated[int, typer.Option(min=1, max=1_000, help="Responses on the page.")] = 30,
    read: Annotated[
        Path | None, typer.Option("--read", help="File that the page downloaded, with your marks.", metavar="FILE")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Page to write. Default: check-EVALUATION.html.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random draw.")] = 1,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Write one page with responses to classify by hand, and compare judges with the marks.

    The page shows neither who answered nor what judges say. The sample has responses that a judge was asked about, in
    proportion to the classes of the first judge. With --read, the marks are compared with each judge: agreement with
    its 95 % interval, and Cohen's kappa. Boards then show that the judge was checked.
    """
    from demur.configuration.settings import demur_home

    if read is not None:
        from demur.flows.evaluations.judge_check import read_check
        from demur.reports.tables import named_table

        rows = read_check(demur_home(), round_id, read)
        echo_table(output, named_table("judge_calibration").shown(rows, COLUMNS))
        return
    from demur.flows.evaluations.judge_check import check_page
    from demur.reports.audits.page import render_page

    page = check_page(demur_home(), round_id, sample, seed)
    path = out or Path(f"check-{round_id}.html")
    write_out(path, render_page(page))
    if page.remark:
        echo(page.remark, err=True)
    echo(f"{path}: {counted(len(page.cards), 'response')}, seed {seed}")
    echo(f"Open it in a browser, mark, download, then: {page.command}")


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
