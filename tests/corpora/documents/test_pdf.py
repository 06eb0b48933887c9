"""PDF: running heads, lists of contents and print marks are left out; headings and divided words are put together."""

import io
import logging
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from demur.corpora.documents.blocks import LeftOut
from demur.corpora.documents.readers import pdf_lines, pdf_order
from demur.corpora.documents.readers.pdf import _parts_paragraphs, read
from demur.corpora.documents.readers.pdf_lines import PdfLine
from demur.corpora.documents.readers.pdf_rows import with_rows
from demur.corpora.documents.reading import read_document

Line = tuple[int, int, str]
"""Distance from the lower end of the page, size of the letters, and text."""
LINES = [
    f"{word} keeps two lanterns beside the gate and lights them when fog comes in" for word in ("Ada", "Ben", "Cid")
]


Field = tuple[int, str]
"""Distance of a text field from the lower end of the first page, and its value; it stands right of its label."""


def pdf(
    *pages: Sequence[Line],
    title: str = "",
    boxes: Sequence[str] = (),
    fields: Sequence[Field] = (),
    bold: str | tuple[str, ...] = "",
) -> bytes:
    """Return a PDF with lines of text in Helvetica; lines that begin with `bold` are in bold type."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    last = 4 + 2 * len(pages)
    numbers = [last + number for number in range(len(fields))]
    named = " ".join(f"{number} 0 R" for number in numbers)
    form = f"/AcroForm << /Fields [{named}] >>" if fields else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {form} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        shown = "".join(
            f"BT /F{2 if bold and text.startswith(bold) else 1} {size} Tf 60 {top} Td ({text}) Tj ET\n"
            for top, size, text in page
        )
        heavy = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"
        resources = f"<< /Font << /F1 3 0 R /F2 {heavy} >> >>"
        box = boxes[number] if boxes else "0 0 600 800"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Resources {resources} "
            f"/Contents {5 + 2 * number} 0 R /Annots [{named if not number else ''}] >>"
        )
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}endstream")
    for top, value in fields:
        objects.append(
            f"<< /Type /Annot /Subtype /Widget /FT /Tx /T (field{top}) /V ({value}) /F 4 "
            f"/Rect [300 {top - 4} 500 {top + 12}] >>"
        )
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


def test_pdf_divided_word_of_a_heading_is_whole() -> None:
    body = [(650 - 14 * place, 10, text) for place, text in enumerate(LINES)]
    assert texts([(700, 16, "Chem-"), (682, 16, "ical lamps"), *body])[0] == "Chemical lamps"


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


def test_pdf_title_that_no_page_shows_is_no_title() -> None:
    body = [(650 - 14 * place, 10, text) for place, text in enumerate(LINES)]
    assert read(pdf(body, title="pdf-title")).title is None
    assert read(pdf(body, title="Lanterns beside the gate")).title == "Lanterns beside the gate"


def test_pdf_heads_that_name_the_first_section_of_a_page_are_running_heads() -> None:
    heads = [
        "Rules of the harbour § 2.1",
        *(f"Rules of the harbour § {number}" for number in ("2.4", "3", "3.2.1", "5.10")),
    ]
    said = " ".join(texts(*([(770, 8, head), *page(number)[4:]] for number, head in enumerate(heads, start=1))))
    assert "Rules of the harbour" not in said


def test_pdf_words_whose_letters_were_drawn_in_pieces_are_whole() -> None:
    data = pdf([(700, 10, "The gate of Hollin is sh"), (680, 10, "Ada keeps it.")])
    end = b"/F1 10 Tf 60 700 Td 60 Tz 2 Tc (The gate of Hollin is sh) Tj 90 0 Td (ut) Tj ET"
    drawn = data.replace(b"/F1 10 Tf 60 700 Td (The gate of Hollin is sh) Tj ET", end)
    assert read(drawn).blocks[0].text.startswith("The gate of Hollin is shut")


def test_pdf_heading_goes_on_in_its_row_whatever_the_size_of_its_letters() -> None:
    lines = [(600 - 14 * place, 10, text) for place, text in enumerate(lines_of(1))]
    data = pdf([(700, 18, "Form of the keepers"), (700, 17, "Page two"), *lines], fields=[(400, "Ada Reed")])
    blocks = read(data.replace(b"60 700 Td (Page two)", b"400 700 Td (Page two)")).blocks
    assert [(block.text, block.level) for block in blocks if block.level] == [("Form of the keepers Page two", 1)]


def test_pdf_mark_in_the_side_of_a_page_hides_no_running_head() -> None:
    pages = [
        [(770, 8, f"Rules of the harbour {number}"), *page(number)[4:], (790, 6, "Mark")] for number in range(1, 4)
    ]
    data = pdf(*pages).replace(b"60 790 Td (Mark) Tj", b"0 1 -1 0 20 790 Tm (Mark) Tj")
    assert not any("harbour" in block.text for block in read(data).blocks)


def test_pdf_bold_line_within_a_sentence_is_no_heading() -> None:
    page = [(700, 10, "This is the system of"), (686, 10, "Gates and Lanterns"), (672, 10, "that keepers know.")]
    page += [(600 - 14 * place, 10, text) for place, text in enumerate(lines_of(1) * 3)]
    assert [block.text for block in read(pdf(page, bold="Gates")).blocks if block.level] == []


def test_pdf_marks_of_a_browser_are_left_out() -> None:
    marks = [(780, 8, "Gates https://bridge.example/gates"), (15, 8, "1 of 1 3/5/26, 11:02 AM")]
    body = [(650 - 14 * place, 10, text) for place, text in enumerate(LINES)]
    assert texts([*marks, *body], title="Gates") == [" ".join(LINES)]


def test_pdf_fields_of_a_form_have_their_values_behind_their_labels() -> None:
    page = [(700, 10, "Name of the keeper:"), (680, 10, "Harbour:"), (660, 10, "Applications are read in May.")]
    shown = [block.text for block in read(pdf(page, fields=[(680, "Hollin"), (700, "Ada Reed")])).blocks]
    assert " ".join(shown) == "Name of the keeper: Ada Reed Harbour: Hollin Applications are read in May."


def test_pdf_lines_that_are_drawn_late_stand_where_people_see_them() -> None:
    lines = [(600 - 14 * place, 10, text) for place, text in enumerate(lines_of(1))]
    page = [
        *lines,
        (200, 10, "2 Both notes are of May."),
        (220, 10, "1 The first note is of April."),
        (700, 20, "Gate"),
    ]
    shown = [block.text for block in read(pdf(page)).blocks]
    assert shown[0] == "Gate"
    assert " ".join(shown).endswith("1 The first note is of April. 2 Both notes are of May.")


def test_pdf_boxes_of_a_drawing_stand_below_those_above_them() -> None:
    upper = [(700 - 14 * place, 10, f"Upper gate has lamp {place}") for place in range(7)]
    lower = [(500 - 14 * place, 10, f"Lower gate has lamp {place}") for place in range(7)]
    shown = " ".join(block.text for block in read(pdf([*lower, *upper])).blocks)
    assert shown == " ".join(text for _, _, text in (*upper, *lower))


def test_pdf_labels_of_a_drawing_are_left_out_and_counted_and_its_text_is_read() -> None:
    labels = [(100 + 30 * place, 6, f"Lamp {place}") for place in range(12)]  # drawn from below
    note = [(700 - 14 * place, 10, text) for place, text in enumerate(lines_of(1) * 2)]
    assert texts([*labels, *note]) == [" ".join(lines_of(1) * 2)]
    told = read_document("plan.pdf", pdf([*labels, *note], [(700, 10, text) for text in lines_of(2)[:1]]), 100_000)
    assert told["detail"] == "left out: labels of drawings on 1 page"
    with pytest.raises(LeftOut, match="labels of drawings") as caught:
        read_document("plan.pdf", pdf(labels), 100_000)
    assert caught.value.reason == "no_prose"


def test_pdf_labels_of_a_drawing_with_many_lines_are_left_out() -> None:
    labels = [(10 + place, 6, f"Lamp {place}") for place in range(0, 760, 9)] * 5
    assert len(labels) > 400
    data = pdf(labels)
    assert read(data).blocks, "labels below one another are a list"
    places = iter(range(60, 60 + 100 * len(labels), 100))
    assert not read(re.sub(rb"60 (\d+) Td", lambda found: b"%d %s Td" % (next(places) % 487, found[1]), data)).blocks


def test_pdf_numbered_line_of_capitals_is_a_heading_also_in_smaller_letters() -> None:
    heads = [(700, 8, "II. LANTERNS OF THE UPPER"), (690, 8, "GATE"), (400, 10, "REMARKS OF THE KEEPER")]
    text = [(660 - 14 * place, 10, text) for place, text in enumerate(lines_of(1))]
    found = read(pdf([*heads[:2], *text, *heads[2:]])).blocks
    assert [(block.text, block.level) for block in found if block.level] == [("II. LANTERNS OF THE UPPER GATE", 1)]


def test_pdf_heads_of_scanned_pages_are_left_out_whose_letters_are_not_recognised_alike() -> None:
    heads = ["THE UPPER GATE 49", "THE UPPEE GATE 50", "THE UPPER GATE 52", "THE UPPER GATE 53", "THE UPPBR GATE 55"]
    pages = [page(number, head=head)[:1] + page(number)[4:] for number, head in enumerate(heads, start=1)]
    assert "GATE" not in " ".join(texts(*pages))


def test_pdf_page_of_running_text_with_many_pieces_of_formulas_keeps_the_order_of_its_text() -> None:
    pieces = [(700 - 28 * place, 10, text) for place, text in enumerate(lines_of(1) * 7)]
    raised = [(pieces[place][0] + 12, 6, str(place)) for place in range(6)]  # each behind the line below it
    order = [one for place, piece in enumerate(pieces) for one in (piece, *raised[max(0, place - 1) : place])]
    assert " ".join(texts(order)) == " ".join(text for _, _, text in order)


def test_pdf_bold_line_of_the_size_of_the_text_is_a_heading() -> None:
    page = [(700, 10, "1. Lights"), *((680 - 14 * place, 10, text) for place, text in enumerate(lines_of(1)))]
    blocks = read(pdf(page, bold="1. Lights")).blocks
    assert (blocks[0].text, blocks[0].level > 0) == ("1. Lights", True)
    assert all(not block.level for block in blocks[1:])


def test_pdf_merged_of_two_documents_does_not_carry_headings_from_one_to_the_other() -> None:
    first = [(700, 20, "Ice on the gate"), *((600 - 14 * place, 10, text) for place, text in enumerate(lines_of(1)))]
    second = [(300 - 14 * place, 10, text) for place, text in enumerate(lines_of(2) * 9)]
    data = pdf(first, second, boxes=["0 0 600 800", "0 0 420 600"])
    titles = [one["title"] for one in read_document("merged.pdf", data, 100_000)["passages"]]
    assert titles[-1] is None


def test_pdf_page_that_stands_alone_loses_the_number_below_its_text() -> None:
    lines = [(600 - 14 * place, 10, text) for place, text in enumerate(lines_of(1))]
    assert texts([*lines, (40, 10, "17")]) == texts(lines)


def test_pdf_running_heads_with_a_changing_line_between_them_are_left_out() -> None:
    heads = ["First", "Second", "Ninth", "Fifth"]
    pages = [
        [(770, 10, "Council of Keepers"), (758, 10, f"{head} Revised Page 3"), (746, 10, "2nd Edition"),
         (734, 10, "Appendix A"), (722, 10, "2012-2"),
         *((600 - 14 * n, 10, text) for n, text in enumerate(lines_of(k)))]
        for k, head in enumerate(heads)
    ]  # fmt: skip
    assert " ".join(texts(*pages)) == " ".join(line for number in range(4) for line in lines_of(number))


def test_pdf_page_without_its_form_keeps_the_values_of_fields_and_parts_labels_of_a_row() -> None:
    data = pdf([(700, 10, "Name:"), (680, 10, "Harbour:"), (660, 10, "Read in May.")], fields=[(680, "Hollin")])
    taken_out = data.replace(b"/AcroForm", b"/AcroGone")
    shown = " ".join(block.text for block in read(taken_out).blocks)
    assert shown == "Name: Harbour: Hollin Read in May."


def test_pdf_page_of_many_fields_keeps_them_in_the_order_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_order, "_MOST_PLACED", 3)
    page = [(680, 10, "Harbour:"), (700, 10, "Name:")]
    logging.getLogger("pypdfium2").setLevel(logging.WARNING)
    shown = " ".join(block.text for block in read(pdf(page, fields=[(680, "Hollin"), (700, "Ada Reed")])).blocks)
    assert shown == "Name: Ada Reed Harbour: Hollin"
    assert logging.getLogger("pypdfium2").level == logging.WARNING


@pytest.mark.parametrize("form", [b"/AcroForm", b"/AcroGone"])
@pytest.mark.parametrize("flags", [b"/Ff 8192", b"/Parent << /FT /Tx /Ff 8192 /T (secret) >>"])
def test_pdf_password_of_a_form_is_not_read(form: bytes, flags: bytes) -> None:
    page = [(700, 10, "Name of the keeper:"), (660, 10, "Applications are read in May.")]
    data = pdf(page, fields=[(700, "swordfish")]).replace(b"/FT /Tx", b"/FT /Tx " + flags).replace(b"/AcroForm", form)
    assert "swordfish" not in " ".join(block.text for block in read(data).blocks)


def test_pdf_value_that_stands_in_the_parent_of_a_field_is_read_without_its_form() -> None:
    page = [(700, 10, "Name of the keeper:"), (660, 10, "Applications are read in May.")]
    data = pdf(page, fields=[(700, "Ada Reed")]).replace(b"/AcroForm", b"/AcroGone")
    data = data.replace(b"/FT /Tx /T (field700) /V (Ada Reed)", b"/Parent << /FT /Tx /T (name) /V (Ada Reed) >>")
    assert "Name of the keeper: Ada Reed" in " ".join(block.text for block in read(data).blocks)


def spread(top: int, *cells: tuple[int, str]) -> list[Line]:
    """Return one line whose cells stand so many points from the left: spaces of Helvetica are .278 wide."""
    text = ""
    for left, cell in cells:
        text = f"{text}) {-100 * left} ({cell}" if text else cell
    return [(top, 10, text)]


def table(rows: Sequence[Sequence[tuple[int, str]]], top: int = 640) -> bytes:
    """Return a PDF with a table; cells stand so many points behind the end of the cell before."""
    data = pdf(
        [(700, 10, LINES[0]), *(one for number, row in enumerate(rows) for one in spread(top - 14 * number, *row))]
    )
    return re.sub(rb"\(([^\n]*)\) Tj", rb"[(\1)] TJ", data)


def test_pdf_rows_of_a_table_are_lines_of_cells() -> None:
    rows = [[(0, "Ferry "), (60, "Fare"), (60, "Seats")], [(0, "Orla"), (63, "1200"), (60, "41")]]
    lines = [block.text for block in read(table(rows)).blocks if block.line]
    assert lines == ["Ferry | Fare | Seats", "Orla | 1200 | 41"]


def test_pdf_cells_that_begin_below_one_another_are_cells_also_near_each_other() -> None:
    rows = [[(0, "Orla"), (63, "1200"), (11, name)] for name in ("upper lamp", "lower lamp", "gate")]
    lines = [block.text for block in read(table(rows)).blocks if block.line]
    assert lines == ["Orla | 1200 | upper lamp", "Orla | 1200 | lower lamp", "Orla | 1200 | gate"]


def test_pdf_line_that_begins_like_an_entry_within_a_sentence_begins_none() -> None:
    said = [f"{LINES[0]} of paragraph", "(b) of this section. It is lit:", "(c) at dusk"]
    page = [(640 - 14 * place, 10, text) for place, text in enumerate(said)]
    assert texts(page) == [f"{LINES[0]} of paragraph (b) of this section. It is lit:", "(c) at dusk"]


def test_pdf_sentence_goes_on_below_a_divided_word_whatever_its_line_begins_with() -> None:
    said = [*LINES, "Ada keeps the lantern of the har-", "bour in a box which is at Step", "1 of the gate.", *LINES]
    page = [(700 - 14 * place, 10, text) for place, text in enumerate(said)]
    assert any("harbour in a box which is at Step 1 of the gate." in text for text in texts(page))


def test_pdf_line_that_justification_stretches_is_no_row() -> None:
    def line(bottom: int, *cells: pdf_lines.Cell, right: int = 300) -> PdfLine:
        return PdfLine("Ada lights a lamp", 10.0, bottom + 7, bottom, 60, right, cells=cells, parts=cells)

    rows = [line(bottom, ("Ada", 60, 80), ("lights", 150, 180), ("a lamp", 270, 300)) for bottom in (688, 676)]
    assert [bool(one.row) for one in with_rows([line(700), *rows, line(664)])] == [False] * 4
    assert [bool(one.row) for one in with_rows([line(700, right=250), *rows, line(664)])] == [False, True, True, False]


def test_pdf_header_row_without_a_first_cell_is_a_row() -> None:
    rows = [[(0, "Monday"), (60, "Sunday")], [(0, "Orla"), (41, "open"), (35, "shut")]]
    data = table(rows).replace(b"60 640 Td", b"120 640 Td")
    assert [block.text for block in read(data).blocks if block.line] == ["Monday | Sunday", "Orla | open | shut"]


def test_pdf_rows_know_the_bold_header_row_of_their_table() -> None:
    rows = [[(0, "Ferry "), (60, "Fare"), (60, "Seats")], [(0, "Orla"), (68, "1200"), (60, "41")]]
    data = table(rows).replace(b"/F1 10 Tf 60 640", b"/F2 10 Tf 60 640")
    assert [block.header for block in read(data).blocks if block.line] == [None, "Ferry | Fare | Seats"]


def test_pdf_two_columns_and_numbered_entries_are_no_rows() -> None:
    long = "keeps two lanterns beside the gate"
    columns = [[(0, long), (60, long)], [(0, long), (60, long)]]
    entries = [[(0, "1"), (30, "Light the lamp")], [(0, "2"), (30, "Shut the gate")]]
    for rows in (columns, entries):
        assert not any(" | " in block.text for block in read(table(rows)).blocks)


def test_pdf_dots_that_lead_to_figures_are_left_out_and_contents_without_heading_too() -> None:
    fares = [(700, 10, "Bicycles ............ 12 crowns"), (686, 10, "Dogs ........... 4 crowns")]
    assert "Bicycles 12 crowns" in " ".join(texts(fares))
    contents = [
        (700 - 14 * n, 10, f"{n + 1} {name} ............ {n + 2}") for n, name in enumerate(["Ice", "Fog", "Dew"])
    ]
    said = " ".join(texts([*contents, *((600 - 14 * n, 10, line) for n, line in enumerate(LINES))]))
    assert said == " ".join(LINES)


def test_pdf_number_of_a_note_is_no_part_of_a_figure() -> None:
    page = [(700, 10, "In all 8,935) Tj /F1 6 Tf 5 Ts (3) Tj 0 Ts /F1 10 Tf ( came")]
    assert texts(page) == ["In all 8,935³ came"]


def test_pdf_number_of_a_note_behind_a_word_or_sentence_is_raised() -> None:
    raised = ") Tj /F1 6 Tf 5 Ts (4) Tj 0 Ts /F1 10 Tf ( "
    assert texts([(700, 10, f"The keeper{raised}came.{raised.strip()} H2 left")]) == ["The keeper⁴ came.⁴ H2 left"]


def test_pdf_pieces_of_a_formula_belong_to_the_line_that_they_stand_in() -> None:
    def line(text: str, left: int, right: int, bottom: int = 100, size: float = 10) -> PdfLine:
        return PdfLine(text, size, bottom + round(0.7 * size), bottom, left, right)

    pieces = [line("all of S", 50, 90), line("i", 90, 93, 98, 6), line("2", 90, 94, 105, 6), line("in x", 97, 120)]
    assert [one.text for one in pdf_lines.with_pieces([*pieces, line("other column", 300, 400)])] == [
        "all of Si² in x",
        "other column",
    ]


def test_pdf_stamp_in_the_margin_and_labels_of_a_figure_within_a_text_are_left_out() -> None:
    text = [PdfLine(one, 10, 700 - 14 * place, left=50, right=400) for place, one in enumerate(LINES * 2)]
    labels = [
        PdfLine(f"Lamp of {one}", 8, 300 - 60 * (one % 2), left=90 * one, right=90 * one + 40) for one in range(5)
    ]
    stamp = PdfLine("preprint of 3 May", 20, 600, left=20, right=30, upright=False)
    listed = [replace(label, left=50, right=90, top=300 - 12 * one) for one, label in enumerate(labels)]
    told = pdf_order._with_labels([stamp, *text, *labels, *text, *listed])
    assert [line.text for line in told if line.label] == [stamp.text, *(label.text for label in labels)]


def test_pdf_labels_beside_the_caption_of_a_figure_are_left_out_and_a_numbered_heading_is_not() -> None:
    def told(*lines: tuple[str, int, int]) -> list[str]:
        text = [PdfLine(one, 10, 700 - 14 * place, left=50, right=400) for place, one in enumerate(LINES * 2)]
        short = [
            PdfLine(one, 10, 400 - 30 * place, left=left, right=right) for place, (one, left, right) in enumerate(lines)
        ]
        return [line.text for line in pdf_order._with_labels([*text, *short, *text]) if line.label]

    few = [("Quantity of oil", 260, 400), ("Lamps", 240, 300)]
    assert told(*few) == []
    assert told(*few, ("Figure 1 - Oil", 220, 390), ("2 Wicks", 73, 118)) == ["Quantity of oil", "Lamps"]


def test_pdf_heading_goes_on_in_bold_letters_and_a_bold_caption_is_none() -> None:
    heads = [
        (700, 10, "\xa7 1308.34 Exempt oils of the keeper"),
        (690, 10, "lamps."),
        (500, 10, "Table 2 Oils and lamps"),
    ]
    page = [*heads[:2], *((660 - 14 * n, 10, text) for n, text in enumerate(LINES * 2)), heads[2]]
    page += [(480 - 14 * n, 10, text) for n, text in enumerate(LINES * 2)]
    found = read(pdf(page, bold=("\xa7", "lamps.", "Table"))).blocks
    assert [block.text for block in found if block.level] == ["§ 1308.34 Exempt oils of the keeper lamps."]


def test_pdf_line_that_ends_below_with_a_divided_word_begins_no_paragraph() -> None:
    before = PdfLine("the amount figured in Step", 10, 575, bottom=543)
    assert not _parts_paragraphs(before, PdfLine("1 by the value and the re\xadduced amount", 10, 540, bottom=521), 12)
    assert _parts_paragraphs(before, PdfLine("Another one", 10, 528, bottom=521), 12)


def test_pdf_line_of_capitals_is_a_heading_where_numbered_headings_are() -> None:
    heads = [(700, 10, "I. LANTERNS"), (600, 10, "II. OIL AND WICKS"), (500, 10, "REMARKS OF THE KEEPER")]
    page = [
        one for top, *head in heads for one in ((top, *head), *((top - 14 * n, 10, x) for n, x in enumerate(LINES, 1)))
    ]
    assert [block.text for block in read(pdf(page)).blocks if block.level] == [text for _, _, text in heads]


def test_pdf_space_between_lines_parts_paragraphs_but_no_sentence() -> None:
    tops = [700, 686, 672, 640, 626, 612, 580, 566]
    lines = ["Ada Reed", "Gate 1", "Hollin", "Ben Cole", "Gate 2", "Sparrow", "which stands", "on the quay"]
    blocks = read(pdf([(top, 10, text) for top, text in zip(tops, lines, strict=True)])).blocks
    assert [block.text for block in blocks] == [
        "Ada Reed Gate 1 Hollin",
        "Ben Cole Gate 2 Sparrow which stands on the quay",
    ]


def test_pdf_passages_do_not_go_on_into_another_document_and_pages_that_fold_out_begin_none() -> None:
    first = [
        (700, 20, "Ice on the gate"),
        *((600 - 14 * place, 10, text) for place, text in enumerate(lines_of(1) * 3)),
    ]
    second = [(500 - 14 * place, 10, text) for place, text in enumerate(lines_of(2) * 3)]
    merged = pdf(first, second, boxes=["0 0 600 800", "0 0 420 600"])
    assert [one["page"] for one in read_document("merged.pdf", merged, 100_000)["passages"]] == [1, 2]
    folded = pdf(first, second, second, boxes=["0 0 600 800", "0 0 800 1200", "0 0 600 800"])
    assert not any(block.begins_document for block in read(folded).blocks)


def test_pdf_merged_document_of_a_size_that_returns_begins_where_running_heads_change() -> None:
    other = [[(570, 8, "Rules of the ferry"), (400, 10, f"The ferry takes {who}.")] for who in ("dogs", "carts")]
    tall, small = "0 0 600 800", "0 0 420 600"
    head = [page(number) for number in (1, 2, 3)]
    back = [page(number, head="Of boilers", chapter="Steam") for number in (4, 5, 6)]
    back = [
        [(top, size, text.replace("Hollin and Sparrow", "Reed and Cole")) for top, size, text in one] for one in back
    ]
    boxes = [tall] * 3 + [small] * 2 + [tall] * 3
    blocks = read(pdf(*head, *other, *back, boxes=boxes)).blocks
    assert [block.page for block in blocks if block.begins_document] == [4, 6]
    assert "Rules of the ferry" not in " ".join(block.text for block in blocks), "two pages of their own heads"
    same = [page(number) for number in (4, 5, 6)]
    inserted = read(pdf(*head, *other, *same, boxes=boxes)).blocks
    assert [block.page for block in inserted if block.begins_document] == [4, 6], "pages between lack the heads around"
    folded = read(pdf(*head, *other, *same, boxes=[*boxes[:3], *["0 0 1200 800"] * 2, *boxes[5:]])).blocks
    assert not any(block.begins_document for block in folded)


def test_pdf_damaged_page_does_not_leave_out_the_others() -> None:
    pages = [[(600 - 14 * place, 10, text) for place, text in enumerate(lines_of(number))] for number in (1, 2)]
    data = pdf(*pages).replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [4 0 R 9 9 R]")
    assert [block.text for block in read(data).blocks] == [" ".join(lines_of(1))]


def test_pdf_headings_end_before_the_page_behind_a_damaged_one() -> None:
    pages = [[(700, 20, f"Gate {number}"), *page(number)[4:]] for number in (1, 2)]
    data = pdf(*pages, [*page(3)[4:]]).replace(b"/Kids [4 0 R 6 0 R", b"/Kids [4 0 R 9 9 R")
    assert [block.page for block in read(data).blocks if block.begins_document] == [3]


def test_pdf_lines_that_differ_in_their_numbers_are_no_running_heads() -> None:
    fees = ["12.50", "31.00", "8.20", "77.10"]
    pages = [
        [*page(number)[4:], (60, 10, f"Total of May: {fee}"), (40, 10, f"{int(float(fee) * 100)}")]
        for number, fee in enumerate(fees, start=1)
    ]
    said = " ".join(texts(*pages))
    assert all(f"Total of May: {fee} {int(float(fee) * 100)}" in said for fee in fees)


@pytest.mark.parametrize(
    ("top", "text", "kept"), [(40, "1250", True), (300, "17", True), (40, "17", False), (110, "17", False)]
)
def test_pdf_lone_number_of_a_page_is_its_number_in_the_margin_alone(top: int, text: str, kept: bool) -> None:
    lines = [(600 - 14 * place, 10, line) for place, line in enumerate(lines_of(1))]
    assert (text in " ".join(texts([*lines, (top, 10, text)]))) is kept
