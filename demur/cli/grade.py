"""`demur rbr grade`: grades, classes and rewards of completions in a file, by any model."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.files import grades_of
from demur.cli.options import MaxUsd, write_lines
from demur.cli.printing import echo
from demur.programs.options import FileKind, Grading
from demur.reports.text import counted

EXAMPLES: Final = """
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


def run(
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
    from demur.configuration.model_choice import chosen_model
    from demur.levers.policies import load_policy
    from demur.rewards.completions import graded_completions, read_completions
    from demur.rewards.graders import GradingModel
    from demur.scoring.demur_reward import load_reward

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
