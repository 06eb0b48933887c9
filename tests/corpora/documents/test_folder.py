"""Folders of documents: what most pages repeat is left out, also in a round's plan and in `demur corpus read`."""

import asyncio
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from demur.corpora.documents.folder import FolderReading, figures_of, read_all
from demur.corpora.documents.found import Choice
from demur.corpora.documents.readers.archives import read_epub
from demur.corpora.documents.reading import read_document
from tests.flows.rounds import demur_here

PLACES = ("Orla", "Riva", "Hamn", "Sund", "Vik", "Nes", "Torg")
SENTENCE = "The warden of {} keeps two lanterns beside the gate, and lights them when fog comes in from the estuary. "


def reading(folder: Path) -> FolderReading:
    return FolderReading(str(folder), Choice(), 5_000_000, 2_000_000, 30, 1500)


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    async def read() -> dict[str, dict[str, Any]]:
        return {found.path: rows async for found, rows in read_all(reading(folder))}

    return asyncio.run(read())


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    for number, place in enumerate(PLACES):
        (tmp_path / f"{place}.html").write_text(
            f"<title>{place}</title><div>All spaces</div><div>{place}</div><div>Exported on {number} May 2026</div>"
            f"<h1>The gate of {place}</h1><h2>Lamps</h2><p>{SENTENCE.format(place) * 4}</p><p>Ask the warden.</p>"
            f"<p>{SENTENCE.format(place)}</p><div>Was this page helpful?</div><div>Imprint {number}</div>",
            encoding="utf-8",
        )
    return tmp_path


def test_blocks_at_the_ends_of_most_pages_are_left_out_and_those_between_stay(wiki: Path) -> None:
    rows = rows_of(wiki)

    for place in PLACES:
        (passage,) = rows[f"{place}.html"]["passages"]
        assert not any(said in passage["text"] for said in ("All spaces", "Exported", "helpful", "Imprint"))
        assert "Ask the warden." in passage["text"]
        assert "\nLamps\n" in passage["text"], "a heading of all pages below the page's own heading is no menu"


def test_few_pages_keep_what_they_have_in_common(wiki: Path) -> None:
    for place in PLACES[4:]:
        (wiki / f"{place}.html").unlink()

    assert all("All spaces" in rows["passages"][0]["text"] for rows in rows_of(wiki).values())


def test_command_shows_the_passages_and_figures_of_a_folder(wiki: Path) -> None:
    (wiki / "empty.md").write_text(" ", encoding="utf-8")
    (wiki / "draft.txt").write_text(SENTENCE.format("Orla") * 9, encoding="utf-8")

    shown = demur_here("corpus", "read", str(wiki), "--exclude", "draft*", home=wiki.parent / "home").stdout
    listed = json.loads(demur_here("corpus", "read", str(wiki), "--format", "json", home=wiki.parent / "home").stdout)

    assert "7 documents read, 7 passages; left out: 1 empty" in shown
    assert "The warden of Orla keeps two lanterns" in shown
    assert {one["path"]: one.get("reason") for one in listed}["empty.md"] == "empty"
    assert sum(len(one.get("passages", ())) for one in listed) == 8
    assert str(asyncio.run(figures_of(reading(wiki)))) == "8 documents read, 8 passages; left out: 1 empty"


def test_title_is_what_stands_above_the_whole_document() -> None:
    text = SENTENCE.format("Orla") * 8

    def title(markdown: str) -> str | None:
        found: str | None = read_document("a.md", markdown.encode(), 1_000_000)["title"]
        return found

    assert title(f"# Gates\n\n{text}") == "Gates"
    assert title(f"# Gates\n\n# Lamps\n\n{text}\n\n# Fog\n\n{text}") == "Gates", "a title above headings of its level"
    assert title(f"# CHAPTER 1\n\n{text}\n\n# CHAPTER 7\n\n{text}") is None
    assert title(f"{text}\n\n# Appendix\n\n{text}") is None
    assert title(f"---\ntitle: Model 3\n---\n# Gates\n\n{text}") == "Model 3"
    assert title(f"---\ntitle: Document1\n---\n# Gates\n\n{text}") == "Gates"
    assert title(f"---\ntitle: Microsoft Word - gates.doc\n---\n# Gates\n\n{text}") == "Gates"


def test_table_passage_names_the_header_row_that_it_lost() -> None:
    rows = "".join(f"| {place} {number} | {SENTENCE.format(place)} |\n" for number, place in enumerate(PLACES * 4))
    found = read_document("a.md", f"# Lamps\n\n| Gate | Duty |\n|---|---|\n{rows}".encode(), 1_000_000)["passages"]

    assert len(found) > 2
    assert [one["title"] for one in found] == ["Lamps", *["Lamps > Gate | Duty"] * (len(found) - 1)]


def test_half_of_a_surrogate_pair_in_a_text_leaves_out_nothing_else() -> None:
    row = json.dumps({"text": f"half \ud83d {SENTENCE.format('Orla') * 8}"}).encode()
    (passage,) = read_document("a.jsonl", row, 1_000_000, is_row=True)["passages"]

    assert passage["text"].encode().startswith("half \ufffd The".encode())


@pytest.mark.parametrize("row", ['{"text": "a", "text": "b"}', '{"text": NaN}', "[" * 5000])
def test_row_that_is_no_strict_json_is_left_out(row: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{row}\n", encoding="utf-8")
    assert [rows["reason"] for rows in rows_of(tmp_path).values()] == ["bad_row"]


def test_array_of_rows_is_left_out_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps([{"text": "a"}, {"text": "b"}], indent=1), encoding="utf-8")
    [(path, rows)] = rows_of(tmp_path).items()
    assert (rows["reason"], "one JSON array" in rows["detail"]) == ("bad_row", True), path


def test_first_row_after_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    row = json.dumps({"id": "1", "text": SENTENCE.format("Orla") * 8})
    (tmp_path / "a.jsonl").write_text(f"\ufeff{row}\n", encoding="utf-8")
    assert [rows["source_id"] for rows in rows_of(tmp_path).values()] == ["1"]


def test_book_is_read_in_the_order_of_its_spine() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as book:
        rootfile = '<rootfile full-path="OPS/book.opf"/>'
        book.writestr("META-INF/container.xml", f"<container><rootfiles>{rootfile}</rootfiles></container>")
        items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in "ab")
        spine = "".join(f'<itemref idref="{name}"/>' for name in ("nav", "b", "a"))
        book.writestr(
            "OPS/book.opf",
            f'<package><metadata><title>Gates</title></metadata><manifest>{items}<item id="nav" href="n.xhtml" '
            f'properties="nav"/></manifest><spine>{spine}</spine></package>',
        )
        for name in "abn":
            book.writestr(f"OPS/{name}.xhtml", f"<html><body><h1>{name}</h1><p>text {name}</p></body></html>")

    found = read_epub(data.getvalue())

    assert found.title == "Gates"
    assert [block.text for block in found.blocks] == ["b", "text b", "a", "text a"]


def test_restructured_text_is_read_by_the_converter() -> None:
    pytest.importorskip("kreuzberg")
    text = f"Gates\n=====\n\n{SENTENCE.format('Orla') * 8}\n"
    (passage,) = read_document("a.rst", text.encode(), 1_000_000)["passages"]

    assert (passage["title"], passage["text"]) == ("Gates", (SENTENCE.format("Orla") * 8).strip())
