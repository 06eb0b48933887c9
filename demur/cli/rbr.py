"""`demur rbr`: work on rule-based rewards outside a round, such as measuring graders and fitting weights."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli import accuracy_tables, fit, grade, pairs, serve
from demur.cli.completion import complete_round
from demur.cli.files import grades_of
from demur.cli.options import MaxUsd, write_lines
from demur.cli.printing import echo
from demur.programs.options import FileKind, Grading
from demur.warehouse.formats import Format

app: Final = typer.Typer(
    help="Rule-based rewards: measure graders, train one, fit weights, grade completions, serve rewards.",
    no_args_is_help=True,
)

PolicyName = Annotated[str, typer.Option(help="One of our policies, or the path of a policy file.")]
GoldPath = Annotated[Path, typer.Argument(metavar="GOLD.jsonl", help="Gold file: one judged completion per line.")]

GOLD_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr gold gold.jsonl

demur rbr gold held-out.jsonl --model .demur/graders/safety.json --format json
"""


@app.command("gold", epilog=GOLD_EXAMPLES)
def gold(
    path: GoldPath,
    model: Annotated[
        str | None,
        typer.Option(
            help="A trained grader's file, or [NAME=]PROVIDER:MODEL[,key=value...]. Default: the shipped patterns.",
            metavar="FILE|SPEC",
        ),
    ] = None,
    policy: PolicyName = "safety",
    grading: Annotated[
        Grading, typer.Option(help="For language models: all propositions in one call, or one call each.")
    ] = Grading.PROPOSITIONS,
    max_usd: MaxUsd = None,
    output: Annotated[Format, typer.Option("--format", help="Format of the result.")] = Format.TABLE,
) -> None:
    """Grade a gold file and show the accuracy by proposition and behaviour, without any text of the file.

    A language model grades in a round of its own. The same command continues an interrupted round and repeats no
    request.

    A proposition counts as true if its probability is above a threshold. The threshold is one half, except that a
    trained grader has a threshold of its own for each proposition. The class of a completion is the most probable class
    by the grades. Macro balanced accuracy is the mean over propositions that are true in 20 rows or more and false in
    20 rows or more. Intervals (95 %) resample prompts.
    """
    from demur.configuration.model_choice import chosen_model
    from demur.levers.policies import load_policy
    from demur.rewards.gold import read_gold
    from demur.rewards.gold_grading import accuracy_of, as_json, by_lines, by_model, by_patterns
    from demur.rewards.graders import GradingModel
    from demur.rules.trained_grader import load_grader

    chosen = load_policy(policy)
    if model is None:
        rows = read_gold(path, chosen)
        graded = by_patterns(rows)
    elif Path(model).suffix == ".json" or Path(model).is_file():
        grader = load_grader(Path(model))
        rows = read_gold(path, chosen)
        graded = by_model(rows, grader)
    else:
        by = GradingModel(chosen, policy, chosen_model(model, ()), grading)
        rows = read_gold(path, chosen)
        subjects = {row.line: row.subject for row in rows.rows}
        graded = by_lines(rows, grades_of(FileKind.GOLD, path, model, by, subjects, max_usd))
    found = accuracy_of(rows, graded)
    if output is Format.JSON:
        echo(json.dumps(as_json(found), indent=2))
        return
    accuracy_tables.print_accuracy(found, output, f"graded by {model}" if model else "graded by the shipped patterns")


TRAIN_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr train-grader gold.jsonl

demur rbr train-grader gold.jsonl --out graders/ours.json
"""


@app.command("train-grader", epilog=TRAIN_EXAMPLES)
def train_grader(
    path: GoldPath,
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: graders/<policy>.json under DEMUR_HOME.")
    ] = None,
    policy: PolicyName = "safety",
    output: Annotated[Format, typer.Option("--format", help="Format of the result.")] = Format.TABLE,
) -> None:
    """Train a proposition grader on a gold file, and measure it by 5-fold cross-validation over prompts.

    If rows have categories, the command also trains graders without one category and measures them on this category.
    Expect this accuracy on other kinds of prompts.

    For each proposition the grader learns weights for pattern matches, for the completion's form and for the behaviour.
    The file has coefficients and the checksum of the data, but no text. The same data give the same file.
    """
    from demur.configuration.settings import demur_home
    from demur.levers.policies import load_policy
    from demur.rewards.gold import read_gold
    from demur.rewards.gold_grading import (
        accuracy_of,
        as_json,
        by_patterns,
        cross_validated,
        cross_validated_by_category,
        save_path,
        train_on,
    )
    from demur.rules.trained_grader import save_grader

    rows = read_gold(path, load_policy(policy))
    target = out or save_path(demur_home().root, rows)
    found = accuracy_of(rows, cross_validated(rows))
    left_out = cross_validated_by_category(rows)
    elsewhere = None if left_out is None else accuracy_of(rows, left_out)
    checksum = save_grader(train_on(rows), target)
    if output is Format.JSON:
        result = {"file": str(target), "sha256": checksum, "cross_validated": as_json(found)}
        if elsewhere is not None:
            result["cross_validated_by_category"] = as_json(elsewhere)
        echo(json.dumps(result, indent=2))
        return
    accuracy_tables.print_accuracy(found, output, "graded by the trained grader, cross-validated over prompts")
    plain = accuracy_of(rows, by_patterns(rows)).overall
    aside = output is Format.CSV
    if elsewhere is not None:
        echo(f"\nwithout rows of its category: {accuracy_tables.summary(elsewhere.overall)}", err=aside)
    echo(f"\nshipped patterns on the same rows: {accuracy_tables.summary(plain)}", err=aside)
    echo(f"\nwritten to {target} (sha256 {checksum[:16]}...), trained on all {len(rows.rows)} rows", err=aside)
    echo(f"use it: demur rbr gold OTHER.jsonl --model {target}", err=aside)


@app.command("subjects", epilog="Example: demur rbr subjects embedded --out subjects.jsonl")
def subjects(
    round_id: Annotated[
        str | None,
        typer.Argument(metavar="[ROUND]", help="A round. Default: the newest.", autocompletion=complete_round),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: standard output.")] = None,
) -> None:
    """Write a round's completions and graded responses, so that your reward model can score them.

    A line has id, kind, behaviour, prompt (messages) and completion. Write your scores to a file with lines of
    `{"id", "base_reward"}`, and name this file under `fit.base_rewards` of the configuration. The round then fits
    weights that add to the base rewards.
    """
    from demur.configuration.settings import demur_home
    from demur.rewards.base_rewards import subjects as written

    lines = [json.dumps(row, ensure_ascii=False) for row in written(demur_home(), round_id)]
    write_lines(lines, out, f"{len(lines)} completions and responses")


app.command("fit", epilog=fit.EXAMPLES)(fit.run)
app.command("pairs", epilog=pairs.EXAMPLES)(pairs.run)
app.command("grade", epilog=grade.EXAMPLES)(grade.run)
app.command("serve", epilog=serve.EXAMPLES)(serve.run)
