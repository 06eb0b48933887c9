"""One worker of benchmarks/lanes.py: asks a simulated provider for verdicts in one of several ways, when it is told to.

Run by lanes.py in a process of its own. It warms up (imports, first use of every library), says so in a line, and does
each job that a line of its standard input describes: `{"units": 5000, "start": 0}` is answered with the figures.
"""

import argparse
import asyncio
import json
import resource
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from dspy.lm15 import Message, Request, Response, Usage

from demur.engine.context import RoundContext
from demur.engine.loading import load_round_calls
from demur.engine.shard import ShardReport, work_shard
from demur.engine.state.shared import shared_state
from demur.engine.units import planned_unit
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.flows.stages.items.verify import VERIFY
from demur.lanes.engine import open_transport
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, Transport
from demur.levers.instances import base_of, perturbation_of, stratum_of
from demur.programs.adapter.json_adapter import JsonAdapter, fingerprint
from demur.programs.perturbation import Verifier, verifying
from demur.programs.signatures.perturbation import VerifyPerturbation
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.warehouse.connection import writing
from demur.warehouse.landing import load_shard
from demur.warehouse.plans import Order, PlanWriter, pending, register_plan

Inputs = Mapping[str, Any]
Figures = dict[str, float]
Ask = Callable[[Inputs], Awaitable[None]]
"""Asks for one verdict, and raises where none comes."""

MOST_AT_ONCE = 2
"""Shards that a stage has in work or waiting at a time, as engine/tasks.py has it where shards_at_once is 1."""


@dataclass(frozen=True, slots=True)
class Job:
    """Which units of the many that can be made of the candidates."""

    units: int
    start: int

    def inputs(self, candidates: Sequence[Inputs]) -> Iterator[dict[str, Any]]:
        """Yield the inputs of each unit; further rounds through the candidates are of other perturbations."""
        for number in range(self.start, self.start + self.units):
            again, which = divmod(number, len(candidates))
            candidate = candidates[which]
            changed = f"{candidate['perturbed_question']} ({again + 1})"
            yield {**candidate, "perturbation_id": f"{number:032x}", "perturbed_question": changed}


def signature_inputs(context: RoundContext, inputs: Inputs) -> dict[str, Any]:
    """Return the fields of the verifier's signature, as programs/perturbation.py fills them."""
    base, lever = base_of(inputs), context.catalogue.lever(inputs["lever_id"])
    perturbation = perturbation_of(inputs["perturbed_question"], inputs["changed"], lever.name)
    return verifying(base, perturbation, stratum_brief(*stratum_of(inputs)), lever)


@dataclass(frozen=True, slots=True)
class SdkEngine:
    """An engine for dspy.LM that asks through our lane's SDK client and does nothing else.

    A stock adapter does not send our strict schema, which the simulator needs to know what fits, so it is set here.
    """

    transport: Transport
    shape: dict[str, Any] | None

    async def complete(self, request: Request) -> Response:
        """Return the lane's reply as DSPy wants it."""
        reply = await self.transport.ask(replace(request, config=replace(request.config, response_format=self.shape)))
        usage = Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        return Response(id=None, model="bare", message=Message.assistant(reply.text), finish_reason="stop", usage=usage)


class NotSync:
    """The synchronous engine that dspy.LM wants beside the other."""

    def complete(self, request: Request) -> Response:
        """Never called."""
        raise NotImplementedError


@asynccontextmanager
async def dspy_asker(context: RoundContext, spec: ModelSpec, stock: bool) -> AsyncIterator[Ask]:
    """Yield bare `dspy.Predict.acall`, with DSPy's own JSON adapter or with ours."""
    import dspy

    from demur.programs.adapter.contract import contract

    transport = open_transport(spec, Access())
    engine = SdkEngine(transport, contract(VerifyPerturbation).response_format.sent)
    lm = dspy.LM("demur/bare", engine=NotSync(), async_engine=engine, cache=False, num_retries=0)
    adapter = dspy.JSONAdapter() if stock else JsonAdapter()
    program = dspy.Predict(VerifyPerturbation)

    async def ask(inputs: Inputs) -> None:
        verdict = await program.acall(**signature_inputs(context, inputs))
        assert verdict.overall == "PASS"

    with dspy.context(lm=lm, adapter=adapter, disable_history=True):
        yield ask
    await transport.aclose()


