import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import demur
from demur.errors import FlowError
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from tests.flows.response_rows import hand_made
from tests.flows.rounds import ROOT


def test_import_loads_no_heavy_library() -> None:
    heavy = "('pandas', 'prefect', 'dspy', 'duckdb', 'pandera', 'great_expectations')"
    script = f"import sys, demur; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        AttributeError, match="no attribute 'evaluat'; it has Results, evaluate, open, run_round, score, trainer_reward"
    ):
        demur.evaluat  # noqa: B018


@pytest.mark.slow(seconds=60)
@pytest.mark.exhaustive
def test_notebook_of_the_docs_runs_and_its_results_are_frames(
    tmp_path: Path, prefect_api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert set(names["scores"]["model"]) == {"unnamed"}
    board, items, responses = names["results"].leaderboard(), names["items"], names["results"].responses()
    recorded = {f"respondent-{one}{prompts}" for one in "ab" for prompts in ("", " (ours)")}
    assert set(board["respondent"][: len(recorded)]) == recorded
    assert list(board["respondent"])[-1] == "qwen-coder-0.5b"
    assert board["calibrated_refusal_score"].is_monotonic_decreasing
    assert {"perturbed", "control"} == set(items["kind"])
    assert len(responses) == len(items) * len(board)
    again = demur.open(tmp_path / "demur-notebook")
    assert list(again.rounds()["round_id"]) == ["embedded"]
    pd.testing.assert_frame_equal(again.leaderboard("embedded"), board)
    assert again.sql("SELECT count(*) AS n FROM live_items")["n"].tolist() == [len(items)]
    with pytest.raises(ValueError, match="no round is named"):
        again.items()


def test_home_without_a_warehouse_and_statements_that_write_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WarehouseMissingError):
        demur.open(tmp_path).rounds()


def test_configuration_that_is_not_there_is_refused_before_prefect_starts(tmp_path: Path) -> None:
    with pytest.raises(FlowError, match=r"nowhere\.yaml"):
        demur.run_round("nowhere.yaml", home=tmp_path)


def test_score_gives_what_the_command_gives_and_leaves_out_malformed_rows() -> None:
    rows = hand_made()
    frame = demur.score(pd.DataFrame(rows), replicates=50)
    overall = frame[frame["class"].isna() & frame["intensity"].isna()].set_index("metric")
    assert overall.loc["answer_accuracy", "n"] == overall.loc["refusal_accuracy", "n"] == 5
    broken = pd.DataFrame([*rows, {**rows[0], "item_id": "a99", "expected": "PERHAPS"}])
    with pytest.warns(UserWarning, match=f"1 of {len(broken)} rows are left out; the first: row {len(rows)}: expected"):
        demur.score(broken, replicates=50)
    with pytest.raises(FlowError, match="expected .*strict=False"):
        demur.score(broken, replicates=50, strict=True)


def test_statement_that_writes_is_refused(tmp_path: Path) -> None:
    from demur.warehouse.connection import writing
    from demur.warehouse.home import Home
    from demur.warehouse.publication import publish

    home = Home(tmp_path)
    with writing(home, wait_seconds=0):
        pass
    publish(home)
    with pytest.raises(WarehouseError, match="statements that only read"):
        demur.open(tmp_path).sql("DROP TABLE rounds")
