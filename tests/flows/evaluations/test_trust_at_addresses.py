"""Strangers' releases over HTTP, from the Hub and from an object store: refused before anything is sent."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import demur
from demur.errors import FlowError
from demur.exchange.exporting.export import export_release
from demur.exchange.exporting.items import ExportRequest
from demur.flows.evaluations.evaluation_request import EvaluationRequest, planned_evaluation
from demur.flows.rounds.request import RoundRequest, find_round_config
from demur.flows.rounds.session import check_start
from demur.programs.options import Prompts
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import sha256
from demur.warehouse.stores import store_at
from tests.exchange.exporting.hub_server import running_hub
from tests.flows.evaluations.test_trust import MODEL, SECRET, VARIABLE, judge, listener, released
from tests.object_store import needs_store, running_store

__all__ = ["listener"]


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@contextmanager
def over_http(folder: Path, _: pytest.MonkeyPatch) -> Iterator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.func.log_message = lambda *_: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextmanager
def from_the_hub(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[str]:
    with running_hub(patch, folder.parent) as hub:
        from huggingface_hub import HfFileSystem

        HfFileSystem.clear_instance_cache()
        hub.private["stranger/set"] = False
        hub.files["stranger/set"] = {str(path.relative_to(folder)): path.read_bytes() for path in files_below(folder)}
        yield "hf://datasets/stranger/set"
        HfFileSystem.clear_instance_cache()


@contextmanager
def from_a_store(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[str]:
    with running_store(patch) as shelf:
        store, path = store_at(f"{shelf}/theirs")
        for file in files_below(folder):
            with store.open_output_stream(f"{path}/{file.relative_to(folder)}") as copy:
                copy.write(file.read_bytes())
        yield f"{shelf}/theirs"


DOORS = [
    pytest.param(over_http, id="http"),
    pytest.param(from_the_hub, id="hf"),
    pytest.param(from_a_store, id="s3", marks=needs_store),
]
OURS = "ours=rules:judge/patterns"


@pytest.mark.parametrize("door", DOORS)
def test_release_of_a_stranger_at_an_address_is_refused_before_anything_is_sent(
    tmp_path: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch, door: Any, listener: tuple[str, list[str]]
) -> None:
    pytest.importorskip("fsspec")
    address, heard = listener
    recorded = {"name": "replies", "provider": "recorded", "model": "respondent-a", "file": "items.jsonl"}
    folder = tmp_path / "releases"
    released(folder / "asks" / "1", judge(base_url=address, api_key_env="KEY_OF_THE_USER"), recorded)
    released(folder / "imports" / "1", metrics=["of-a-package"])
    monkeypatch.setenv("KEY_OF_THE_USER", SECRET)
    with door(folder, monkeypatch) as base:
        for name, request, named in (
            ("asks/1", EvaluationRequest("", (MODEL,)), "the variable KEY_OF_THE_USER"),
            ("asks/1", EvaluationRequest("", ("replies",), judge=OURS), "the file items.jsonl"),
            ("imports/1", EvaluationRequest("", (MODEL,)), "the metric 'of-a-package'"),
        ):
            with pytest.raises(FlowError, match=named) as refused:
                planned_evaluation(replace(request, release=f"{base}/{name}"))
            said = str(refused.value)
            assert "not frozen in this home" in said and sha256(folder / name / "manifest.json") in said
            assert SECRET not in said
        with pytest.raises(FlowError, match="the variable KEY_OF_THE_USER"):
            demur.evaluate(f"{base}/asks/1", MODEL, home=demur_home)
    assert not heard


@pytest.mark.parametrize("tool", ["inspect", "lm-eval"])
def test_tasks_made_of_a_strangers_release_name_nothing_of_its_configuration(tmp_path: Path, tool: str) -> None:
    folder = released(tmp_path / "release", judge(base_url="http://elsewhere/v1", api_key_env=VARIABLE))
    target = tmp_path / "task"
    export_release(Home(tmp_path / "home"), str(folder), tool, target, ExportRequest(Prompts.PUBLISHED, None, "en"))
    written = b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    assert written and b"elsewhere" not in written and VARIABLE.encode() not in written


@pytest.mark.parametrize("place", ["https://elsewhere/r.yaml", "hf://owner/r.yaml", "s3://shelf/r.yaml"])
def test_configuration_of_a_round_at_an_address_is_not_read(place: str) -> None:
    for read in (find_round_config, lambda at: check_start(RoundRequest(config=at))):
        with pytest.raises(FlowError, match=r"is an address.*download it"):
            read(place)  # type: ignore[operator]
