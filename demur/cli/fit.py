"""`demur rbr fit`: reward weights from a file of graded completions."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.options import finite, write_out
from demur.cli.printing import echo, echo_table
from demur.configuration.fit import CHOOSE
from demur.warehouse.formats import Format

if TYPE_CHECKING:
    from demur.rewards.graded_file import GradedFile
    from demur.rewards.graded_fit import BehaviourFit

EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr fit graded.jsonl --l2 0.01 --out weights.json

demur rbr fit graded.jsonl --report weights.html

demur rbr fit graded.jsonl --policy my-policy.yaml --l2 choose --signs --held-out 0.2 --format json

demur rbr fit graded.jsonl --margin 1 --margin-of 'perfect>disallowed=2.5'

A line: {"prompt_id": "p1", "completion_id": "c1", "behaviour": "comply", "label": "fully_complies",
"features": {"apology": 0.02, ...}, "base_reward": 0.4}
"""


def run(
    path: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Graded completions, one per line.")],
    policy: Annotated[
        str | None,
        typer.Option(help="Policy of the labels: one of ours, or a file. Default: ours with the file's behaviours."),
    ] = None,
    l2: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|choose",
            help="Penalty: l2 / 2 times the squared norm of the weights; choose: by cross-validation over prompts.",
        ),
    ] = "0.01",
    margin: Annotated[float, typer.Option(help="Least lead of a better completion.", callback=finite, min=0)] = 1.0,
    margin_of: Annotated[
        list[str] | None,
        typer.Option(metavar="BETTER>WORSE=X", help="Margin of one pair of labels. Can be repeated."),
    ] = None,
    signs: Annotated[
        bool,
        typer.Option(
            "--signs",
            help="Forbid positive weights of faults, and negative weights of required or desired features.",
        ),
    ] = False,
    without_base: Annotated[bool, typer.Option("--without-base", help="Leave base rewards out.")] = False,
    held_out: Annotated[
        float | None,
        typer.Option(help="Share of prompts held out of the fit. Default: none, with cross-validation instead."),
    ] = None,
    bootstrap: Annotated[int, typer.Option(min=0, max=100_000, help="Refits for intervals; 0 for none.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of held-out prompts, folds and refits.")] = 0,
    out: Annotated[Path | None, typer.Option(help="File for the result as JSON.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Page (HTML) to write: weights, rewards by label, errors by behaviour.")
    ] = None,
    reward: Annotated[
        Path | None,
        typer.Option(help="Reward file to write, for scoring elsewhere. Needs the features of the policy."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="Format of the result.")] = Format.TABLE,
) -> None:
    """Fit reward weights for each behaviour to graded completions, and show the errors on unseen prompts.

    A fit minimises the penalty plus the mean of max(0, margin - lead) over all ordered pairs of completions of one
    prompt. The lead is the reward of the better completion minus the reward of the worse completion. Intervals (95 %)
    come from refits to resampled prompts.
    """
    from demur.rewards.graded_file import policy_for, read_graded
    from demur.rewards.graded_fit import FileFit, as_json, fit_file

    if held_out is not None and not 0 < held_out < 1:
        raise typer.BadParameter(f"{held_out} must be a share between 0 and 1, as in 0.2", param_hint="--held-out")
    how = FileFit(_penalty(l2), margin, bootstrap, seed, held_out, signs, _margins(margin_of or ()))
    graded = read_graded(path, use_base=not without_base)
    chosen = policy_for(graded, policy)
    found = fit_file(graded, chosen, how)
    text = json.dumps(as_json(graded, chosen, how, found), indent=2)
    if out is not None:
        write_out(out, text + "\n")
    if report is not None:
        from demur.reports.content.fits import fit_page

        write_out(report, fit_page(graded, chosen, how, found), "--report")
    if reward is not None:
        from demur.rewards.reward_file import fitted_reward_file

        write_out(reward, fitted_reward_file(graded, chosen, how, found), "--reward")
    if output is Format.JSON:
        echo(text)
    else:
        _show(graded, found, output)


def _penalty(text: str) -> float | None:
    """Return the penalty, or None if cross-validation chooses the penalty."""
    if text == CHOOSE:
        return None
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise typer.BadParameter(
            f"'{text}' is neither a number above 0, as in 0.01, nor '{CHOOSE}': weights without it are not unique",
            param_hint="--l2",
        )
    return found


def _margins(given: Sequence[str]) -> dict[tuple[str, str], float]:
    found = {}
    for text in given:
        labels, _, number = text.partition("=")
        better, _, worse = (part.strip() for part in labels.partition(">"))
        try:
            margin = float(number)
        except ValueError:
            margin = -1.0
        if not better or not worse or not 0 <= margin < float("inf"):
            raise typer.BadParameter(
                f"'{text}' is not a margin of two labels, such as 'perfect>bad=0.5' (a number from 0)",
                param_hint="--margin-of",
            )
        found[better, worse] = margin
    return found


def _show(graded: "GradedFile", found: Mapping[str, "BehaviourFit"], output: Format) -> None:
    from demur.reports.content.fits import figures_of
    from demur.reports.tables import named_table

    weights = (
        {"behaviour": name, "feature": weight.feature, "weight": weight.value, "low": weight.low, "high": weight.high}
        for name, each in found.items()
        for weight in each.fit.weights
    )
    echo_table(output, named_table("fit_weights").shown(weights, ("behaviour", "feature", "weight", "low", "high")))
    aside = output is Format.CSV  # standard output has only the first table
    show = partial(echo, err=aside)
    show("")
    errors = (
        {"behaviour": name, "part": part, **figures_of(evaluation, graded.has_base[name])}
        for name, each in found.items()
        for part, evaluation in (
            ("train", each.fit.train),
            ("held out", each.unseen.evaluation if each.unseen else None),
        )
        if evaluation is not None
    )
    echo_table(output, named_table("fit_errors").shown(errors), err=aside)
    show("")
    for name, each in found.items():
        show(f"{name}: l2 {each.fit.l2:g}, objective {each.fit.objective:.6f}, relative gap {each.fit.gap:.1e}")
        for note in each.notes:
            show(f"{name}: {note}")
    for how in dict.fromkeys(each.unseen.how for each in found.values() if each.unseen):
        show(f"held out: {how}")
