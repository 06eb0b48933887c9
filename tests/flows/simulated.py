"""Rounds whose models stand behind HTTP, at the simulator: their configuration, and what came of them."""

import hashlib
from pathlib import Path
from typing import Any

from demur.lanes.simulator.server import Simulator
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import ONE_CLASS, small

KEY_VARIABLE = "PLANTED_KEY"
KEY = "sk-planted-fedcba9876543210"
ROUND = "simulated"
MODELS = {
    "gen-o": ("openai", "recipes/terse"),
    "gen-a": ("anthropic", "recipes/elaborate"),
    "ver-o": ("openai", "verifier/editor"),
    "ver-a": ("anthropic", "verifier/editor"),
    "res-o": ("openai", "respondent/lexical-overlap"),
    "res-a": ("anthropic", "respondent/defect-spotter"),
    "judge": ("openai", "judge/patterns"),
    "writer": ("anthropic", "writer/phrases"),
    "grader": ("openai", "grader/patterns"),
}
ROLES = {
    "screeners": ["res-o"],
    "generators": ["gen-o", "gen-a"],
    "verifiers": ["ver-o", "ver-a"],
    "respondents": ["res-o", "res-a"],
    "judges": ["judge"],
    "writer": "writer",
    "grader": "grader",
}
SEED = 12
"""With it the round accepts perturbations of both classes: seven."""
TWO_CLASSES = ONE_CLASS | {"classes": ["P-Ambiguity", "P-MissingInfo"]}
GATES = {"failure_rate": 1.0, "acceptance": 0.0, "coverage": 0.0, "balance": 0.0, "screening": 0.0, "invalid": 1.0}
GATES |= {"unreadable": 1.0}
LIMITS = {"concurrency": 8, "retries": 12, "batch_poll_seconds": 0.2, "batch_missing_seconds": 2}


def models_at(
    simulator: Simulator, named: dict[str, tuple[str, str]], *, mode: str = "live", timeout_seconds: float = 60
) -> list[dict[str, Any]]:
    """Return the specs of models at a simulator, by name with lane and model."""
    return [
        {
            "name": name,
            "provider": lane,
            "model": model,
            "base_url": simulator.anthropic_url if lane == "anthropic" else simulator.openai_url,
            "api_key_env": KEY_VARIABLE,
            "parameters": {"max_tokens": 4000},
            "prices": {"input_usd_per_million": 2, "output_usd_per_million": 8},
            "limits": {**LIMITS, "timeout_seconds": timeout_seconds},
            "mode": mode,
        }
        for name, (lane, model) in named.items()
    ]


def simulated(
    folder: Path, simulator: Simulator, *, mode: str = "live", timeout_seconds: float = 60, **changes: Any
) -> Path:
    """Write the configuration of a small round at a simulator; what decides its results is always the same.

    Where answers hang, a shorter time limit saves time; elsewhere it would be met on a busy machine.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "name": ROUND,
        "round_id": ROUND,
        "models": models_at(simulator, MODELS, mode=mode, timeout_seconds=timeout_seconds),
        "roles": ROLES,
        "gates": GATES,
        "generation": TWO_CLASSES,
        "items_per_stratum": 4,
        "seed": SEED,
    }
    return small(folder, **(settings | changes))


def rows(home: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what a question to the loader's file finds."""
    with reading(Home(home), "loader", wait_seconds=30) as con:
        return con.execute(query).fetchall()


def number(home: Path, query: str) -> int:
    """Return the one number that a question finds."""
    [(found,)] = rows(home, query)
    return int(found)


def data_files(home: Path) -> dict[str, str]:
    """Return the checksums of the newest release's data files, provenance left out."""
    release = max((home / "releases" / ROUND).glob("[0-9]*"), key=lambda path: int(path.name))
    files = [path for path in release.iterdir() if path.suffix in {".parquet", ".jsonl"}]
    files += release.glob("rewards/*.json")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.stem != "provenance"}


def unfinished_units(home: Path) -> dict[str, tuple[int, int, int]]:
    """Return, by stage, units planned, units that ended neither as rows nor as a failure, units that ended as both."""
    found = {}
    with reading(Home(home), "loader", wait_seconds=30) as con:
        for stage, table in STAGE_TABLES.items():
            counted = con.execute(
                f"""
                WITH landed AS (SELECT DISTINCT unit_id FROM {table}),
                failed AS (SELECT DISTINCT unit_id FROM failures WHERE stage = $stage AND reason <> '' AND detail <> '')
                SELECT count(*),
                    count(*) FILTER (l.unit_id IS NULL AND f.unit_id IS NULL),
                    count(*) FILTER (l.unit_id IS NOT NULL AND f.unit_id IS NOT NULL)
                FROM units u LEFT JOIN landed l USING (unit_id) LEFT JOIN failed f USING (unit_id)
                WHERE u.stage = $stage
                """,
                {"stage": stage},
            ).fetchall()
            found[stage] = counted[0]
    return found


STAGE_TABLES = {
    "screen": "screenings",
    "generate": "perturbations",
    "verify": "verdicts",
    "respond": "responses",
    "judge": "judgements",
    "write": "completions",
    "grade": "grades",
}
"""Stages that ask models, and the tables in which their units land."""
