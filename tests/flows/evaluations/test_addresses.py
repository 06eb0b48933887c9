"""Releases by address: over HTTP, from a data set of the Hub; altered, incomplete, refused."""

import functools
import json
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.evaluations.evaluation_request import EvaluationRequest, planned_evaluation
from demur.flows.evaluations.release_sources import verified_release
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from tests.exchange.exporting.hub_server import running_hub
from tests.flows.rounds import demur_here

pytestmark = [pytest.mark.slow(seconds=30), pytest.mark.usefixtures("prefect_api")]


@pytest.fixture
def served(released: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a folder of releases, and the folder."""
    folder = tmp_path / "served"
    shutil.copytree(released / "releases", folder, copy_function=shutil.copyfile)
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.func.log_message = lambda *_: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/embedded/1", folder / "embedded" / "1"
        server.shutdown()


def test_release_at_an_address_is_copied_once_and_planned(
    served: tuple[str, Path], demur_home: Path, released: Path
) -> None:
    pytest.importorskip("fsspec")
    address, folder = served
    found = verified_release(Home(demur_home), address)
    assert found.digest == verified_release(Home(released), "embedded/1").digest
    assert found.path.parent == demur_home / "fetched"
    (folder / "items.parquet").unlink()  # what is here already is not read again
    assert verified_release(Home(demur_home), address).path == found.path
    plan = planned_evaluation(EvaluationRequest(address, ("always-refuses",)))
    planned = {row.stage: row.units for row in plan.rows}
    assert planned.keys() == {"respond", "judge"} and planned["respond"] == found.items
    assert 0 < planned["judge"] < found.items, "some responses are expected to be one code, which needs no judge"


def test_altered_incomplete_and_missing_releases_are_refused_in_one_message(
    served: tuple[str, Path], demur_home: Path, released: Path
) -> None:
    pytest.importorskip("fsspec")
    address, folder = served
    home = Home(demur_home)
    items = (folder / "items.jsonl").read_text(encoding="utf-8")
    (folder / "items.jsonl").write_text(items[:-2] + " \n", encoding="utf-8")
    for place in (address, str(folder)):
        with pytest.raises(WarehouseError, match=r"(?s)items\.jsonl: sha256 is .*nothing was done") as altered:
            verified_release(home, place)
        assert "Traceback" not in str(altered.value)
    (folder / "items.jsonl").unlink()
    with pytest.raises(ConfigError, match=r"items\.jsonl: cannot be read"):
        verified_release(Home(demur_home.parent / "other"), address)
    with pytest.raises(WarehouseError, match=r"items\.jsonl: missing"):
        verified_release(home, str(folder))
    with pytest.raises(ConfigError, match=r"nowhere/manifest\.json: cannot be read"):
        verified_release(home, address.replace("/1", "/nowhere"))
    with pytest.raises(WarehouseError, match=r"release 'embedded/9' does not exist; there are: embedded/1"):
        verified_release(Home(released), "embedded/9")


def test_manifest_that_names_files_outside_the_release_is_refused(served: tuple[str, Path], demur_home: Path) -> None:
    pytest.importorskip("fsspec")
    address, folder = served
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"]["../../outside"] = manifest["files"]["items.jsonl"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(WarehouseError, match=rf"{address}.*outside' outside the release"):
        verified_release(Home(demur_home), address)
    assert not list(demur_home.glob("fetched/*"))


def test_release_pushed_to_the_hub_is_evaluated_from_there(
    released: Path, demur_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_hub(monkeypatch, tmp_path) as hub:
        from huggingface_hub import HfFileSystem

        HfFileSystem.clear_instance_cache()
        pushed = demur_here("release", "push", "embedded/1", "--to", "hf:owner/refusal", home=released)
        assert pushed.returncode == 0, pushed.stderr
        evaluated_from("hf://owner/refusal/release", released, demur_home)
        HfFileSystem.clear_instance_cache()
        monkeypatch.setenv("HF_TOKEN", "hf_of_somebody_else")
        with pytest.raises(ConfigError, match=r"owner/refusal/release/manifest\.json: cannot be read") as refused:
            verified_release(Home(tmp_path / "other"), "hf://owner/refusal/release")
        assert "HF_TOKEN" in str(refused.value) and "hf_of_somebody_else" not in str(refused.value)
        HfFileSystem.clear_instance_cache()
        assert hub.commits == 1


def evaluated_from(address: str, released: Path, home: Path) -> None:
    """A release at an address is the one that was pushed there, and what models would answer is planned."""
    found = verified_release(Home(home), address)
    assert found.digest == verified_release(Home(released), "embedded/1").digest
    plan = planned_evaluation(EvaluationRequest(address, ("always-refuses",)))
    planned = {row.stage: row.units for row in plan.rows}
    assert planned.keys() == {"respond", "judge"} and planned["respond"] == found.items
    assert 0 < planned["judge"] < found.items, "some responses are expected to be one code, which needs no judge"
