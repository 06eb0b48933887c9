"""Long tables: each passage has the caption and the header row of its table, whatever the format."""

import pytest

from demur.corpora.documents.blocks import LeftOut
from demur.corpora.documents.readers.converted import _sheets
from demur.corpora.documents.readers.html import parsed
from demur.corpora.documents.readers.plain import read_table
from demur.corpora.documents.reading import read_blocks, read_document
from tests.corpora.documents.test_docx import paragraph, run, table, word

ROWS = [(f"Lantern {number}", f"{number} candles", "hangs beside the gate of the keeper") for number in range(1, 80)]
HEADS = ("Lamp", "Light", "Place")
LINES = "\n".join(" | ".join(row) for row in ROWS)
HTML = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
HEAD = "".join(f"<th>{name}</th>" for name in HEADS)
CELLS = [tuple(paragraph(run(cell)) for cell in row) for row in (HEADS, *ROWS)]
CSV = "\n".join(";".join(f'"{cell}"' for cell in row) for row in (HEADS, *ROWS))


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.md", f"Table 1: Lamps of the gate\n\n| Lamp | Light | Place |\n|---|---|---|\n{LINES}\n".encode()),
        (
            "a.html",
            f"<table><caption>Table 1: Lamps of the gate</caption><thead><tr>{HEAD}</thead>{HTML}</table>".encode(),
        ),
        (
            "a.docx",
            word(
                paragraph(run("Table 1: Lamps of the gate"))
                + table(*CELLS, properties='<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>')
            ),
        ),
    ],
)
def test_each_passage_of_a_long_table_has_its_caption_and_header_row(path: str, data: bytes) -> None:
    passages = read_document(path, data, 100_000)["passages"]
    assert len(passages) > 2
    for passage in passages[1:]:
        assert passage["title"].endswith("Table 1: Lamps of the gate; Lamp | Light | Place")


def test_csv_is_rows_in_passages_with_their_heads() -> None:
    passages = read_document("lamps.csv", CSV.encode(), 100_000)["passages"]
    assert len(passages) > 2
    assert {passage["title"] for passage in passages[1:]} == {"Lamp | Light | Place"}
    assert passages[0]["text"].startswith("Lamp | Light | Place\nLantern 1 | 1 candles | hangs")


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"a,b\n1,2\n", ["a | b", "1 | 2"]),
        (b"a\tb\n1,5\t2\n", ["a | b", "1,5 | 2"]),
        (b'a;b\n"1;\nx";2\n', ["a | b", "1; x | 2"]),
        (b"Fees of May\n\na,b\n1,2\n", ["Fees of May", "a | b", "1 | 2"]),
        (b"sep=;\r\na;b\r\n1;2\r\n", ["a | b", "1 | 2"]),
        (b"a;b\r1;2\r", ["a | b", "1 | 2"]),
        (f"{'x' * 30_000};b\n1;2".encode(), [f"{'x' * 30_000} | b", "1 | 2"]),
        ("a,b\n1\u20282,3\x0b4\x855\n".encode(), ["a | b", "1 2 | 3 4 5"]),
        (b"a,b\nPrices | Acme,2\n", ["a | b", "Prices | Acme | 2"]),
        (b"\xef\xbb\xbfa,b\n\n1,\n", ["a | b", "1"]),
    ],
)
def test_csv_is_read_whatever_parts_its_cells(data: bytes, rows: list[str]) -> None:
    assert [" ".join(block.text.split()) for block in read_table(data).blocks] == rows


def test_csv_with_an_open_quotation_mark_is_damaged() -> None:
    with pytest.raises(LeftOut, match="Save it anew"):
        read_table(b'a,b\n"1,2\n')


def test_title_above_a_sheet_is_the_caption_of_each_row() -> None:
    kreuzberg_page = parsed(
        "<h2>Lamps</h2><table><thead><tr><th>Lamps of May</th><th></th></tr></thead>"
        "<tr><td>Lamp</td><td>Light</td></tr><tr><td>1</td><td>2</td></tr></table>"
    )
    for blocks in ([*_sheets(kreuzberg_page)][1:], read_table(b"Lamps of May,\nLamp,Light\n1,2\n").blocks):
        assert [block.text for block in blocks] == ["Lamps of May", "Lamp | Light", "1 | 2"]
        assert blocks[-1].header == "Lamps of May; Lamp | Light"


@pytest.mark.parametrize(
    ("caption", "header"),
    [("", None), ("<p>Table 2</p><p>Lamps</p>", "Table 2 Lamps; a | b"), ("long " * 60, "a | b")],
)
def test_caption_of_a_page_is_what_its_element_says(caption: str, header: str | None) -> None:
    page = f"<p>Before.</p><table><caption>{caption}</caption><tr><th>a<th>b<tr><td>1<td>2</table>"
    rows = [block for block in read_blocks("a.html", page.encode()).blocks if block.line]
    assert rows[-1].header == (header or "a | b")


def test_converted_text_keeps_its_stars_outside_slides() -> None:
    pytest.importorskip("kreuzberg")
    assert read_blocks("a.rtf", rb"{\rtf1\ansi 2**10 lamps\par}").blocks[0].text == "2**10 lamps"


def test_figures_without_words_are_left_out_and_counted_but_columns_with_names_and_labelled_rows_are_kept() -> None:
    figures = "\n\n".join(" ".join(str(7 * number + place) for place in range(9)) for number in range(40))
    text = " ".join(f"The keeper of gate {number} lights a lantern when fog comes in." for number in range(20))
    found = read_document("a.txt", f"{text}\n\n{figures}".encode(), 100_000)
    assert found["passages"] and "287 288" not in found["passages"][-1]["text"]
    assert found["detail"] == "left out: 2 passages of figures or signs without words"
    rows = "".join(f"{number};{number * 7}\n" for number in range(200))
    assert len(read_document("a.csv", f"Gate;Fee\n{rows}".encode(), 100_000)["passages"]) > 1
    labelled = "".join(f"Total of {name}\t" + "\t".join("1234567890") + "\n" for name in ("May", "June") * 20)
    assert read_document("a.txt", labelled.encode(), 100_000)["detail"] is None
