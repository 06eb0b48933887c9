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
