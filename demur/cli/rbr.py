"""`demur rbr`: work on rule-based rewards outside a round: measuring graders, fits, pairs, served rewards."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli import grading
from demur.cli.grading import GraderSpec, GradingWay
from demur.cli.terminal import summary
from demur.cli.terminal.options import MaxUsd, complete_round, finite, grades_of, write_lines, write_out
from demur.cli.terminal.printing import echo, echo_table
from demur.configuration.sections import CHOOSE
from demur.programs.options import FileKind, Grading, PairFormat
from demur.reports.texts import counted
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from demur.rewards.fits import BehaviourFit
    from demur.rewards.graded_files import GradedFile


# `demur rbr fit`: reward weights from a file of graded completions.


FIT_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr fit graded.jsonl --l2 0.01 --out weights.json

demur rbr fit graded.jsonl --report weights.html

demur rbr fit graded.jsonl --policy my-policy.yaml --l2 choose --signs --held-out 0.2 --format json

demur rbr fit graded.jsonl --margin 1 --margin-of 'perfect>disallowed=2.5'

A line: {"prompt_id": "p1", "completion_id": "c1", "behaviour": "comply", "label": "fully_complies",
"features": {"apology": 0.02, ...}, "base_reward": 0.4}
"""


def fit_file(
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
    from demur.rewards.fits import FileFit, as_json, fit_file
    from demur.rewards.graded_files import policy_for, read_graded

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
        from demur.reports.reward_fits import fit_page

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
    from demur.reports.reward_fits import figures_of
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


# `demur rbr pairs`: a round's comparisons as preference pairs.


PAIRS_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr pairs embedded --policy selective_refusal --out pairs.jsonl

demur rbr pairs --conversational --format parquet --out pairs.parquet
"""


def write_pairs(
    round_id: Annotated[
        str | None,
        typer.Argument(metavar="[ROUND]", help="A round; the newest by default.", autocompletion=complete_round),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Only pairs of this policy: a name, or a policy file of yours.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Margin of every pair. Default: the margin of the fit.", callback=finite, min=0)
    ] = None,
    conversational: Annotated[
        bool, typer.Option("--conversational", help="Write messages (role, content) in place of texts.")
    ] = False,
    withheld: Annotated[
        bool, typer.Option("--withheld", help="Keep pairs with withheld material, which a marker replaces.")
    ] = False,
    output: Annotated[PairFormat, typer.Option("--format", help="File format of pairs.")] = PairFormat.JSONL,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: standard output, as JSONL.")] = None,
) -> None:
    """Write a round's comparisons as preference pairs: prompt, chosen, rejected, margin.

    Preference-tuning libraries read these columns, for example TRL with DPOTrainer. RewardTrainer of TRL also reads the
    margin. The column reward_difference is computed with the fitted weights. The prompt of a benchmark item is the full
    prompt of respondents, with passages. Pairs with withheld material are left out unless --withheld is given.
    """
    from demur.configuration.settings import demur_home
    from demur.rewards.preference_pairs import PairRequest, parquet_pairs, preference_pairs

    if out is None and output is PairFormat.PARQUET:
        raise typer.BadParameter("Parquet needs a file: name one", param_hint="--out")
    rows = preference_pairs(demur_home(), PairRequest(round_id, policy, margin, conversational, withheld))
    if output is PairFormat.PARQUET and out is not None:
        write_out(out, parquet_pairs(rows, conversational))
        echo(f"{counted(len(rows), 'pair')} written to {out}")
        return
    write_lines([json.dumps(row, ensure_ascii=False) for row in rows], out, counted(len(rows), "pair"))


# `demur rbr serve`: rewards over HTTP.


SERVE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr serve safety@1.json --port 8900

demur rbr serve safety@1.json --host 0.0.0.0 --key-env REWARD_KEY --model openai:gpt-6-sol,max_completion_tokens=4096

curl http://127.0.0.1:8900/rewards --json '{"prompts": ["..."], "completions": ["..."], "behaviour": "comply"}'
"""


def serve_rewards(
    reward: Annotated[
        Path, typer.Argument(metavar="REWARD.json", help="Reward file of a release, or of `demur rbr fit`.")
    ],
    model: GraderSpec = "rules:grader/patterns",
    policy: Annotated[str | None, typer.Option(help="The reward's policy, if it is a file of yours.")] = None,
    grading: GradingWay = Grading.PROPOSITIONS,
    host: Annotated[str, typer.Option(help="Address to serve on. Other machines need a key.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8900,
    key_env: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="Environment variable with the key that callers must send.")
    ] = None,
    behaviour: Annotated[str | None, typer.Option(help="Behaviour of requests that name none.")] = None,
    max_usd: MaxUsd = None,
) -> None:
    """Serve rewards over HTTP until Ctrl-C. Trainers send one JSON request for a batch of completions.

    POST /rewards takes prompts, completions and behaviour, and optionally facts and base_reward. The reply has
    rewards, classes and probabilities. A language model grades in a round, which `demur rounds` lists. Each completion
    is graded once, and --max-usd limits the cost. The server stores no texts of requests.
    """
    import asyncio
    from dataclasses import replace

    from demur.configuration.settings import secret_of
    from demur.exchange.rewarding.serving import Serving, serve_rewards
    from demur.exchange.rewarding.trainer import grading_model
    from demur.scoring.standalone.demur_reward import load_reward

    fitted = load_reward(reward)
    by = replace(grading_model(fitted, model, policy), grading=grading)
    key = None if key_env is None else secret_of(key_env)
    serving = Serving(host, port, key, behaviour=behaviour, most_usd=max_usd)

    def started(address: str) -> None:
        echo(f"rewards of {reward.name}, graded by {by.spec.name}: POST {address}/rewards")

    asyncio.run(serve_rewards(fitted, by, serving, started))


# `demur rbr`: work on rule-based rewards outside a round, such as measuring graders and fitting weights.


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
    from demur.configuration.models import chosen_model
    from demur.levers.policies import load_policy
    from demur.rewards.gold import accuracy_of, as_json, by_lines, by_model, by_patterns, read_gold
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
    summary.print_accuracy(found, output, f"graded by {model}" if model else "graded by the shipped patterns")


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
    from demur.rewards.gold import (
        accuracy_of,
        as_json,
        by_patterns,
        cross_validated,
        cross_validated_by_category,
        read_gold,
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
    summary.print_accuracy(found, output, "graded by the trained grader, cross-validated over prompts")
    plain = accuracy_of(rows, by_patterns(rows)).overall
    aside = output is Format.CSV
    if elsewhere is not None:
        echo(f"\nwithout rows of its category: {summary.summary(elsewhere.overall)}", err=aside)
    echo(f"\nshipped patterns on the same rows: {summary.summary(plain)}", err=aside)
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


app.command("fit", epilog=FIT_EXAMPLES)(fit_file)
app.command("pairs", epilog=PAIRS_EXAMPLES)(write_pairs)
app.command("grade", epilog=grading.GRADE_EXAMPLES)(grading.grade_file)
app.command("serve", epilog=SERVE_EXAMPLES)(serve_rewards)
