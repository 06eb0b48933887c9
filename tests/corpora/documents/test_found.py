"""Documents of folders and addresses, before they are read."""

from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from demur.corpora.documents.found import find_documents

LIMIT = 1_000


def test_document_that_a_store_refuses_to_open_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryFileSystem()
    names = ("a.txt", "b.txt", "c.jsonl")
    for name in names:
        store.pipe_file(f"/refused/{name}", f"{name} has a text".encode())
    opened = MemoryFileSystem._open

    def refusing(files: Any, path: str, *given: Any, **named: Any) -> Any:
        if not path.endswith("a.txt"):
            raise RuntimeError("403:\n  no access")  # libraries of stores have errors that are no OSError
        return opened(files, path, *given, **named)

    monkeypatch.setattr(MemoryFileSystem, "_open", refusing)
    found = list(find_documents("memory://refused", LIMIT))

    assert [one.path for one in found] == list(names)
    assert [one.reason for one in found] == [None, "not_a_file", "not_a_file"]
    assert {one.detail for one in found[1:]} == {"cannot be opened (403: no access)"}


def test_file_that_cannot_be_opened_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("some text", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("{}\n", encoding="utf-8")

    def refusing(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refusing)
    found = list(find_documents(str(tmp_path), LIMIT))

    assert [(one.path, one.detail) for one in found] == [
        ("a.txt", "cannot be opened (Permission denied)"),
        ("b.jsonl", "cannot be opened (Permission denied)"),
    ]


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_links_that_lead_out_of_the_folder_are_left_out(tmp_path: Path, scheme: str) -> None:
    inside, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    (inside / "sub").mkdir(parents=True)
    elsewhere.mkdir()
    (inside / "own.txt").write_text("some text of ours", encoding="utf-8")
    (elsewhere / "secret.txt").write_text("a secret", encoding="utf-8")
    (inside / "a.txt").symlink_to(elsewhere / "secret.txt")
    (inside / "b.jsonl").symlink_to("../elsewhere/secret.txt")
    (inside / "c.txt").symlink_to("own.txt")
    (inside / "d").symlink_to(elsewhere)
    (inside / "e").symlink_to("sub")
    (inside / "f.txt").symlink_to("f.txt")
    (inside / "sub" / "g.txt").symlink_to("../d/secret.txt")
    found = {one.path: one for one in find_documents(f"{scheme}{inside}", LIMIT)}

    outside = [path for path, one in found.items() if one.reason == "outside"]
    assert sorted(outside) == ["a.txt", "b.jsonl", "d", "sub/g.txt"]
    assert {found[path].detail for path in outside} == {"is a link that leads out of the folder"}
    assert {path: found[path].reason for path in found.keys() - set(outside)} == {
        "c.txt": None,
        "f.txt": "not_a_file",
        "own.txt": "duplicate",
    }
    assert not any(one.digest for one in found.values() if one.reason == "outside")