def body_of(context: RoundContext, spec: ModelSpec, inputs: Inputs) -> dict[str, Any]:
    """Return the body that our lane sends for a unit; extra parameters of the SDKs stand in it as on the wire."""
    dialogue = JsonAdapter()._dialogue("bare", VerifyPerturbation, [], signature_inputs(context, inputs))
    request = next(dialogue)
    if spec.provider == "anthropic":
        from demur.lanes.providers.anthropic import message_body

        body = message_body(spec, request)
        return {**body, **body.pop("extra_body")}
    from demur.lanes.providers.openai import chat_body

    return {**chat_body(spec, request, system_role=True), **spec.parameters}


@asynccontextmanager
async def raw_asker(context: RoundContext, spec: ModelSpec, concurrency: int) -> AsyncIterator[Ask]:
    """Yield a plain aiohttp loop: bodies are made before, and of an answer only the JSON is read."""
    import aiohttp

    anthropic = spec.provider == "anthropic"
    url = f"{spec.base_url}/v1/messages" if anthropic else f"{spec.base_url}/chat/completions"
    headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "none"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:

        async def ask(inputs: Inputs) -> None:
            async with session.post(url, data=inputs["body"]) as answer:
                assert answer.status == 200
                json.loads(await answer.read())

        yield ask


@asynccontextmanager
async def sdk_asker(context: RoundContext, spec: ModelSpec) -> AsyncIterator[Ask]:
    """Yield the provider's SDK with an aiohttp client; bodies are made before, and answers are typed, not read."""
    client: Any
    create: Callable[..., Awaitable[object]]
    if spec.provider == "anthropic":
        import anthropic

        client = anthropic.AsyncAnthropic(
            api_key="none", base_url=spec.base_url, max_retries=0, http_client=anthropic.DefaultAioHttpClient()
        )
        create = client.messages.create
    else:
        import openai

        client = openai.AsyncOpenAI(
            api_key="none", base_url=spec.base_url, max_retries=0, http_client=openai.DefaultAioHttpClient()
        )
        create = client.chat.completions.create

    async def ask(inputs: Inputs) -> None:
        await create(**inputs["body"])

    yield ask
    await client.close()


async def gathered(ask: Ask, units: Sequence[Inputs], concurrency: int) -> None:
    """Ask for all units under asyncio.gather, so many at once."""
    slots = asyncio.Semaphore(concurrency)

    async def one(inputs: Inputs) -> None:
        async with slots:
            await ask(inputs)

    await asyncio.gather(*(one(inputs) for inputs in units))


def in_turn(
    threads: ThreadPoolExecutor, work: Callable[[Order], ShardReport], orders: Iterable[Order]
) -> Iterator[ShardReport]:
    """Yield reports in the order of the shards; the next shard begins once a report has been dealt with."""
    waiting = iter(orders)
    running = deque(threads.submit(work, order) for order in islice(waiting, MOST_AT_ONCE))
    while running:
        yield running.popleft().result()
        running.extend(threads.submit(work, order) for order in islice(waiting, 1))


