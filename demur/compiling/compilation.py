"""A compilation from end to end: cases divided, a program measured, optimised, measured again, and saved."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Final

from pydantic import JsonValue

from demur.compiling.accuracy import HeldOutAccuracy, held_out_accuracy
from demur.compiling.cases import Cases, divided, grader_cases, verifier_cases
from demur.compiling.measuring import CaseScores, measure
from demur.compiling.optimise import DEMONSTRATIONS, check_installed, optimise
from demur.compiling.search import Optimizer, Parts, Search, most_requests
from demur.configuration.round_config import RoundConfig
from demur.configuration.settings import demur_home, keys_of, missing_keys
from demur.engine.call_file import CallFile
from demur.engine.context import RoundContext, digest_of
from demur.errors import FlowError
from demur.flows.planning.estimate import SHARE_OF_LONGEST
from demur.flows.rounds.request import RoundRequest, requested_config
from demur.lanes.meter import longest_reply
from demur.lanes.optimiser_engine import RequestBudget, recording_model
from demur.lanes.prices import prices_of
from demur.lanes.spec import Mode, ModelSpec
from demur.programs.adapter.contract import contract
from demur.programs.compiled.file import CompiledFile, compiled_file, save_compiled
from demur.programs.compiled.kinds import ProgramKind, program_of
from demur.programs.prompt_sizes import CHARACTERS_PER_TOKEN

MEASURED: Final = 24
"""Cases whose prompts are measured."""


def likely_usd(
    kind: ProgramKind, search: Search, parts: Parts, requests: int, model: ModelSpec, prompt_model: ModelSpec
) -> float | None:
    """Return about what so many requests cost, None where prices are unknown.

    Where demonstrations are chosen, all prompts count as if they showed as many as there can be, but those of the
    held-out cases before. Requests for instructions are few, and count like the others, at the model's price that is
    higher.
    """
    prices = [prices_of(spec) for spec in (model, prompt_model)]
    known = [one for one in prices if one is not None]
    if len(known) < len(prices):
        return None
    [(_, predictor)] = program_of(kind).named_predictors()
    codec = contract(predictor.signature)
    inputs = mean(len(codec.write_inputs(case.inputs)) for case in [*parts.train, *parts.validation][:MEASURED])
    inputs = inputs / CHARACTERS_PER_TOKEN
    instructions = len(codec.system) / CHARACTERS_PER_TOKEN
    reply = SHARE_OF_LONGEST * longest_reply(model)
    plain = requests if search.optimizer is Optimizer.GEPA else len(parts.held_out)
    sent = requests * (instructions + inputs) + (requests - plain) * DEMONSTRATIONS * (inputs + reply)
    return max(sent * one.input_usd_per_million + requests * reply * one.output_usd_per_million for one in known) / 1e6


ROLE: Final = {ProgramKind.GRADER: "grader", ProgramKind.VERIFIER: "verifier"}


@dataclass(frozen=True, slots=True)
class CompilationRequest:
    """A request to compile a program: on which cases, with which models, within which limits.

    `config` is a round configuration, whose models are named; without `model` it is the one that has the program's
    role, and `prompt_model`, which writes instructions, is the same one.
    """

    kind: ProgramKind
    path: Path
    config: str
    model: str | None
    prompt_model: str | None
    policy: str
    search: Search
    most_cases: int
    most_calls: int
    out: Path | None
    most_usd: float | None = None


@dataclass(frozen=True, slots=True)
class CompilationPlan:
    """A compilation that can begin: models, cases by part, about how many requests it sends at most, and their price.

    `usd` is None where prices are not known.
    """

    request: CompilationRequest
    model: ModelSpec
    prompt_model: ModelSpec
    cases: Cases
    parts: Parts
    requests: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of a compilation: its file, held-out accuracy before and after, and what this run sent and spent.

    `usd` is None where prices are not known.
    """

    path: Path
    file: CompiledFile
    before: CaseScores
    after: CaseScores
    accuracy: HeldOutAccuracy
    requests: int
    usd: float | None
    demonstrations: int
    new_instructions: bool

    @property
    def changed(self) -> bool:
        """Whether the program asks anything else than before."""
        return self.new_instructions or self.demonstrations > 0


def plan(request: CompilationRequest) -> CompilationPlan:
    """Return what a compilation would do; nothing is asked.

    Raises:
        FlowError: the file, the configuration or a model cannot be used, or more calls are needed than allowed.
        ProgramError: the optimiser needs a package that is missing.
    """
    check_installed(request.search.optimizer)
    config, folder = requested_config(RoundRequest(request.config))
    context = RoundContext(demur_home(), config, folder, "compile", request.search.seed)
    model = _spec(context, request.model or _by_role(config, request.kind), "--model")
    prompt_model = _spec(context, request.prompt_model, "--prompt-model") if request.prompt_model else model
    if request.search.optimizer is not Optimizer.BOOTSTRAP and prompt_model.lane.by_rule:
        raise FlowError(
            f"--optimizer {request.search.optimizer} needs a language model that writes instructions, and "
            f"'{prompt_model.name}' answers by rule. Name one of a language model with --prompt-model"
        )
    _check_payable(request, (model, prompt_model))
    check_out(request.out)
    if request.kind is ProgramKind.GRADER:
        cases = grader_cases(request.path, request.policy)
    else:
        cases = verifier_cases(request.path, context.home, context.catalogue)
    parts = divided(cases.cases, request.most_cases, request.search.seed)
    requests = most_requests(request.search, parts)
    if requests > request.most_calls:
        raise FlowError(
            f"this may send up to {requests} requests, and --max-calls allows {request.most_calls}. Allow more, or "
            "take fewer --cases or --trials"
        )
    usd = likely_usd(request.kind, request.search, parts, requests, model, prompt_model)
    return CompilationPlan(request, model, prompt_model, cases, parts, requests, usd)


