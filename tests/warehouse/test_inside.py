"""Manifests of strangers: names that lead elsewhere, names in odd spellings, and links, at every door of a release."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demur.exchange.exporting.export import export_release
from demur.exchange.exporting.items import ExportRequest
from demur.exchange.exporting.publishing import PushRequest, push_release
from demur.flows.evaluations.release_differences import release_diff
from demur.programs.options import Prompts
from demur.reports.explorer.export import opened_release
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home, is_inside
from demur.warehouse.releases.manifest import File, canonical, identity_digest, sha256
from demur.warehouse.releases.verifying import sign_release, unaltered_release, verify_release
from tests.exchange.exporting.releases import write_release
from tests.flows.rounds import demur_here

HOSTNAME = Path("/etc/hostname")


def with_files(folder: Path, named: dict[str, Path]) -> Path:
    """Write a manifest that also names these files, with their right checksums; return the folder."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for name, file in named.items():
        manifest["files"][name] = {"sha256": sha256(file), "bytes": file.stat().st_size, "identity": True}
    files = {name: File.model_validate(file) for name, file in manifest["files"].items()}
    path.write_bytes(canonical({**manifest, "digest": identity_digest(files)}))
    return folder


def doors(home: Home, folder: Path, tmp_path: Path) -> dict[str, Callable[[], Any]]:
    """Return what opens a release, by name."""
    place, asked = str(folder), ExportRequest(Prompts.PUBLISHED, "other", "en")

    def explored() -> None:
        with opened_release(home, place):
            pass

    return {
        "evaluate": lambda: unaltered_release(home, place),
        "export": lambda: export_release(home, place, "inspect", tmp_path / "task", asked),
        "push": lambda: push_release(home, PushRequest(place, str(tmp_path / "shelf"), False, *vars_of(asked))),
        "diff": lambda: release_diff(home, place, place),
        "sign": lambda: sign_release(home, place, tmp_path / "key"),
        "explore": explored,
    }


def vars_of(asked: ExportRequest) -> tuple[Prompts, str, str]:
    return asked.prompts, asked.licence, asked.language


@pytest.mark.parametrize(
    "name",
    [
        "../../../../../../../../etc/hostname",
        "/etc/hostname",
        "rewards/../../x",
        "./items.jsonl",
        "rewards//x",
        "..\\x",
        "C:\\x",
        "c:x",
        "x::file:///etc/hostname",
        "%2e%2e/x",
        "items.jsonl?x",
        "Items.jsonl",
        "manifest.json",
        ".hidden",
        "",
        "a\nb",
        "~/x",
    ],
)
def test_manifest_that_names_a_file_elsewhere_or_oddly_is_refused_at_every_door(tmp_path: Path, name: str) -> None:
    folder = with_files(write_release(tmp_path / "release"), {name: HOSTNAME})
    home = Home(tmp_path / "home")
    for opened in (lambda: verify_release(home, str(folder)), *doors(home, folder, tmp_path).values()):
        with pytest.raises(WarehouseError, match=r"manifest\.json: names .*do not use this release") as refused:
            opened()
        assert repr(name) in str(refused.value)
    assert not (tmp_path / "shelf").exists() and not (tmp_path / "task").exists()


def test_file_named_twice_in_a_manifest_is_refused(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    text = (folder / "manifest.json").read_text(encoding="utf-8")
    other = '"items.jsonl": {"sha256": "0", "bytes": 1, "identity": true}, "items.jsonl"'
    (folder / "manifest.json").write_text(text.replace('"items.jsonl"', other, 1), encoding="utf-8")
    with pytest.raises(WarehouseError, match=r"'items\.jsonl' occurs twice"):
        verify_release(Home(tmp_path / "home"), str(folder))


@pytest.mark.parametrize("where", ["file", "folder", "manifest", "signature", "unlisted folder"])
def test_links_in_a_release_are_refused_and_never_copied(tmp_path: Path, where: str) -> None:
    folder, elsewhere = write_release(tmp_path / "release"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.json").write_text("{}", encoding="utf-8")
    if where == "file":
        (folder / "secret.json").symlink_to(elsewhere / "secret.json")
        with_files(folder, {"secret.json": elsewhere / "secret.json"})
    elif where == "folder":
        (folder / "rewards").symlink_to(elsewhere)
        with_files(folder, {"rewards/secret.json": elsewhere / "secret.json"})
    elif where == "manifest":
        shutil.move(folder / "manifest.json", elsewhere)
        (folder / "manifest.json").symlink_to(elsewhere / "manifest.json")
    elif where == "signature":
        (folder / "manifest.json.sig").symlink_to(elsewhere / "secret.json")
    else:
        (folder / "more").symlink_to(elsewhere)
    home = Home(tmp_path / "home")
    found = verify_release(home, str(folder)).problems
    assert any("is a link" in problem or "more: not in the manifest" in problem for problem in found), found
    for door, opened in doors(home, folder, tmp_path).items():
        if door not in ("explore", "sign"):
            with pytest.raises(WarehouseError, match="does not match its manifest, and nothing was done"):
                opened()
    assert not (tmp_path / "shelf").exists() and not (tmp_path / "task").exists()


def test_explorer_reads_no_table_through_a_link(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    shutil.move(folder / "items.parquet", tmp_path / "items.parquet")
    (folder / "items.parquet").symlink_to(tmp_path / "items.parquet")
    with pytest.raises(WarehouseError, match=r"items\.parquet: is a link"), opened_release(Home(tmp_path), str(folder)):
        pass


def test_verify_of_a_manifest_with_names_elsewhere_fails_in_one_line(tmp_path: Path) -> None:
    folder = with_files(write_release(tmp_path / "release"), {"../../../../../../etc/hostname": HOSTNAME})
    done = demur_here("release", "verify", str(folder), home=tmp_path / "home")
    assert done.returncode == 2 and "etc/hostname" in done.stderr and "Traceback" not in done.stderr
    assert "every file has its checksum" not in done.stdout


@pytest.mark.parametrize(
    ("change", "place"),
    [({"version": "1; touch x"}, "version"), ({"name": "a\n!function x"}, "name"), ({"version": "../2"}, "version")],
)
def test_name_and_version_that_could_be_commands_are_no_manifest(
    tmp_path: Path, change: dict[str, str], place: str
) -> None:
    folder = write_release(tmp_path / "release")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_bytes(canonical({**manifest, **change}))
    asked = ExportRequest(Prompts.PUBLISHED, "other", "en")
    with pytest.raises(WarehouseError, match=rf"is not a manifest .*{place}"):
        export_release(Home(tmp_path / "home"), str(folder), "lm-eval", tmp_path / "task", asked)


@pytest.mark.parametrize(
    ("name", "inside"),
    [("a/b c.txt", True), ("a", True), ("a//b", False), ("a/", False), ("a/./b", False), ("a\\b", False), ("", False)],
)
def test_names_of_archives_stay_inside(name: str, inside: bool) -> None:
    assert is_inside(name) is inside
