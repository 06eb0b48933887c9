"""Small rounds for tests: configurations written to a folder, stages of one's own, commands in a process."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect import flow

from demur.configuration.round_config import SHIPPED
from demur.engine.logs import observe, observer
from demur.engine.models import ModelUse
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import OpenWork, Plan
from demur.flows.stages.bases.ingest import INGEST

ROOT = Path(__file__).parents[3]
ONE_CLASS = {"lever_choice": "generator", "replicates": 1, "classes": ["P-MissingInfo"]}
"""The three strata of a round that needs no more."""


FIT = {
    "policies": ["selective_refusal"],
    "safety_prompts": None,
    "items_for_comparisons": 12,
    "margin": 1.0,
    "l2": 0.01,
    "held_out": 0.3,
    "bootstrap": 0,
}
NO_POLICY = FIT | {"policies": []}
"""Of a round that writes no completions and fits no rewards."""


def write_config(folder: Path, *, shipped: Path = SHIPPED, **changes: Any) -> Path:
    """Write the configuration of the rules lane, called `embedded`, with some fields replaced, and return its path."""
    config = yaml.safe_load((shipped / "rules.yaml").read_text(encoding="utf-8"))
    config |= {"name": "embedded", "round_id": "embedded"} | changes
    path = folder / f"{config['name']}.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def small(folder: Path, **changes: Any) -> Path:
    """Write the configuration of a two-base round in which everything still happens."""
    settings = {"bases": 2, "items_per_stratum": 2, "score_replicates": 100, "fit": FIT, "shard_size": 60}
    return write_config(folder, **(settings | changes))


def base_inputs(number: int, question: str, answer: str, text: str) -> dict[str, Any]:
    """The inputs of a unit that lands one base instance of one passage."""
    return {
        "base_id": f"base-{number}",
        "source_id": str(number),
        "draw": number,
        "layout": "single",
        "domain": None,
        "title": None,
        "question": question,
        "answers": [answer],
        "passages": [{"index": 0, "text": text, "relevant": True, "title": None}],
    }


def landing_bases(plan: Plan, open_work: OpenWork, *models: str, name: str = "ingest") -> Stage:
    """A stage of one's own that lands base instances and asks these models."""
    use = (
        ModelUse(lambda context: models, lambda context, sizes, rates: iter(()), ReplyKey(name, (), ""))
        if models
        else None
    )
    return replace(INGEST, name=name, plan=plan, open_work=open_work, use=use)


def whole_round(config: Path, home: Path | str) -> str:
    """Run a round, or what is left of it, in this process, and return its release.

    A process of its own would import for ten seconds what this one has.
    """
    from demur.flows.round import round_flow

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(home))
        return round_flow(config=str(config), probe=False)


def first_stages(config: Path, home: Path | str, *stages: Stage, **request: Any) -> int:
    """Run a round up to its base instances, then further stages, and return the number of base instances.

    Unlike the flows of a round's parts, this writes no Data Docs, which take as long as several stages.
    """
    from demur.engine.models import skip_preflight
    from demur.engine.tasks import open_engine
    from demur.flows.rounds.request import RoundRequest
    from demur.flows.rounds.session import round_session
    from demur.flows.stages.bases.screening_waves import ingest_and_screen
    from demur.flows.stages.registry import run_stages

    @flow(name="first-stages")
    def stages_flow() -> int:
        with round_session(RoundRequest(str(config), **request)) as context:
            skip_preflight(context)
            with open_engine(context):
                bases = ingest_and_screen(context)
                run_stages(context, *stages)
        return bases

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(home))
        return stages_flow()


def demur(*arguments: str, home: Path, timeout: float = 900) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        command(*arguments), env=environment(home), cwd=ROOT, capture_output=True, text=True, timeout=timeout
    )


def demur_here(*arguments: str, home: Path | str) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process, which saves its imports; an exception that it does not explain is raised.

    For commands that start no round: those settle how Prefect behaves in their process.
    """
    from demur import cli

    out, err = io.StringIO(), io.StringIO()
    before = observer()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(ROOT)
        patch.setenv("DEMUR_HOME", str(home))
        patch.setattr(sys, "argv", ["demur", *arguments])
        patch.setattr(cli, "exit_process", sys.exit)  # leaves the process where it stands
        with pytest.raises(SystemExit) as ended:
            cli.main()
    observe(before)
    return subprocess.CompletedProcess(list(arguments), int(ended.value.code or 0), out.getvalue(), err.getvalue())


@contextmanager
def holding(path: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """Let a process of its own have a file of DuckDB open for so long, from before the block is entered."""
    hold = (
        "import duckdb, sys, time\n"
        "con = duckdb.connect(sys.argv[1]); print('held', flush=True); time.sleep(float(sys.argv[2]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", hold, str(path), str(seconds)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.wait()


@contextmanager
def held_elsewhere(home: str, round_id: str) -> Iterator[subprocess.Popen[str]]:
    """Let a process of its own work on a round of a home, until it is killed or the block ends."""
    hold = (
        "import sys\n"
        "from demur.configuration.settings import home_at\n"
        "from demur.engine.round_lock import round_lock\n"
        "with round_lock(home_at(sys.argv[1]), sys.argv[2]):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", hold, home, round_id]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def begun(*arguments: str, env: dict[str, str], stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start the command line in a process group of its own, to be killed, and keep what it says of its progress."""
    return subprocess.Popen(
        command(*arguments), env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=stderr, text=True,
        start_new_session=True,
    )  # fmt: skip


def command(*arguments: str) -> list[str]:
    """The command line as a process is started with it."""
    return [sys.executable, "-c", "from demur.cli import main; main()", *arguments]


def environment(home: Path) -> dict[str, str]:
    """The environment of such a process."""
    return {**os.environ, "DEMUR_HOME": str(home)}