def run(planned: CompilationPlan, say: Callable[[str], None]) -> Compiled:
    """Compile a program, save it, and return the result.

    Raises:
        ProgramError: no model answered, the optimiser failed, or the file cannot be written.
    """
    folder = demur_home().root / "compiled"
    with CallFile(folder / f"{planned.request.kind}-{_digest(planned)[:12]}.calls.jsonl") as calls:
        return _compiled(planned, folder, calls, say)


def _compiled(planned: CompilationPlan, folder: Path, calls: CallFile, say: Callable[[str], None]) -> Compiled:
    request = planned.request
    parts = planned.parts
    search = planned.request.search
    kind = request.kind
    budget = RequestBudget(request.most_calls, request.most_usd)
    keys = keys_of([planned.model, planned.prompt_model])
    lm = recording_model(planned.model, ROLE[kind], keys, calls, budget)
    prompt_lm = lm
    if planned.prompt_model.name != planned.model.name:
        prompt_lm = recording_model(planned.prompt_model, "optimiser", keys, calls, budget)
    before = measure(kind, program_of(kind), lm, parts.held_out, search.threads, budget)
    program = optimise(kind, lm, prompt_lm, parts, search, budget)
    after = measure(kind, program, lm, parts.held_out, search.threads, budget)
    accuracy = held_out_accuracy(before, after, [*parts.train, *parts.validation], search.seed)
    for line in accuracy.summary():
        say(line)
    found = compiled_file(kind, program, _made(planned, accuracy))
    path = request.out or folder / f"{kind}-{found.fingerprint}.json"
    save_compiled(found, path)
    plain = compiled_file(kind, program_of(kind), {})
    chosen = found.predictors.values()
    return Compiled(
        path,
        found,
        before,
        after,
        accuracy,
        budget.sent,
        None if planned.usd is None else budget.spent_usd,
        sum(len(predictor.demonstrations) for predictor in chosen),
        [p.instructions for p in chosen] != [p.instructions for p in plain.predictors.values()],
    )


def _made(planned: CompilationPlan, accuracy: HeldOutAccuracy) -> dict[str, JsonValue]:
    """Return how a file was made: data by checksum and size, models by name and fingerprint."""
    search = planned.request.search
    parts = planned.parts
    models = {"model": planned.model, "prompt_model": planned.prompt_model}
    return {
        "optimizer": search.optimizer.value,
        "trials": search.trials,
        "seed": search.seed,
        "data_sha256": planned.cases.sha256,
        "cases": {name: len(getattr(parts, name)) for name in ("train", "validation", "held_out")},
        "accuracy": accuracy.as_json(),
        **{role: {"name": spec.name, "fingerprint": spec.fingerprint} for role, spec in models.items()},
    }


def _check_payable(request: CompilationRequest, models: tuple[ModelSpec, ...]) -> None:
    """Return if every model has its key, and prices where there is a cap."""
    if missing := dict(missing_keys(models)):
        raise FlowError("; ".join(f"model {name}: {variable} is not set" for name, variable in missing.items()))
    unpriced = sorted({spec.name for spec in models if prices_of(spec) is None})
    if request.most_usd is not None and unpriced:
        raise FlowError(
            f"--max-usd: the prices of {', '.join(unpriced)} are unknown. Give them (models.prices), or leave it out"
        )


def check_out(path: Path | None) -> None:
    """Return if a file can be written here, before anything is paid for.

    Raises:
        FlowError: it is a folder, or stands in none that can be written to.
    """
    if path is None:
        return
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise FlowError(f"--out {path}: cannot be written. Name a file in a folder of yours")


def _digest(planned: CompilationPlan) -> str:
    request = planned.request
    return digest_of(request.kind, planned.cases.sha256, planned.model.fingerprint, planned.prompt_model.fingerprint)


def _by_role(config: RoundConfig, kind: ProgramKind) -> str:
    return config.roles.grader if kind is ProgramKind.GRADER else config.roles.verifiers[0]


def _spec(context: RoundContext, name: str, option: str) -> ModelSpec:
    names = [model.name for model in context.config.models]
    if name not in names:
        raise FlowError(f"{option} '{name}' is not one of the configuration's models {', '.join(names)}")
    return context.specs((name,))[0].model_copy(update={"mode": Mode.LIVE})  # optimisers wait for each answer
