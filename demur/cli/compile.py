"""`demur compile`: instructions and demonstrations of a program, chosen on what people judged."""

import json
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.completion import complete_config
from demur.cli.options import Output, Printed
from demur.cli.printing import echo

if TYPE_CHECKING:
    from demur.compiling.compilation import Compiled


class Program(StrEnum):
    """A program that can be compiled."""

    GRADER = "grader"
    VERIFIER = "verifier"


class OptimizerName(StrEnum):
    """DSPy's optimisers that choose."""

    BOOTSTRAP = "bootstrap"
    MIPRO = "mipro"
    GEPA = "gepa"


EXAMPLES: Final = """
[bold]Examples[/bold]

demur compile grader --on gold.jsonl --config frontier

demur compile verifier --on audit-ada.json --config frontier --optimizer gepa --prompt-model claude --out verifier.json

A round uses the file by naming it in its configuration:

compiled: {verifier: ../compiled/verifier.json}
"""


def run(
    program: Annotated[Program, typer.Argument(help="Which program.")],
    on: Annotated[Path, typer.Option("--on", help="What people judged: a gold file (grader), an audit (verifier).")],
    optimizer: Annotated[
        OptimizerName,
        typer.Option(help="bootstrap: demonstrations. mipro: and instructions. gepa: instructions, by reflection."),
    ] = OptimizerName.BOOTSTRAP,
    config: Annotated[
        str,
        typer.Option(
            help="Round configuration whose models are used: one of ours, or a file.", autocompletion=complete_config
        ),
    ] = ("rules"),
    model: Annotated[str | None, typer.Option(help="Model that is asked. Default: the one with this role.")] = None,
    prompt_model: Annotated[
        str | None, typer.Option(help="Model that writes instructions (mipro, gepa). Default: the same.")
    ] = None,
    policy: Annotated[str, typer.Option(help="Policy of the gold file: one of ours, or a file.")] = "safety",
    cases: Annotated[int, typer.Option(min=3, help="Judged cases that are used, at most.")] = 200,
    trials: Annotated[int, typer.Option(min=1, max=1_000, help="Candidates that mipro and gepa try.")] = 8,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Requests at once.")] = 4,
    max_calls: Annotated[int, typer.Option(min=1, help="Requests that may be sent.")] = 2_000,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="US dollars that may be spent; no request is sent that could pass it.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the division and of the search.")] = 0,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: compiled/ under DEMUR_HOME.")] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Choose instructions and demonstrations for the grader or the verifier on cases that people judged.

    Cases are divided by prompt or base instance: some to learn from, some to choose by, some held out. Accuracy on the
    held-out ones is shown before and after. Every request is recorded under DEMUR_HOME, and is not sent again when the
    same compilation is run again. The file holds the texts of its demonstrations.
    """
    from demur.cli.process_exit import explaining_interruption
    from demur.compiling import compilation
    from demur.compiling.search import Optimizer, Search
    from demur.configuration.settings import disable_telemetry
    from demur.programs.compiled.kinds import ProgramKind

    disable_telemetry()
    search = Search(Optimizer(optimizer.value), trials, threads, seed)
    request = compilation.CompilationRequest(
        ProgramKind(program.value), on, config, model, prompt_model, policy, search, cases, max_calls, out, max_usd
    )
    planned = compilation.plan(request)
    parts = planned.parts
    say = partial(echo, err=output is Output.JSON)
    say(
        f"{len(parts.train)} cases to learn from, {len(parts.validation)} to choose by, {len(parts.held_out)} held "
        f"out; up to {planned.requests} requests of {planned.model.name}, {_dollars('about', planned.usd)}"
    )
    with explaining_interruption():
        done = compilation.run(planned, say)
    say(f"{done.requests} requests sent, {_dollars('for', done.usd)}")
    if output is Output.JSON:
        echo(json.dumps(_as_json(done)))
        return
    instructions = "new instructions" if done.new_instructions else "the same instructions"
    say(f"{done.path}: {instructions}, {done.demonstrations} demonstrations, fingerprint {done.file.fingerprint}")
    if not done.changed:
        say("nothing was found that does better on the cases to choose by: the program is what it was")
        return
    if not done.accuracy.better:
        say("the held-out cases do not show that it is better; more of them may")
    say(f"use it: `compiled: {{{program.value}: {done.path}}}` in a round configuration")


def _as_json(done: "Compiled") -> dict[str, object]:
    return {
        "file": str(done.path),
        "fingerprint": done.file.fingerprint,
        "changed": done.changed,
        "new_instructions": done.new_instructions,
        "demonstrations": done.demonstrations,
        "accuracy": {**asdict(done.accuracy), "better": done.accuracy.better},
        "requests": done.requests,
        "usd": done.usd,
    }


def _dollars(how: str, usd: float | None) -> str:
    return "whose price is unknown" if usd is None else f"{how} ${usd:,.2f}"
