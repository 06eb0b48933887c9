"""No circle of modules, counting imports inside functions and those for type checkers alike."""

import json
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GRAPH = """
import grimp, json
graph = grimp.build_graph("demur", cache_dir=None)
print(json.dumps({module: sorted(graph.find_modules_directly_imported_by(module)) for module in graph.modules}))
"""


@pytest.fixture(scope="module")
def imports() -> dict[str, list[str]]:
    """What every module of ours imports."""
    done = subprocess.run([sys.executable, "-c", GRAPH], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_modules_import_each_other_in_no_circle(imports: dict[str, list[str]]) -> None:
    assert "demur.flows.round" in imports["demur.api"]  # an import inside a function counts
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as exc:
        pytest.fail(" -> ".join(reversed(exc.args[1])))
