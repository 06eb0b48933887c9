"""Readers: what each format gives, and why a document is left out; hostile files end no round."""

import asyncio
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import SHIPPED
from demur.corpora.documents.blocks import Block, LeftOut
from demur.corpora.documents.found import find_documents
from demur.corpora.documents.passages import LEAST, MOST, split
from demur.corpora.documents.process import document_reader
from demur.corpora.documents.reading import read_document

OURS = SHIPPED.parent / "documents"
PROSE = (
    "The warden of the bridge keeps two lanterns beside the gate, and lights them when fog comes in from the estuary. "
)
LIMIT = 5_000_000


def passages(path: str, data: bytes | str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_document(path, data.encode() if isinstance(data, str) else data, LIMIT)[
        "passages"
    ]
    return found


def why(path: str, data: bytes) -> str:
    with pytest.raises(LeftOut) as caught:
        read_document(path, data, LIMIT)
    return caught.value.reason


def read_all(folder: Path, seconds: float = 20, megabytes: int = 1500) -> dict[str, str]:
    """Return of each document in a folder the reason why it is left out, or `read`."""

    async def read() -> dict[str, str]:
        outcomes = {}
        async with document_reader(seconds, megabytes) as reader:
            for found in find_documents(str(folder), LIMIT):
                outcomes[found.path] = found.reason or "read"
                if found.reason is None:
                    try:
                        await reader.read(request(found))
                    except LeftOut as exc:
                        outcomes[found.path] = exc.reason
        return outcomes

    return asyncio.run(read())


def request(found: Any) -> Mapping[str, Any]:
    names = ("address", "path", "digest", "offset", "length")
    return {**{name: getattr(found, name) for name in names}, "characters": LIMIT}


@pytest.mark.parametrize("path", sorted(OURS.iterdir()), ids=lambda path: path.name)
def test_our_documents_have_six_passages_that_end_where_sentences_end(path: Path) -> None:
    document = read_document(path.name, path.read_bytes(), LIMIT)

    found = document["passages"]
    assert len(found) >= 6
    assert all(0.9 * LEAST <= one["words"] <= MOST for one in found)
    assert all(one["text"].endswith((".", "。", "!", "?", "…")) for one in found)
    assert all(len(one["text"]) == one["char_end"] - one["char_start"] for one in found)
    assert {one["language"] for one in found} == {document["language"]}


def test_markdown_headings_are_titles_and_links_and_pictures_leave_their_words() -> None:
    text = f"---\ntitle: Handbook\ndate: 2026-02-03\n---\n## Gates\n\nSee [the map](http://x) ![p](p.png). {PROSE * 8}"
    document = read_document("a.md", text.encode(), LIMIT)

    (passage,) = document["passages"]
    assert (document["title"], document["date"], passage["title"]) == ("Handbook", "2026-02-03", "Handbook > Gates")
    assert passage["text"].startswith("See the map .")


def test_html_navigation_and_scripts_are_left_out_and_its_encoding_is_that_it_declares() -> None:
    page = (
        "<meta charset='iso-8859-1'><nav>Menu</nav><main><h1>Café</h1><script>x()</script><p>{}</p></main><footer>End"
    )
    (passage,) = passages("a.html", page.format(PROSE * 7).encode("iso-8859-1"))

    assert passage["title"] == "Café"
    assert passage["text"] == (PROSE * 7).strip()


def test_pdf_headings_are_titles_and_pages_are_counted() -> None:
    found = passages("m.pdf", (OURS / "well-pump-manual.pdf").read_bytes())

    assert "Tarn 40 well pump: instructions for installation and use > What the lamps mean" in [
        p["title"] for p in found
    ]
    assert {passage["page"] for passage in found} == {1, 2}


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("a.txt", b"  \n", "empty"),
        ("a.txt", b"ab\x00cd", "binary"),
        ("a.txt", b"caf\xe9", "wrong_encoding"),
        ("a.md", b"# Short\n\nA few words.", "too_short"),
        ("a.txt", b"word " * 2_000_000, "too_large"),
        ("a.docx", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "encrypted"),
        ("a.txt", b"12 0.5 .. , 7 x\n" * 30, "no_prose"),
    ],
)
def test_document_that_cannot_be_used_says_why(path: str, data: bytes, reason: str) -> None:
    assert why(path, data) == reason


