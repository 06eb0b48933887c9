"""`demur rbr`: rule-based rewards outside a round: graders held against gold labels, weights fitted to graded files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli import pairs
from flows.cli.options import finite
from warehouse.formats import Format, render

if TYPE_CHECKING:
    from flows.rewards.gold_grading import Accuracy, GoldAccuracy
    from scoring.ranking import Evaluation

app: Final = typer.Typer(help="Rule-based rewards: measure graders, train one, fit weights.", no_args_is_help=True)

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
    model: Annotated[Path | None, typer.Option(help="A trained grader's file. Default: the shipped patterns.")] = None,
    policy: PolicyName = "safety",
    output: Annotated[Format, typer.Option("--format", help="How the result is written.")] = Format.TABLE,
) -> None:
    """Grade a gold file and show, by proposition and behaviour, how well; no text of it is shown or kept.

    A trained grader takes a proposition to hold above its own threshold, patterns above one half. The class is the one
    that the grades make the most probable. Intervals (95 %) resample prompts.
    """
    from flows.rewards.gold import read_gold
    from flows.rewards.gold_grading import accuracy_of, as_json, by_model, by_patterns
    from levers.policies import load_policy
    from programs.trained_grader import load_grader

    grader = load_grader(model) if model is not None else None
    rows = read_gold(path, load_policy(policy))
    found = accuracy_of(rows, by_model(rows, grader) if grader else by_patterns(rows))
    if output is Format.JSON:
        typer.echo(json.dumps(as_json(found), indent=2))
        return
    _show(found, output, f"trained grader {model}" if model else "shipped patterns")


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
    output: Annotated[Format, typer.Option("--format", help="How the result is written.")] = Format.TABLE,
) -> None:
    """Train a proposition grader on a gold file, and show by 5-fold cross-validation over prompts how good it is.

    It learns, per proposition, how far to trust what the patterns find, given the completion's form and the behaviour.
    The file holds coefficients and the data's checksum, no text. The same data give the same file.
    """
    from flows.rewards.gold import read_gold
    from flows.rewards.gold_grading import accuracy_of, as_json, by_patterns, cross_validated, save_path, train_on
    from flows.settings import demur_home
    from levers.policies import load_policy
    from programs.trained_grader import save_grader

    rows = read_gold(path, load_policy(policy))
    target = out or save_path(demur_home().root, rows)
    found = accuracy_of(rows, cross_validated(rows))
    checksum = save_grader(train_on(rows), target)
    if output is Format.JSON:
        result = {"file": str(target), "sha256": checksum, "cross_validated": as_json(found)}
        typer.echo(json.dumps(result, indent=2))
        return
    _show(found, output, "trained grader, cross-validated")
    plain = accuracy_of(rows, by_patterns(rows)).overall
    typer.echo(f"shipped patterns on the same rows: {_summary(plain)}")
    typer.echo(f"\nwritten to {target} (sha256 {checksum[:16]}...), trained on all {len(rows.rows)} rows")
    typer.echo(f"use it: demur rbr gold OTHER.jsonl --model {target}")


FIT_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr fit graded.jsonl --l2 0.01 --out weights.json

demur rbr fit graded.jsonl --policy my-policy.yaml --choose-l2 --signs --held-out 0.2 --format json

A line: {"prompt_id": "p1", "completion_id": "c1", "behaviour": "comply", "label": "fully_complies",
"features": {"apology": 0.02, ...}, "base_reward": 0.4}
"""


