"""Releases published to the Hub, to an object store, and into a folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exchange.exporting.hub_server import HubServer, running_hub
from tests.exchange.exporting.releases import write_release
from tests.flows.rounds import demur_here
from tests.object_store import running_store


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("frozen") / "handmade")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    with running_hub(monkeypatch, tmp_path) as server:
        yield server


def pushed(release: Path, target: str, *more: str, home: Path) -> tuple[int, str, str]:
    done = demur_here("release", "push", str(release), "--to", target, *more, home=home)
    return done.returncode, done.stdout, done.stderr


def test_push_to_the_hub_is_private_and_one_commit(release: Path, hub: HubServer, tmp_path: Path) -> None:
    status, said, problems = pushed(release, "hf:owner/refusal", home=tmp_path)
    assert status == 0, problems
    assert (hub.private, hub.commits) == ({"owner/refusal": True}, 1)
    files = hub.files["owner/refusal"]
    assert files["release/items.jsonl"] == (release / "items.jsonl").read_bytes()
    assert files["data/items/test-00000-of-00001.parquet"].startswith(b"PAR1")
    assert files["README.md"].startswith(b"---\n")
    assert "(private)" in said


def test_push_dry_run_lists_what_would_go_and_sends_nothing(release: Path, hub: HubServer, tmp_path: Path) -> None:
    status, said, _ = pushed(release, "hf:owner/refusal", "--dry-run", home=tmp_path)
    assert (status, hub.private, hub.commits) == (0, {}, 0)
    assert "release/manifest.json" in said
    assert "would be sent to hf:owner/refusal" in said


def test_push_into_a_public_repository_needs_to_be_said(release: Path, hub: HubServer, tmp_path: Path) -> None:
    assert pushed(release, "hf:owner/refusal", "--public", home=tmp_path)[0] == 0
    assert hub.private == {"owner/refusal": False}
    status, _, problem = pushed(release, "hf:owner/refusal", home=tmp_path)
    assert (status, "already exists and is public" in problem, hub.commits) == (2, True, 1)


def test_push_that_the_hub_refuses_is_one_clear_error(
    release: Path, hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody_else")
    status, said, problem = pushed(release, "hf:owner/refusal", home=tmp_path)
    assert (status, said, hub.private) == (2, "", {})
    assert problem.startswith("demur: --to hf:owner/refusal: the Hub refused (")
    assert "401" in problem and "HF_TOKEN" in problem and problem.count("\n") == 1
    assert "hf_of_somebody_else" not in problem


def test_push_into_a_folder_is_the_release_itself(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "shelf" / "1"
    assert pushed(release, str(target), home=tmp_path)[0] == 0
    assert demur_here("release", "verify", str(target), home=tmp_path).returncode == 0
    (target / "manifest.json").unlink()  # as an interrupted push leaves it
    assert pushed(release, str(target), home=tmp_path)[0] == 0
    assert demur_here("release", "verify", str(target), home=tmp_path).returncode == 0


def test_push_overwrites_nothing(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "shelf"
    target.mkdir()
    (target / "notes.txt").write_text("mine", encoding="utf-8")
    status, _, problem = pushed(release, str(target), home=tmp_path)
    assert (status, "already has a different file 'notes.txt'" in problem) == (2, True)
    assert [path.name for path in target.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("target", ["hf:nobody", "ftp://host/folder"])
def test_push_to_no_address_is_refused(release: Path, tmp_path: Path, target: str) -> None:
    status, _, problem = pushed(release, target, home=tmp_path)
    assert (status, "Write hf:OWNER/NAME" in problem or "Use hf:OWNER/NAME" in problem) == (2, True)


def test_push_to_an_object_store_is_the_release_itself(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_store(monkeypatch) as shelf:
        from pyarrow import fs

        target = f"{shelf}/handmade/1"
        for _ in range(2):  # what is there already is not sent again
            status, _, problem = pushed(release, target, home=tmp_path)
            assert status == 0, problem
        store, root = fs.FileSystem.from_uri(target)
        found = {info.path: info.size for info in store.get_file_info(fs.FileSelector(root))}
        assert found == {f"{root}/{path.name}": path.stat().st_size for path in release.iterdir()}
        status, _, problem = pushed(release, "s3://absent/handmade/1", home=tmp_path)
        assert (status, "cannot be written" in problem) == (2, True)
