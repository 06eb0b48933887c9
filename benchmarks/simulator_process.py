"""`demur simulate` in a process of its own, and rounds whose models stand behind it."""

import json
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from demur_process import command, environment, write_config

from demur.configuration.round_config import SHIPPED


@dataclass(frozen=True, slots=True)
class RunningSimulator:
    """A simulator that takes requests."""

    port: int
    pid: int

    def stats(self) -> dict[str, Any]:
        """Return what it was asked and has answered so far."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats", timeout=30) as page:
            told: dict[str, Any] = json.loads(page.read())
        return told


@contextmanager
def simulator(folder: Path, *options: str) -> Iterator[RunningSimulator]:
    """Yield a simulator on a free port, started with further options of `demur simulate`; end it afterwards."""
    process = subprocess.Popen(
        command("simulate", "--port", "0", *options), env=environment(folder), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if "base_url" not in line:
            raise RuntimeError(f"demur simulate did not start: {line}")
        yield RunningSimulator(int(line.rpartition(":")[2].split("/")[0]), process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def write_simulated(
    folder: Path,
    port: int,
    *,
    mode: str = "live",
    prices: dict[str, float] | None = None,
    limits: dict[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """Write the configuration of a rehearsal at a simulator, with some top-level fields, prices and limits replaced."""
    config = yaml.safe_load((SHIPPED / "rehearsal.yaml").read_text(encoding="utf-8"))
    for model in config["models"]:
        path = "/v1" if model["provider"] == "openai" else ""
        model |= {"base_url": f"http://127.0.0.1:{port}{path}", "mode": mode}
        model["limits"] |= {"retries": 20, "timeout_seconds": 20, "batch_poll_seconds": 0.5, "batch_missing_seconds": 5}
        model["limits"] |= limits or {}
        model["prices"] |= prices or {}
    path_of_config = folder / "round.yaml"
    path_of_config.write_text(yaml.safe_dump(config | changes, sort_keys=False), encoding="utf-8")
    return path_of_config


FAULTS = ("--latency", "0.05", "--fault-rate", "0.2", "--faults", "transient,batches", "--retry-after", "0.1")
"""Hanging connections, which are among them, end with the clients' time limit."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a round finds its models: its arguments, and how many answers they have given, None for the rules."""

    arguments: list[str]
    answered: Callable[[], int | None]


@contextmanager
def models_of(folder: Path, mode: str | None, **changes: Any) -> Iterator[Place]:
    """Yield the place of a round's models: embedded ones, or a simulator of the round's own in a `mode`."""
    if mode is None:
        yield Place(["round", str(write_config(folder, **changes))], lambda: None)
        return
    with simulator(folder, *FAULTS, "--batch-seconds", "3") as running:
        config = write_simulated(folder, running.port, mode=mode, batch_shard_size=200, **changes)
        yield Place(["round", str(config), "--no-probe"], lambda: int(running.stats()["answered"]))