class Worker:
    """Does jobs one after another, in one way."""

    def __init__(self, context: RoundContext, way: str, concurrency: int, candidates: Sequence[Inputs]) -> None:
        self._context = context
        self._way = way
        self._concurrency = concurrency
        self._candidates = candidates
        self._spec = context.specs(context.config.roles.verifiers)[0]

    def do(self, job: Job) -> Figures:
        """Return wall seconds and CPU seconds of a job, what is prepared before it left out."""
        if self._way == "stage":
            return self._stage(job)
        units: list[Any] = list(job.inputs(self._candidates))
        if self._way in ("raw", "sdk"):
            bodies = [body_of(self._context, self._spec, inputs) for inputs in units]
            units = [{"body": json.dumps(body).encode() if self._way == "raw" else body} for body in bodies]
        return asyncio.run(self._asked(units))

    async def _asked(self, units: Sequence[Inputs]) -> Figures:
        context, spec = self._context, self._spec
        openers = {
            "raw": lambda: raw_asker(context, spec, self._concurrency),
            "sdk": lambda: sdk_asker(context, spec),
            "dspy": lambda: dspy_asker(context, spec, stock=True),
            "dspy, our adapter": lambda: dspy_asker(context, spec, stock=False),
        }
        async with openers[self._way]() as ask:
            wall, cpu = time.perf_counter(), time.process_time()
            await gathered(ask, units, self._concurrency)
            return {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

    def _stage(self, job: Job) -> Figures:
        """Plan, work on all shards as a stage does, then load; planning and loading are counted apart."""
        context = self._context
        orders = self._planned(job)
        wall, cpu = time.perf_counter(), time.process_time()

        def work(order: Order) -> ShardReport:
            shard = work_shard(context, VERIFY.name, VERIFY.open_work, order, VERIFY.concurrency(context))
            return asyncio.run(shard)

        loading = 0.0
        with ThreadPoolExecutor(MOST_AT_ONCE) as threads:
            for report in in_turn(threads, work, orders):
                assert report.failed == 0 and report.halted is None, report
                began = time.thread_time()
                self._load(report)
                loading += time.thread_time() - began
        figures = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "loading": loading}
        with writing(context.home, wait_seconds=60) as con:
            for name, table in (("verdicts", "verdicts"), ("calls", "calls")):
                [(figures[name],)] = con.execute(f"SELECT count(DISTINCT unit_id) FROM {table}").fetchall()
            [(figures["call_rows"],)] = con.execute("SELECT count(*) FROM calls WHERE status = 'ok'").fetchall()
        return figures

    def _planned(self, job: Job) -> Iterable[Order]:
        context, program = self._context, fingerprint(Verifier())
        with PlanWriter(context.home, context.round_id, VERIFY.name) as writer:
            for inputs in job.inputs(self._candidates):
                verifier = {**inputs, "verifier": self._spec.name}
                about = ("perturbation_id", "verifier")
                unit = planned_unit(context, VERIFY.name, about, verifier, program, self._spec.fingerprint)
                writer.add(unit.unit_id, unit.payload, inputs["class"], inputs["intensity"], stamp=unit.stamp)
        with writing(context.home, wait_seconds=60) as con:
            register_plan(con, writer.plan)
            return pending(con, writer.plan, VERIFY.table, VERIFY.shard_size(context)).orders()

    def _load(self, report: ShardReport) -> None:
        context = self._context
        with writing(context.home, wait_seconds=60) as con:
            if report.rows is not None:
                load_shard(con, report.rows)
            load_round_calls(con, shared_state(context.home), context.round_id, [(VERIFY.name, report.shard)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way")
    parser.add_argument("config")
    parser.add_argument("candidates", type=Path)
    parser.add_argument("concurrency", type=int)
    parser.add_argument("warm_up", type=int)
    a = parser.parse_args()
    worker = Worker(check_round(RoundRequest(a.config)), a.way, a.concurrency, json.loads(a.candidates.read_bytes()))
    worker.do(Job(a.warm_up, 10**9))
    print("ready", flush=True)
    for line in sys.stdin:
        figures = worker.do(Job(**json.loads(line)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(figures | {"peak_mb": peak}), flush=True)


if __name__ == "__main__":
    main()