@app.command("fit", epilog=FIT_EXAMPLES)
def fit(
    path: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Graded completions, one per line.")],
    policy: Annotated[
        str | None,
        typer.Option(help="Whose labels and order hold: one of ours, or a file. Default: ours with these behaviours."),
    ] = None,
    l2: Annotated[
        float, typer.Option(help="Penalty: l2 / 2 times the squared norm of the weights.", callback=finite)
    ] = 0.01,
    choose_l2: Annotated[
        bool, typer.Option("--choose-l2", help="Choose the penalty by cross-validation over prompts instead.")
    ] = False,
    margin: Annotated[float, typer.Option(help="By how much a better completion should be ahead.")] = 1.0,
    signs: Annotated[bool, typer.Option("--signs", help="Let no fault of the policy earn reward.")] = False,
    without_base: Annotated[bool, typer.Option("--without-base", help="Leave base rewards out.")] = False,
    held_out: Annotated[
        float | None,
        typer.Option(help="Share of prompts kept out of the fit. Default: fit all, cross-validate what is held out."),
    ] = None,
    bootstrap: Annotated[int, typer.Option(min=0, max=100_000, help="Refits for intervals; 0 for none.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of held-out prompts, folds and refits.")] = 0,
    out: Annotated[Path | None, typer.Option(help="File for the result as JSON.")] = None,
    reward: Annotated[
        Path | None,
        typer.Option(help="Reward file to write, to score with elsewhere; features must be those of the policy."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How the result is shown.")] = Format.TABLE,
) -> None:
    """Fit reward weights to graded completions, per behaviour, and show what they achieve on unseen prompts.

    Minimised over all ordered pairs of completions of one prompt: the mean of max(0, margin - lead of the better one),
    plus the penalty. Intervals (95 %) refit to resampled prompts; all figures are per behaviour.
    """
    from flows.rewards.graded_file import policy_for, read_graded
    from flows.rewards.graded_fit import FileFit, as_json, fit_file

    if not 0 <= margin < float("inf"):
        raise typer.BadParameter(f"{margin} must be a number from 0", param_hint="--margin")
    if held_out is not None and not 0 < held_out < 1:
        raise typer.BadParameter(f"{held_out} must be a share between 0 and 1, as in 0.2", param_hint="--held-out")
    graded = read_graded(path, use_base=not without_base)
    chosen = policy_for(path, graded.completions, policy)
    how = FileFit(None if choose_l2 else l2, margin, bootstrap, seed, held_out, signs)
    found = fit_file(graded, chosen, how)
    text = json.dumps(as_json(graded, chosen, how, found), indent=2)
    if out is not None:
        _write(out, text + "\n")
    if reward is not None:
        from flows.rewards.reward_file import reward_of_file

        _write(reward, reward_of_file(graded, chosen, how, found))
    if output is Format.JSON:
        typer.echo(text)
        return
    rows = [
        (name, weight.feature, *(None if x is None else round(x, 4) for x in (weight.value, weight.low, weight.high)))
        for name, each in found.items()
        for weight in each.fit.weights
    ]
    typer.echo(render(output, ("behaviour", "feature", "weight", "low", "high"), rows))
    typer.echo("")
    rankings = [
        (name, where, ev.prompts, ev.pairs, *(None if x is None else round(x, 4) for x in _achieved(ev)))
        for name, each in found.items()
        for where, ev in (("train", each.fit.train), ("held out", each.unseen.evaluation if each.unseen else None))
        if ev is not None
    ]
    typer.echo(render(output, _ACHIEVED, rankings))
    typer.echo("")
    for name, each in found.items():
        typer.echo(f"{name}: l2 {each.fit.l2:g}, objective {each.fit.objective:.6f}, relative gap {each.fit.gap:.1e}")
        if each.unseen:
            typer.echo(f"{name}: held out by {each.unseen.how}")
        for note in each.notes:
            typer.echo(f"{name}: {note}")


app.command("pairs", epilog=pairs.EXAMPLES)(pairs.run)


_ACHIEVED: Final = (
    *("behaviour", "prompts of", "prompts", "pairs", "hinge loss"),
    *("pairwise error", "ideal first", "error, base only", "error, rules only"),
)


def _achieved(evaluation: "Evaluation") -> tuple[float | None, ...]:
    return (
        evaluation.hinge_loss,
        evaluation.total.pairwise_error,
        evaluation.total.ideal_first,
        evaluation.base_only.pairwise_error,
        evaluation.rules_only.pairwise_error,
    )


def _show(found: "GoldAccuracy", output: Format, what: str) -> None:
    parts = {"all": found.overall, **found.by_behaviour}
    columns = ("behaviour", "proposition", "n", "base rate", "accuracy", "balanced accuracy", "F1")
    rows = [
        (
            name,
            proposition,
            each.n,
            *(_cell(m) for m in (each.base_rate, each.accuracy, each.balanced_accuracy, each.f1)),
        )
        for name, part in parts.items()
        for proposition, each in part.propositions.items()
    ]
    typer.echo(render(output, columns, rows))
    typer.echo("")
    for name, part in parts.items():
        typer.echo(f"{what}, {name}: {_summary(part)}")


def _cell(measured: object) -> str | None:
    from scoring.proposition_accuracy import Measured

    assert isinstance(measured, Measured)
    if measured.value is None:
        return None
    if measured.low is None or measured.high is None:
        return f"{measured.value:.3f}"
    return f"{measured.value:.3f} [{measured.low:.3f}, {measured.high:.3f}]"


def _summary(part: "Accuracy") -> str:
    macro = "none" if part.macro is None else f"{part.macro:.3f}"
    return f"{part.rows} rows, class accuracy {_cell(part.class_accuracy)}, macro balanced accuracy {macro}"


def _write(path: Path, text: str) -> None:
    from flows.errors import FlowError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise FlowError(f"{path}: cannot be written ({exc.strerror}). Name another file with --out") from exc