def test_pdf_with_password_and_pdf_of_pictures_say_why() -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    blank, locked = io.BytesIO(), io.BytesIO()
    writer.write(blank)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(locked)

    assert why("a.pdf", blank.getvalue()) == "scanned"
    assert why("a.pdf", locked.getvalue()) == "encrypted"


def test_hostile_files_are_left_out_and_the_next_one_is_read(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * 120_000_000)
    (tmp_path / "a.docx").write_bytes(bomb.getvalue())
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 nonsense")
    (tmp_path / "c.html").write_text("<div>" * 100_000 + PROSE * 8, encoding="utf-8")
    (tmp_path / "d.md").write_text("> " * 20_000 + PROSE * 8, encoding="utf-8")
    (tmp_path / "e.txt").write_text(PROSE * 8, encoding="utf-8")

    outcomes = read_all(tmp_path)

    assert (outcomes["a.docx"], outcomes["b.pdf"], outcomes["e.txt"]) == ("too_large", "damaged", "read")
    assert set(outcomes) == {"a.docx", "b.pdf", "c.html", "d.md", "e.txt"}


def test_reader_that_hangs_is_ended_and_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(PROSE * 8, encoding="utf-8")
    (tmp_path / "b.txt").write_text(PROSE * 9, encoding="utf-8")

    async def read() -> list[str]:
        said = []
        async with document_reader(20, 1500) as reader:
            found = list(find_documents(str(tmp_path), LIMIT))
            await reader.read(request(found[0]))
            assert reader._process is not None
            reader._process.send_signal(19)  # SIGSTOP: it answers nobody any more
            reader._seconds = 0.02
            with pytest.raises(LeftOut) as caught:
                await reader.read(request(found[1]))
            said.append(caught.value.reason)
            reader._seconds = 20
            said.append((await reader.read(request(found[1])))["language"])
        return said

    assert asyncio.run(read()) == ["too_slow", "en"]


def test_long_table_without_stops_is_cut_between_words() -> None:
    found = passages("a.txt", " ".join(f"item{number}" for number in range(1000)))

    assert all(one["words"] <= MOST for one in found)
    assert " ".join(one["text"] for one in found).split() == [f"item{number}" for number in range(1000)]


def test_reader_is_ended_by_its_own_time_and_not_by_that_of_a_busy_machine(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"# {'`' * 3}\n" + PROSE * 20_000, encoding="utf-8")
    (tmp_path / "b.txt").write_text(PROSE * 8, encoding="utf-8")

    async def read() -> list[str]:
        said = []
        async with document_reader(0.05, 1500) as reader:
            first, second = find_documents(str(tmp_path), LIMIT)
            with pytest.raises(LeftOut) as caught:
                await reader.read(request(first))
            said.append(caught.value.reason)
            reader._seconds = 20
        async with document_reader(20, 1500) as reader:
            await reader.read(request(second))
            assert reader._process is not None
            reader._seconds = 0.1
            reader._process.send_signal(19)  # the process waits, as on a busy machine, and goes on
            asyncio.get_running_loop().call_later(0.4, reader._process.send_signal, 18)
            said.append((await reader.read(request(second)))["language"])
        return said

    assert asyncio.run(read()) == ["too_slow", "en"]


def test_passage_does_not_end_behind_an_abbreviation_within_a_sentence() -> None:
    text = f"The gate {'of the harbour ' * 42}is of Orla Co. (which lights {'many a lamp ' * 42}in fog)."
    assert not any(one.text.endswith("Co.") for one in split([Block(text)], "en").passages)
    dated = text.replace("Co. (which", "50 FR 8108, Feb. 28, 1985; it")
    assert not any(one.text.endswith("Feb.") for one in split([Block(dated)], "en").passages)


def test_sentence_keeps_the_number_of_the_note_behind_it() -> None:
    text = " ".join(f"Lamp {number} burns {'all night ' * 20}long.⁸" for number in range(20))
    assert all(
        one.text.startswith("Lamp") and one.text.endswith("long.⁸") for one in split([Block(text)], "en").passages
    )
