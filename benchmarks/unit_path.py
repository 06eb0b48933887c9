"""Modules of ours that run for a unit of the stage verify: a live model over HTTP, a cap, a home of files.

    python benchmarks/unit_path.py [--functions]

A round of one base instance goes as far as verify, so that every late import is done. A second one does the same, and
each function of ours that is called while its stage verify runs is noted with its module. What runs at import is not
counted. `--functions` lists the functions.
"""

import argparse
import inspect
import os
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
OURS = str(ROOT / "demur") + os.sep


def config(folder: Path, name: str, address: str) -> Path:
    """Write the configuration of a round whose verifier stands behind HTTP, and return its path."""
    path = ROOT / "demur" / "deployments" / "rounds" / "rules.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    model = {
        "name": "verifier-over-http",
        "provider": "openai",
        "model": "verifier/editor",
        "base_url": address,
        "api_key_env": "KEY_OF_THE_SIMULATOR",
        "parameters": {"max_tokens": 4000},
        "prices": {"input_usd_per_million": 2, "output_usd_per_million": 8},
    }
    content["name"] = content["round_id"] = name
    content["models"] = [*content["models"], model]
    content["roles"] |= {"generators": ["rules-terse"], "verifiers": [model["name"]]}
    content["generation"] |= {"classes": ["P-MissingInfo"]}
    content["gates"] = dict.fromkeys(("acceptance", "coverage", "balance", "screening"), 0.0)
    written = folder / f"{name}.yaml"
    written.write_text(yaml.safe_dump(content), encoding="utf-8")
    return written


class Noted:
    """Functions of ours that began while it was on, by module."""

    def __init__(self) -> None:
        self.functions: dict[str, set[str]] = defaultdict(set)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note the function that a frame begins."""
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS) and code.co_flags & inspect.CO_OPTIMIZED:
            self.functions[code.co_filename.removeprefix(OURS)].add(code.co_qualname)

    def during(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that notes while it runs, in its thread and in those that begin meanwhile."""

        def noting(*given: Any) -> Any:
            threading.setprofile(self)
            sys.setprofile(self)
            try:
                return function(*given)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)

        return noting


def main() -> None:
    """Run, and print the modules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", action="store_true")
    functions = parser.parse_args().functions
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DEMUR_HOME": f"{folder}/home",
            "PREFECT_HOME": f"{folder}/prefect",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "KEY_OF_THE_SIMULATOR": "any",
        }
        from demur.flows import round as flows
        from demur.lanes.simulator.server import serve

        noted = Noted()
        with serve() as simulator:
            for name in ("first", "second"):
                request = {"config": str(config(Path(folder), name, simulator.openai_url)), "bases": 1, "max_usd": 5.0}
                flows.ingest(**request)
                flows.generate(**request)
                if name == "second":
                    flows.run_stages = noted.during(flows.run_stages)
                reports = flows.verify(**request)
    print(f"{len(noted.functions)} modules, {sum(map(len, noted.functions.values()))} functions; {reports}")
    for module, names in sorted(noted.functions.items()):
        print(module, *(sorted(names) if functions else ()), sep="\n    " if functions else "")


if __name__ == "__main__":
    main()
