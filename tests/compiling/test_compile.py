"""`demur compile` with each optimiser, at its smallest, against the simulator and the rules."""

import json
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.compiling import compilation
from demur.compiling.accuracy import ALIKE, Share
from demur.compiling.cases import divided, grader_cases
from demur.compiling.search import Optimizer, Search
from demur.engine.call_file import CallFile
from demur.errors import FlowError
from demur.lanes.optimiser_engine import RequestBudget, recording_model
from demur.lanes.simulator import engine
from demur.lanes.simulator.answers import answered
from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.serving import serve
from demur.lanes.simulator.wire import Turns
from demur.lanes.spec import ModelSpec
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.compiled.file import load_compiled
from demur.programs.compiled.kinds import ProgramKind, program_of
from demur.programs.errors import ProgramError
from demur.programs.installation import install_command
from tests.flows.gold_files import gold_rows, write_rows
from tests.flows.rounds import demur_here, small
from tests.flows.simulated import KEY, KEY_VARIABLE, simulated


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "gold.jsonl", gold_rows(40))


def wanted(path: Path, config: Path, optimizer: Optimizer, **changes: Any) -> compilation.CompilationRequest:
    search = Search(optimizer, trials=2, threads=2, seed=3)
    given: dict[str, Any] = {
        "kind": ProgramKind.GRADER,
        "path": path,
        "config": str(config),
        "model": None,
        "prompt_model": None,
        "policy": "safety",
        "search": search,
        "most_cases": 14,
        "most_calls": 400,
        "out": None,
    }
    return compilation.CompilationRequest(**(given | changes))


def learning(monkeypatch: pytest.MonkeyPatch, taught: Callable[[str, Turns], bool]) -> None:
    """Let the simulated grader say 0 to everything until it is taught; asked for instructions, it gives some."""

    def answers(model: str, system: str, turns: Turns) -> str:
        if not system.startswith("Task: GradePropositions"):
            return INSTRUCTIONS
        said = answered(model, system, turns)
        if taught(system, turns):
            return said
        grades = json.loads(said)["grades"]
        return json.dumps({"grades": [{**grade, "probability": 0.0} for grade in grades]})

    monkeypatch.setattr(engine, "answered", answers)


INSTRUCTIONS = "Grade with care, by each definition."


