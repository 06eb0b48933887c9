"""PDF: running heads, lists of contents and print marks are left out; headings and divided words are put together."""

import io
from collections.abc import Sequence

import pytest

from demur.corpora.documents.readers.pdf import read

Line = tuple[int, int, str]
"""Distance from the lower end of the page, size of the letters, and text."""
LINES = [
    f"{word} keeps two lanterns beside the gate and lights them when fog comes in" for word in ("Ada", "Ben", "Cid")
]


def pdf(*pages: Sequence[Line], title: str = "") -> bytes:
    """Return a PDF with lines of text in Helvetica."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        shown = "".join(f"BT /F1 {size} Tf 60 {top} Td ({text}) Tj ET\n" for top, size, text in page)
        resources = "<< /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources {resources} "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}endstream")
    objects.append(f"<< /Title ({title}) /CreationDate (D:20260203120000Z) >>")
    data = io.BytesIO(b"%PDF-1.4\n")
    data.seek(0, io.SEEK_END)
    places = []
    for number, one in enumerate(objects, start=1):
        places.append(data.tell())
        data.write(f"{number} 0 obj\n{one}\nendobj\n".encode("latin-1"))
    at = data.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    data.write(
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
        f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{at}\n%%EOF".encode()
    )
    return data.getvalue()


def lines_of(number: int) -> list[str]:
    return [f"{'ABCDEFGHI'[number]}{line}" for line in LINES]


def page(number: int, *lines: Line, head: str = "Keeper's manual", chapter: str = "Fog") -> list[Line]:
    side = f"{number} {chapter}" if number % 2 else f"{chapter} {number}"
    body = [(600 - 14 * place, 10, text) for place, text in enumerate(lines_of(number))]
    return [(770, 8, head), (758, 8, side), (30, 8, "Hollin and Sparrow"), (20, 8, f"- {number} -"), *lines, *body]


def texts(*pages: Sequence[Line], title: str = "") -> list[str]:
    return [block.text for block in read(pdf(*pages, title=title)).blocks]


def test_pdf_running_heads_of_several_lines_and_chapters_are_left_out() -> None:
    pages = [page(number, chapter="Fog" if number < 5 else "Ice") for number in range(1, 9)]
    said = " ".join(texts(*pages))
    assert said == " ".join(line for number in range(1, 9) for line in lines_of(number))


def test_pdf_running_head_of_two_pages_is_left_out_and_a_single_page_keeps_its_lines() -> None:
    assert " ".join(texts(page(1), page(2))) == " ".join([*lines_of(1), *lines_of(2)])
    assert "Keeper's manual" in " ".join(texts(page(1)))


def test_pdf_line_that_changes_place_is_no_running_head() -> None:
    pages = [
        [(700 - 60 * number, 10, "The gate is shut."), (400, 10, f"{word} keeps it.")]
        for number, word in enumerate("ABC")
    ]
    assert " ".join(texts(*pages)).count("The gate is shut.") == 3


def test_pdf_headings_are_larger_and_contents_are_left_out() -> None:
    contents = [(760, 16, "Contents"), (730, 10, "1 Gates ..... 2"), (715, 10, "2 Lamps ..... 3")]
    body = [(700, 16, "1 Gates"), *[(650 - 14 * place, 10, text) for place, text in enumerate(LINES)]]
    blocks = read(pdf(contents, body)).blocks
    assert [(block.text, block.level) for block in blocks] == [("1 Gates", 1), (" ".join(LINES), 0)]


def test_pdf_divided_words_are_joined_and_entries_have_their_own_line() -> None:
    lines = [
        (700, 10, "The keepers of the bridge have lan-"),
        (686, 10, "terns:"),
        (672, 10, "\\225 one left"),
        (658, 10, "\\225 one right"),
    ]
    blocks = read(pdf(lines)).blocks
    assert [(block.text, block.line) for block in blocks] == [
        ("The keepers of the bridge have lanterns:", False),
        ("• one left", True),
        ("• one right", True),
    ]


@pytest.mark.parametrize(("title", "kept"), [("Gates of the bridge", "Gates of the bridge"), ("Paper template", None)])
def test_pdf_title_of_a_template_is_no_title(title: str, kept: str | None) -> None:
    body = [(700, 16, "Gates of the bridge"), *[(650 - 14 * place, 10, text) for place, text in enumerate(LINES)]]
    assert read(pdf(body, title=title)).title == kept


def test_pdf_marks_of_a_browser_are_left_out() -> None:
    marks = [(780, 8, "Gates https://bridge.example/gates"), (15, 8, "1 of 1 3/5/26, 11:02 AM")]
    body = [(650 - 14 * place, 10, text) for place, text in enumerate(LINES)]
    assert texts([*marks, *body], title="Gates") == [" ".join(LINES)]
