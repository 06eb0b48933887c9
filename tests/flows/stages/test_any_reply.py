"""Whatever JSON of the wanted shape a model replies, its unit ends as rows or as a failure, and the gate is met."""

import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from prefect import flow

from demur.engine.context import RoundContext
from demur.engine.models import skip_preflight
from demur.engine.stage import Stage, run_stage
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import round_session
from demur.flows.stages.bases.screening_waves import ingest_and_screen
from demur.flows.stages.items.assemble import ASSEMBLE
from demur.flows.stages.items.deduplicate import DEDUPLICATE
from demur.flows.stages.items.generate import GENERATE
from demur.flows.stages.items.verify import VERIFY
from demur.flows.stages.responses.judge import JUDGE
from demur.flows.stages.responses.respond import RESPOND
from demur.flows.stages.rewards.grade import GRADE
from demur.flows.stages.rewards.write import WRITE
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.faults import SimulatedRequest
from demur.lanes.simulator.server import Simulator, serve
from demur.lanes.spec import ModelLimits, ModelSpec
from demur.programs.adapter.contract import contract
from demur.programs.adapter.reply_fields import Schema, inlined
from demur.programs.signatures.perturbation import CHECKS
from demur.programs.signatures.registry import SIGNATURES
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import ROOT, small
from tests.flows.simulated import GATES

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.exhaustive, pytest.mark.usefixtures("prefect_api")]

MODELS = {
    "screeners": ["res"],
    "generators": ["gen"],
    "verifiers": ["ver"],
    "respondents": ["res"],
    "judges": ["judge"],
    "writer": "writer",
    "grader": "grader",
}
RULES = {
    "gen": "recipes/terse",
    "ver": "verifier/editor",
    "res": "respondent/always-answers",
    "judge": "judge/patterns",
    "writer": "writer/phrases",
    "grader": "grader/patterns",
}
CASES = [
    (GENERATE, "GeneratePerturbation"),
    (VERIFY, "VerifyPerturbation"),
    (RESPOND, "AnswerFromPassage"),
    (JUDGE, "JudgeShortAnswer"),
    (GRADE, "GradePropositions"),
]
"""Stages, and what they ask."""
REPLIES = 60
"""Of each run; which one a request gets is decided by its inputs."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> RoundContext:
    """A small round of single passages, up to what graders are asked."""
    folder = tmp_path_factory.mktemp("single")
    corpus = {"path": str(ROOT / "deployments/corpora/single.jsonl"), "format": "demur"}
    models = [{"name": name, "provider": "rules", "model": rules} for name, rules in RULES.items()]
    generation = {"classes": ["P-MissingInfo", "P-Ambiguity"], "intensities": ["LOW", "HIGH"]}
    path = small(
        folder,
        corpus=corpus,
        models=models,
        roles=MODELS,
        gates=GATES,
        judge_replicates=2,
        generation={"lever_choice": "generator", "replicates": 1, **generation},
    )

    @flow(name="round-so-far")
    def so_far() -> RoundContext:
        with round_session(RoundRequest(str(path))) as context:
            ingest_and_screen(context)
            for stage in (GENERATE, DEDUPLICATE, VERIFY, ASSEMBLE, RESPOND, JUDGE, WRITE):
                run_stage(context, stage)
            return context

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(folder / "home"))
        return so_far()


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with serve() as simulator:
        yield simulator


def asking(context: RoundContext, simulator: Simulator, home: Path) -> RoundContext:
    """The same round in a home of its own, its models asked over HTTP."""
    shutil.copytree(context.home.root, home, ignore=shutil.ignore_patterns("data_docs"))
    models = tuple(
        ModelSpec(
            name=name,
            provider="openai",
            model=name,
            base_url=simulator.openai_url,
            parameters={"max_tokens": 100},
            limits=ModelLimits(concurrency=16, retries=0),
        )
        for name in RULES
    )
    generation = context.config.generation.model_copy(update={"replicates": 6})
    more = {"generation": generation, "response_replicates": 2}
    config = context.config.model_copy(update={"models": models, **more})
    return RoundContext(Home(home), config, context.folder, context.round_id, context.seed)


WORDS = ["", " ", "\x00", "\ud800", "\u2028", "9" * 5000, "{question}", "{question} Why?", "{lever}", "{text}"]
"""Texts beside any others; those in braces stand for what the request holds."""


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """Whatever a schema of ours allows, with the edges more often."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*(values(option) for option in schema["anyOf"]))
    if "properties" in schema:
        return st.fixed_dictionaries({name: values(field) for name, field in schema["properties"].items()})
    kind = schema["type"]
    if kind == "array":
        return st.lists(values(schema["items"]), max_size=3)
    low, high = schema.get("minimum"), schema.get("maximum")
    return {
        "string": st.sampled_from(WORDS) | st.text(max_size=20),
        "integer": st.integers(low, high) | st.integers(0, 2) | st.just(2**63 if high is None else high),
        "number": st.floats(low, high, allow_nan=False, allow_infinity=False),
        "boolean": st.booleans(),
        "null": st.none(),
    }[str(kind)]