@pytest.mark.parametrize("optimizer", list(Optimizer))
def test_compile_grader_finds_what_helps_and_asks_nothing_twice(
    optimizer: Optimizer, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    by_demonstration = optimizer is Optimizer.BOOTSTRAP
    learning(monkeypatch, lambda system, turns: len(turns) > 1 if by_demonstration else INSTRUCTIONS in system)
    with serve() as provider:
        config = simulated(tmp_path / "round", provider)
        said: list[str] = []
        planned = compilation.plan(wanted(gold, config, optimizer))
        done = compilation.run(planned, said.append)
        asked = provider.engine.counts.requests
        assert 0 < done.requests <= planned.requests and asked == done.requests
        again = compilation.run(compilation.plan(wanted(gold, config, optimizer)), said.append)
        assert again.requests == 0 and again.file == done.file, "what is recorded is not asked again"
        assert provider.engine.counts.requests == asked
    assert done.before.accuracy is not None and done.after.accuracy is not None
    assert done.after.accuracy > max(0.95, done.before.accuracy)
    assert done.accuracy.better and (done.accuracy.change.low or 0) > 0.02
    made = json.loads(done.path.read_text(encoding="utf-8"))["made"]
    assert made["accuracy"]["before"]["low"] < done.before.accuracy < made["accuracy"]["before"]["high"]
    assert (done.demonstrations > 0) is by_demonstration or optimizer is Optimizer.MIPRO
    assert done.new_instructions is not by_demonstration
    loaded = load_compiled(done.path, ProgramKind.GRADER)
    assert fingerprint(loaded) == done.file.fingerprint != fingerprint(program_of(ProgramKind.GRADER))
    calls = [json.loads(line) for line in next((tmp_path / "home").rglob("*.calls.jsonl")).open(encoding="utf-8")]
    assert len(calls) == asked and {call["status"] for call in calls} == {"ok"}
    assert len({(call["model"], call["request_digest"]) for call in calls}) == asked, "none was bought twice"
    assert done.usd == pytest.approx(sum(call["cost_usd"] for call in calls)) and planned.usd is not None
    assert done.usd is not None and 0 < done.usd < planned.usd and again.usd == 0
    assert KEY not in done.path.read_text(encoding="utf-8")


def test_compile_by_rules_needs_no_network_and_changes_no_grade(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    out = tmp_path / "grader.json"
    done = compilation.run(compilation.plan(wanted(gold, small(tmp_path), Optimizer.BOOTSTRAP, out=out)), print)
    assert done.before == done.after and done.usd == 0 and not done.accuracy.better
    assert done.accuracy.change == Share(0.0, None, None, ALIKE) and done.path == out and done.demonstrations > 0


def test_compile_stops_at_its_budget_and_goes_on_from_there(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    config = small(tmp_path)
    with pytest.raises(FlowError, match=r"may send up to \d+ requests, and --max-calls allows 3"):
        compilation.plan(wanted(gold, config, Optimizer.BOOTSTRAP, most_calls=3))
    planned = compilation.plan(wanted(gold, config, Optimizer.BOOTSTRAP))
    few = replace(planned, request=replace(planned.request, most_calls=7))
    with pytest.raises(ProgramError, match="7 requests were sent, and more are wanted. Allow more with --max-calls"):
        compilation.run(few, print)
    assert compilation.run(planned, print).requests <= planned.requests - 7


def test_compile_stops_before_more_is_spent_than_allowed(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serve() as provider:
        config = simulated(tmp_path / "round", provider)
        planned = compilation.plan(wanted(gold, config, Optimizer.BOOTSTRAP, most_usd=0.1))
        with pytest.raises(ProgramError, match=r"the next request can cost \$0\.\d\d, and --max-usd allows \$0\.10"):
            compilation.run(planned, print)
        record = next((tmp_path / "home").rglob("*.calls.jsonl")).read_text(encoding="utf-8")
        costs = [json.loads(line)["cost_usd"] for line in record.splitlines()]
        assert 0 < sum(costs) <= 0.1 and len(costs) == provider.engine.counts.requests


def test_compile_under_a_cap_needs_prices_before_anything_is_asked(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    models = [
        {
            "name": "grader",
            "provider": "openai",
            "model": "x",
            "base_url": "http://127.0.0.1:9/v1",
            "parameters": {"max_tokens": 9},
        },
        *yaml.safe_load(small(tmp_path).read_text(encoding="utf-8"))["models"],
    ]
    config = small(tmp_path, models=models)
    with pytest.raises(FlowError, match=r"--max-usd: the prices of grader are unknown\. Give them \(models\.prices\)"):
        compilation.plan(wanted(gold, config, Optimizer.BOOTSTRAP, model="grader", most_usd=1.0))


@pytest.mark.parametrize("out", [".", "gold.jsonl/grader.json"])
def test_compile_to_a_file_that_cannot_be_written_says_so_before_anything_is_asked(
    out: str, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    with pytest.raises(FlowError, match="cannot be written. Name a file in a folder of yours"):
        compilation.plan(wanted(gold, small(tmp_path), Optimizer.BOOTSTRAP, out=tmp_path / out))


def test_same_request_at_the_same_time_is_sent_once(tmp_path: Path) -> None:
    record = CallFile(tmp_path / "calls.jsonl")
    budget = RequestBudget(10)
    with serve(latency_seconds=0.3) as provider:
        given = {"base_url": provider.openai_url, "parameters": {"max_tokens": 10}, "api_key_env": KEY_VARIABLE}
        spec = ModelSpec(name="m", provider="openai", model="grader/patterns", **given)
        lm = recording_model(spec, "grader", {KEY_VARIABLE: KEY}, record, budget)
        with ThreadPoolExecutor(4) as pool:
            said = list(pool.map(lambda _: lm("Hello"), range(4)))
        assert provider.engine.counts.requests == budget.sent == 1 and all(one == said[0] for one in said)


def test_optimiser_that_asks_a_batch_model_live_pays_live_prices(tmp_path: Path) -> None:
    record, prices = CallFile(tmp_path / "calls.jsonl"), {"input_usd_per_million": 2, "output_usd_per_million": 10}
    with serve() as provider:
        given = {"base_url": provider.openai_url, "parameters": {"max_tokens": 10}, "prices": prices, "mode": "batch"}
        spec = ModelSpec.model_validate({"name": "m", "provider": "openai", "model": "grader/patterns", **given})
        recording_model(spec, "grader", {}, record, RequestBudget(10))("Hello")
        assert provider.engine.counts.batches == 0 and provider.engine.counts.requests == 1
    [call] = [json.loads(line) for line in (tmp_path / "calls.jsonl").open(encoding="utf-8")]
    assert call["input_usd_per_million"] == 2


@pytest.mark.parametrize("optimizer", [Optimizer.MIPRO, Optimizer.GEPA])
def test_compile_instructions_by_rules_is_refused(
    optimizer: Optimizer, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    with pytest.raises(FlowError, match="needs a language model that writes instructions, and 'rules-grader' answers"):
        compilation.plan(wanted(gold, small(tmp_path), optimizer))


def test_compile_without_the_optimisers_package_says_what_to_install(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    told = re.escape(f"--optimizer mipro needs the package optuna: {install_command('compile')}")
    with pytest.raises(ProgramError, match=told):
        compilation.plan(wanted(gold, small(tmp_path), Optimizer.MIPRO))


def test_compile_with_a_model_that_never_answers_says_why(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serve() as provider:
        provider.plan = lambda asked: SimulatorFault.BAD_REQUEST
        planned = compilation.plan(wanted(gold, simulated(tmp_path / "round", provider), Optimizer.BOOTSTRAP))
        with pytest.raises(ProgramError, match="none of 5 cases was answered; the last error: "):
            compilation.run(planned, print)


def test_cases_of_one_prompt_are_never_divided(tmp_path: Path) -> None:
    rows = gold_rows(30)
    for number, row in enumerate(rows):
        row["prompt"] = [{"role": "user", "content": f"Prompt {number // 3}"}]
    cases = grader_cases(write_rows(tmp_path / "gold.jsonl", rows), "safety").cases
    for seed in range(5):
        parts = divided(cases, 24, seed)
        groups = [{case.group for case in part} for part in (parts.train, parts.validation, parts.held_out)]
        assert all(groups) and not groups[0] & groups[1] and not groups[2] & (groups[0] | groups[1])
        assert 20 <= sum(map(len, (parts.train, parts.validation, parts.held_out))) <= 24
    with pytest.raises(FlowError, match="6 judged cases of 2 prompts or base instances cannot be divided"):
        divided(cases[:6], 24, 0)


def test_compile_command_tells_cost_accuracy_and_that_rules_learn_nothing(gold: Path, tmp_path: Path) -> None:
    asked = ("compile", "grader", "--on", str(gold), "--config", str(small(tmp_path)), "--cases", "30")
    done = demur_here(*asked, home=tmp_path / "home")
    assert done.returncode == 0 and not done.stderr, done.stderr
    found = json.loads(demur_here(*asked, "--format", "json", home=tmp_path / "home").stdout)
    assert found["usd"] == 0 and found["requests"] == 0 and not found["accuracy"]["better"]
    assert Path(found["file"]).is_file() and found["accuracy"]["before"]["value"] == found["accuracy"]["after"]["value"]
    lines = done.stdout.splitlines()
    assert re.fullmatch(
        r"\d+ cases to learn from, .* held out; up to \d+ requests of rules-grader, about \$0\.00", lines[0]
    )
    assert (
        re.fullmatch(r"before: \d+\.\d% \(\d+\.\d% to \d+\.\d%\)", lines[2]) and lines[4] == "change: none in any case"
    )
    assert "the held-out cases do not show that it is better; more of them may" in lines
    assert lines[-1].startswith("use it: `compiled: {grader: ")
