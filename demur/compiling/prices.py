"""The estimated cost of a compilation, before anything is sent."""

from statistics import mean
from typing import Final

from demur.compiling.optimise import DEMONSTRATIONS
from demur.compiling.search import Optimizer, Parts, Search
from demur.flows.planning.estimate import SHARE_OF_LONGEST
from demur.lanes.meter import longest_reply
from demur.lanes.prices import prices_of
from demur.lanes.spec import ModelSpec
from demur.programs.adapter.contract import contract
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