LIKELY: dict[str, dict[str, Any]] = {
    "GeneratePerturbation": {"lever": "{lever}", "declined": None},
    "VerifyPerturbation": dict.fromkeys(CHECKS, True),
    "JudgeShortAnswer": {"classification": "ANSWER_ATTEMPT"},
    "JudgeGroundedAnswer": {"classification": "ANSWER_ATTEMPT"},
}
"""What half of the replies say, each but for one field, so that the rest of them counts."""


def likely(reply: Any, task: str, but: int) -> Any:
    """A reply with what is likely in it, but for one field."""
    kept = [item for number, item in enumerate(LIKELY.get(task, {}).items()) if number != but]
    return {**reply, **dict(kept)} if kept else reply


def replies(signature: type[dspy.Signature]) -> st.SearchStrategy[list[Any]]:
    """As many replies of a signature's shape as a run takes, as JSON values; plain ones are texts."""
    codec = contract(signature)
    if codec.plain_text:
        one: st.SearchStrategy[Any] = st.sampled_from(WORDS) | st.text(min_size=1, max_size=30)
    else:
        shaped = values(inlined(codec.outputs.model_json_schema()))
        one = shaped | st.builds(likely, shaped, st.just(codec.task), st.integers(0, 10))
    return st.lists(one, min_size=REPLIES, max_size=REPLIES)


def filled(value: Any, inputs: dict[str, Any]) -> Any:
    """A reply whose texts in braces are those of the request; grades are those that were asked for."""
    if isinstance(value, dict) and "grades" in value and value["grades"]:
        probability = value["grades"][0]["probability"]
        names = [proposition["name"] for proposition in inputs["propositions"]]
        return {"grades": [{"proposition": name, "probability": probability} for name in names]}
    if isinstance(value, dict):
        return {name: filled(inner, inputs) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, inputs) for inner in value]
    if isinstance(value, str):
        levers, passages = inputs.get("levers"), inputs.get("passages") or inputs.get("original_passages")
        value = value.replace("{question}", str(inputs.get("question", "")))
        value = value.replace("{lever}", levers[0]["name"] if levers else "a lever")
        return value.replace("{text}", passages[0]["text"][:-9] if passages else "a text")
    return value


def answering(task: str, said: list[Any]) -> Callable[[SimulatedRequest], str]:
    """Reply to requests of a task with what is to be said, to others with a plain answer."""

    def reply(asked: SimulatedRequest) -> str:
        messages = asked.body["messages"]
        assert isinstance(messages, list)
        given = next(str(message["content"]) for message in messages if str(message["content"]).startswith("{"))
        chosen = said[zlib.crc32(given.encode()) % len(said)]
        if asked.task != task:
            return "an answer"
        made = filled(chosen, json.loads(given))
        return made if isinstance(made, str) else json.dumps(made)

    return reply


@pytest.mark.parametrize(("stage", "task"), CASES)
def test_any_reply_of_the_wanted_shape_ends_as_rows_or_as_a_failure(
    stage: Stage, task: str, made: RoundContext, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    landed = 0

    @settings(
        max_examples=2,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
    @given(said=replies(SIGNATURES[task]))
    def holds(said: list[Any]) -> None:
        nonlocal landed
        if all(reply == said[0] for reply in said):
            return  # the first example, whose replies are all the simplest
        simulator.config = SimulatorConfig(reply=answering(task, said))
        context = asking(made, simulator, tmp_path_factory.mktemp(stage.name) / "home")

        @flow(name="asked")
        def asked() -> int:
            skip_preflight(context)
            report = run_stage(context, stage)
            assert report.planned >= 2
            assert report.landed + report.failed == report.planned
            with reading(context.home, "loader") as con:
                ended = con.execute(
                    f"SELECT count(DISTINCT unit_id), (SELECT count(*) FROM failures WHERE stage = '{stage.name}') "
                    f"FROM {stage.table} SEMI JOIN units USING (unit_id)"
                ).fetchall()
            assert ended == [(report.landed, report.failed)]
            return report.landed

        landed += asked()

    holds()
    assert landed
