"""A stage that asks one priced model over HTTP under a cap; run as a module it is a process that can be killed."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from prefect import flow

from demur.configuration.round_config import Budget
from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.engine.stage import Stage, StageReport, run_stage
from demur.engine.tasks import open_engine
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.rounds.request import read_round_config
from demur.lanes.engine import open_models
from demur.lanes.prices import BATCH_SHARE
from demur.lanes.simulator.behaviour import SimulatedOutcome
from demur.lanes.simulator.server import Simulator
from demur.levers.instances import passages_of
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.transactions import Connection
from tests.flows.rounds import base_inputs, landing_bases, write_config

INPUT_USD, OUTPUT_USD = 2.0, 10.0
SERVED = {
    "name": "served",
    "provider": "openai",
    "model": "respondent/lexical-overlap",
    "parameters": {"max_tokens": 200},
    "prices": {"input_usd_per_million": INPUT_USD, "output_usd_per_million": OUTPUT_USD},
}


def paid_stage(units: int, name: str = "ingest") -> Stage:
    """Return a stage whose units ask the served respondent and land one base instance each."""

    def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
        for number in range(units):
            year = str(1800 + number)
            text = f"The lighthouse number {number} was built in {year}."
            asked = f"When was the lighthouse number {number} built?"
            yield planned_unit(context, name, ("base_id",), base_inputs(number, asked, year, text))

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        specs = context.specs(("served",))
        async with open_models(specs, "respondent", keys_of(specs)) as models:
            program = Respondent()

            async def work(unit: Unit) -> Rows:
                inputs = unit.inputs
                answer = await respond(program, models["served"], inputs["question"], passages_of(inputs["passages"]))
                return {"base_instances": [{**unit.key(context.round_id), **inputs, "title": answer.text}]}

            yield work

    return landing_bases(plan, opened, "served", name=name)


def capped(folder: Path, url: str, max_usd: float | None, **changes: Any) -> RoundContext:
    """Return the context of a round of its own under `folder`, with the served model at `url`."""
    folder.mkdir(exist_ok=True)
    limits = {"concurrency": 8, "timeout_seconds": 5, "retries": 8, **changes.pop("limits", {})}
    lane = changes.pop("lane", SERVED["provider"])
    served = {**SERVED, "provider": lane, "base_url": url, "limits": limits, "mode": changes.pop("mode", "live")}
    served |= changes.pop("model", {})
    models = [served, {"name": "rules", **_RULES}]
    roles = {
        "screeners": [],
        "generators": ["served"],
        "verifiers": ["served"],
        "respondents": ["served"],
        "judges": ["served"],
        "writer": "served",
        "grader": "served",
    }
    path = write_config(folder, models=models, roles=roles, shard_size=20, **changes)
    home = Home(folder / "home")
    with writing(home, wait_seconds=5):
        pass
    config = read_round_config(path)
    return RoundContext(home, config.model_copy(update={"budget": Budget(max_usd=max_usd)}), folder, "test", 1)


_ASKED = ("prompt_tokens", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_RULES = {"provider": "rules", "model": "respondent/always-refuses"}


def run(context: RoundContext, units: int, name: str = "ingest") -> StageReport:
    """Run the stage inside a flow."""

    @flow(name="capped-stage")
    def stage_flow() -> StageReport:
        with open_engine(context):
            return run_stage(context, paid_stage(units, name))

    return stage_flow()


class Bill:
    """What a provider charges for: all that it has worked on, whether or not the answer arrived."""

    def __init__(self, simulator: Simulator) -> None:
        self.usd = 0.0
        self._outcome = simulator.outcome
        simulator.outcome = self._billed  # type: ignore[method-assign]

    def _billed(self, *arguments: Any, **named: Any) -> tuple[SimulatedOutcome, float]:
        outcome, seconds = self._outcome(*arguments, **named)
        if outcome.answered:
            usage = outcome.body["usage"]
            asked = sum(usage.get(name, 0) for name in _ASKED)
            said = usage.get("completion_tokens", usage.get("output_tokens", 0))
            share = BATCH_SHARE if named.get("batch") else 1.0
            self.usd += share * (asked * INPUT_USD + said * OUTPUT_USD) / 1e6
        return outcome, seconds


if __name__ == "__main__":
    folder, served_at, dollars, number, asked_in = sys.argv[1:]
    run(capped(Path(folder), served_at, float(dollars), mode=asked_in), int(number))
