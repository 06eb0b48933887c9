"""Documents of folders and addresses, before they are read."""

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from demur.corpora.documents.found import Choice, address_of, find_documents, open_bytes
from demur.errors import CorpusError

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


def test_same_bytes_are_a_duplicate_only_in_the_same_format(tmp_path: Path) -> None:
    for name in ("a.docx", "b.pdf", "c.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.7 the same")

    found = list(find_documents(str(tmp_path), LIMIT))

    assert [(one.path, one.reason) for one in found] == [("a.docx", None), ("b.pdf", None), ("c.pdf", "duplicate")]


def test_file_whose_name_is_no_utf8_is_left_out_with_a_name_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff.md")).write_text("text", encoding="utf-8")

    (found,) = find_documents(str(tmp_path), LIMIT)

    assert (found.path, found.reason) == (r"bad\xff.md", "wrong_encoding")
    assert found.document_id.encode()


@pytest.mark.parametrize(
    ("choice", "taken"),
    [
        (Choice(), ["a.md", "drafts/b.md", "drafts/c.txt"]),
        (Choice(include=("*.md",)), ["a.md", "drafts/b.md"]),
        (Choice(exclude=("drafts/*",)), ["a.md"]),
        (Choice(("*.md", "*.txt"), ("b.*",)), ["a.md", "drafts/c.txt"]),
    ],
)
def test_patterns_choose_documents_by_path_or_name(tmp_path: Path, choice: Choice, taken: list[str]) -> None:
    (tmp_path / "drafts").mkdir()
    for name in ("a.md", "drafts/b.md", "drafts/c.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")

    assert [one.path for one in find_documents(str(tmp_path), LIMIT, choice)] == taken


def test_day_of_a_file_is_known(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one", encoding="utf-8")
    os.utime(tmp_path / "a.md", (981_200_000, 981_200_000))
    assert [one.modified for one in find_documents(str(tmp_path), LIMIT)] == ["2001-02-03"]


def test_documents_in_an_archive_are_opened_there(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "wiki.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("wiki/one.md", (2024, 2, 29, 8, 0, 0)), "one")
        archive.writestr("wiki/below/two.md", "two")
    documents = f"zip://wiki::{tmp_path}/wiki.zip"

    found = list(find_documents(documents, LIMIT))

    assert {one.path: one.reason for one in found} == {"below/two.md": None, "one.md": None}
    assert found[-1].modified == "2024-02-29"
    for one in found:
        assert address_of(documents, one.path) == one.address
        with open_bytes(one.address) as file:
            assert file.read().decode() == Path(one.path).stem


def test_address_that_cannot_be_reached_says_why() -> None:
    with pytest.raises(CorpusError, match="cannot be listed") as caught:
        list(find_documents("memory://nowhere/at/all", LIMIT))
    assert "nowhere/at/all" in str(caught.value)
    with pytest.raises(CorpusError, match="a.zip is missing, or does not answer"):
        list(find_documents("zip://wiki::http://127.0.0.1:9/a.zip", LIMIT))


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
