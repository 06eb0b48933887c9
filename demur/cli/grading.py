"""The commands `demur judge` and `demur rbr grade`: agreement of judges with people, and grades of completions."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.terminal.options import MaxUsd, complete_evaluation, grades_of, write_lines
from demur.cli.terminal.printing import echo, echo_table
from demur.programs.options import FileKind, Grading
from demur.reports.texts import counted
from demur.warehouse.results.formats import Format

# `demur judge`: agreement of judges with people.


app: Final = typer.Typer(help="Compare judges with people.", no_args_is_help=True)

CALIBRATE_EXAMPLES: Final = """
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


@app.command("calibrate", epilog=CALIBRATE_EXAMPLES)
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
        from demur.cli.terminal.options import run_on_file

        silence_prefect_log()  # the next import imports Prefect, which reads its settings then
        from demur.flows.file import FileRequest

        context = run_on_file(FileRequest(FileKind.RESPONSES, str(on), str(model), max_usd=max_usd))
        from demur.flows.file import calibrations_of

        rows = calibrations_of(context, on)
    echo_table(output, named_table("judge_calibration").shown(rows, COLUMNS))


# `demur rbr grade`: grades, classes and rewards of completions in a file, by any model.


GRADE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr grade completions.jsonl --policy safety --out graded.jsonl

demur rbr grade completions.jsonl --model openai:gpt-6-sol,max_completion_tokens=4096 --max-usd 5 --out graded.jsonl

demur rbr grade completions.jsonl --model rules:grader/trained,file=graders/safety.json --reward safety@1.json

A line: {"prompt": "...", "completion": "...", "behaviour": "comply", "prompt_id": "p1", "completion_id": "c1",
"label": "fully_complies", "facts": {}, "base_reward": 0.4}; prompt and completion alone are needed, with behaviour
"""
INCOMPLETE: Final = 1

GraderSpec = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="Grader: [NAME=]PROVIDER:MODEL[,key=value...]; rules:grader/trained,file=FILE is a trained grader.",
    ),
]
GradingWay = Annotated[
    Grading, typer.Option(help="All propositions in one call, or one call each with log-probabilities.")
]


def grade_file(
    path: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Completions, one per line.")],
    model: GraderSpec = "rules:grader/patterns",
    policy: Annotated[str, typer.Option(help="One of our policies, or the path of a policy file.")] = "safety",
    grading: GradingWay = Grading.PROPOSITIONS,
    reward: Annotated[
        Path | None, typer.Option(help="Reward file for rewards: of a release, or of `demur rbr fit`.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: standard output.")] = None,
    max_usd: MaxUsd = None,
) -> None:
    """Grade completions: estimate the probability of every proposition of the policy, and the class.

    A proposition is a statement about a completion that is true or false. The class says how good a completion is.
    With a reward file, each completion also gets its reward. `demur rbr fit` reads the result. A language model grades
    in a round of its own, which `demur rounds` lists. The same command continues an interrupted round and repeats no
    request. If a cap stops the round, the exit status is 3. Each completion without a readable grade is named, and
    the exit status is then 1. Graders that work by fixed rules need no round.
    """
    from demur.configuration.models import chosen_model
    from demur.levers.policies import load_policy
    from demur.rewards.completions import graded_completions, read_completions
    from demur.rewards.graders import GradingModel
    from demur.scoring.standalone.demur_reward import load_reward

    chosen = load_policy(policy)
    fitted = None if reward is None else load_reward(reward)
    by = GradingModel(chosen, policy, chosen_model(model, ()), grading)
    completions = read_completions(path, chosen)
    subjects = {each.line: each.subject for each in completions}
    graded = grades_of(FileKind.COMPLETIONS, path, model, by, subjects, max_usd)
    found = graded_completions(completions, chosen, graded, fitted)
    lines = [json.dumps(row, ensure_ascii=False) for row in found.rows]
    write_lines(lines, out, f"{counted(len(lines), 'completion')} graded by {by.spec.name}", err=True)
    for number, why in found.failed:
        echo(f"line {number}: {why}", err=True)
    if found.failed:
        raise typer.Exit(INCOMPLETE)
