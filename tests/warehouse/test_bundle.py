"""Manifests of backups that another tool, or nobody, wrote."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from demur.engine.upkeep.backup import restore
from demur.warehouse.archives import MANIFEST
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

WHOLE: dict[str, Any] = {"format": 1, "demur": "0.1.0", "made_at": "2026-11-28T00:00:00+00:00"}


def backup_with(path: Path, manifest: Any) -> Path:
    """Write a backup with one file and this manifest."""
    with tarfile.open(path, "w") as sink:
        for name, content in (("archive/kept", b"kept"), (MANIFEST, json.dumps(manifest).encode())):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            sink.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize(
    ("manifest", "field"),
    [
        ([1, 2], "manifest.json"),
        ({**WHOLE, "files": {"archive/kept": "a text"}}, "files.archive/kept"),
        ({**WHOLE, "files": {"archive/kept": {"bytes": 4}}}, "sha256"),
        ({**WHOLE, "files": ["archive/kept"]}, "files"),
        ({name: value for name, value in WHOLE.items() if name != "made_at"} | {"files": {}}, "made_at"),
        ({name: value for name, value in WHOLE.items() if name != "made_at"} | {"files": {}}, "made_at"),
        ({**WHOLE, "format": 99, "files": {}}, "format"),
    ],
)
def test_backup_whose_manifest_has_another_shape_is_refused_by_field_and_leaves_no_files(
    tmp_path: Path, manifest: Any, field: str
) -> None:
    source = backup_with(tmp_path / "home.tar", manifest)
    with pytest.raises(WarehouseError, match=f"home.tar.*{field}"):
        restore(Home(tmp_path / "restored"), str(source))
    assert [path.name for path in tmp_path.iterdir()] == ["home.tar"]


def test_backup_whose_data_cannot_be_rebuilt_leaves_no_home(tmp_path: Path) -> None:
    """The file is as its manifest says, but is no file that demur wrote."""
    import hashlib

    entry = {"sha256": hashlib.sha256(b"kept").hexdigest(), "bytes": 4}
    source = backup_with(tmp_path / "home.tar", {**WHOLE, "files": {"archive/kept": entry}})
    with pytest.raises(Exception):  # noqa: B017
        restore(Home(tmp_path / "restored"), str(source))
    assert [path.name for path in tmp_path.iterdir()] == ["home.tar"]
