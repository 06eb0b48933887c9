"""DOCX is read as Word shows it with all changes accepted, wherever the text stands."""

import io
import zipfile

import pytest

from demur.corpora.documents.blocks import Block
from demur.corpora.documents.readers.docx import read

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
PARTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def run(text: str, look: str = "", tag: str = "t") -> str:
    return f'<w:r>{look and f"<w:rPr>{look}</w:rPr>"}<w:{tag} xml:space="preserve">{text}</w:{tag}></w:r>'


def paragraph(content: str, properties: str = "") -> str:
    return f"<w:p>{properties and f'<w:pPr>{properties}</w:pPr>'}{content}</w:p>"


def table(*rows: tuple[str, ...], properties: str = "") -> str:
    written = "".join(f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in row)}</w:tr>" for row in rows)
    return f"<w:tbl>{properties}{written}</w:tbl>"


def word(body: str, **parts: str) -> bytes:
    """Return a Word document. `parts` are further parts of the document, by kind."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {SPACES}><w:body>{body}</w:body></w:document>")
        relations = "".join(f'<Relationship Id="r{kind}" Type="{PARTS}/{kind}" Target="{kind}.xml"/>' for kind in parts)
        archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{relations}</Relationships>")
        for kind, content in parts.items():
            archive.writestr(f"word/{kind}.xml", f"<w:{kind} {SPACES}>{content}</w:{kind}>")
    return data.getvalue()


def texts(body: str, **parts: str) -> list[str]:
    return [block.text for block in read(word(body, **parts)).blocks]


BOX = "<w:txbxContent>{}</w:txbxContent>"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (f"{run('Dogs are ')}<w:ins>{run('not ')}</w:ins>{run('allowed.')}", "Dogs are not allowed."),
        (f"{run('It is ')}<w:del>{run('40', tag='delText')}</w:del><w:ins>{run('55')}</w:ins>", "It is 55"),
        (f"<w:moveFrom>{run('old')}</w:moveFrom><w:moveTo>{run('new')}</w:moveTo>", "new"),
        (f"<w:ins><w:del>{run('gone', tag='delText')}</w:del>{run('kept')}</w:ins>", "kept"),
        (f"<w:hyperlink>{run('a ')}<w:ins>{run('link')}</w:ins></w:hyperlink>", "a link"),
        (f"<w:smartTag><w:smartTag>{run('Paris')}</w:smartTag></w:smartTag>", "Paris"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{run('chosen')}</w:sdtContent></w:sdt>", "chosen"),
        (
            f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{run('Click here')}</w:sdtContent></w:sdt>"
            f"{run('x')}",
            "x",
        ),
        (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            f"{run(' DATE ', tag='instrText')}"
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
            f'{run("3 May")}<w:r><w:fldChar w:fldCharType="end"/></w:r>{run(" 1912")}',
            "3 May 1912",
        ),
        (f'<w:fldSimple w:instr=" PAGE ">{run("7")}</w:fldSimple>', "7"),
        (f"{run('seen')}{run('hidden', '<w:vanish/>')}{run(' too', '<w:vanish w:val=&quot;0&quot;/>')}", "seen too"),
        (f"{run('valid')}{run(' struck', '<w:strike/>')}", "valid"),
        (f"{run('10')}{run('6', '<w:vertAlign w:val=&quot;superscript&quot;/>')}", "10⁶"),
        ("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:br/><w:t>d</w:t></w:r>", "a-b c d"),
        (
            "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b+c</m:t></m:r></m:den></m:f></m:oMath>",
            "a/(b+c)",
        ),
    ],
)  # fmt: skip
def test_docx_paragraph_is_read_as_accepted(content: str, shown: str) -> None:
    assert texts(paragraph(content.replace("&quot;", '"'))) == [shown]


def test_docx_deleted_end_of_a_paragraph_joins_it_with_the_next() -> None:
    deleted = "<w:rPr><w:del/></w:rPr>"
    body = paragraph(run("The fee "), deleted) + paragraph(f"<w:del>{run('all', tag='delText')}</w:del>", deleted)
    assert texts(body + paragraph(run("is 55 crowns."))) == ["The fee is 55 crowns."]


def test_docx_old_formatting_of_a_change_is_not_the_formatting() -> None:
    styles = (
        '<w:style w:styleId="U1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="U1"/></w:style>'
    )
    changed = '<w:pPrChange><w:pPr><w:pStyle w:val="U1"/></w:pPr></w:pPrChange>'
    body = paragraph(run("A rule"), '<w:pStyle w:val="Own"/>') + paragraph(run("Text"), changed)
    blocks = read(word(body, styles=styles)).blocks
    assert [(block.text, block.level) for block in blocks] == [("A rule", 1), ("Text", 0)]


def test_docx_tracked_rows_and_cells_are_those_that_stay() -> None:
    cell = "<w:tc>{}</w:tc>"
    body = (
        "<w:tbl>"
        f"<w:tr><w:trPr><w:ins/></w:trPr>{cell.format(paragraph(run('a')))}{cell.format(paragraph(run('b')))}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell.format(paragraph(run('no')))}{cell.format(paragraph(run('no')))}</w:tr>"
        f"<w:tr>{cell.format(paragraph(run('c')))}<w:tc><w:tcPr><w:cellDel/></w:tcPr>{paragraph(run('no'))}</w:tc>"
        f"{cell.format(paragraph(run('d')))}</w:tr></w:tbl>"
    )
    assert texts(body) == ["a | b", "c | d"]


def test_docx_nested_table_keeps_its_text_and_a_merged_cell_is_repeated() -> None:
    inner = table((paragraph(run("x")), paragraph(run("y"))))
    assert texts(table((paragraph(run("a")) + inner, paragraph(run("b"))))) == ["a", "x | y", "b"]
    merged = (
        ("<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + paragraph(run("Monday")), paragraph(run("9"))),
        ("<w:tcPr><w:vMerge/></w:tcPr>" + paragraph(""), paragraph(run("17"))),
    )
    assert texts(table(*merged)) == ["Monday | 9", "Monday | 17"]


def test_docx_rows_know_the_header_row_of_their_table() -> None:
    look = '<w:tblPr><w:tblLook w:val="0020"/></w:tblPr>'
    rows = [(paragraph(run(one)), paragraph(run(other))) for one, other in (("Day", "Fee"), ("Mon", "3"), ("Tue", "4"))]
    blocks = read(word(table(*rows, properties=look))).blocks
    assert [(block.text, block.header) for block in blocks] == [
        ("Day | Fee", None),
        ("Mon | 3", "Day | Fee"),
        ("Tue | 4", "Day | Fee"),
    ]


def test_docx_text_box_is_read_once_and_follows_its_paragraph() -> None:
    drawn = BOX.format(paragraph(run("In the ") + f"<w:ins>{run('box')}</w:ins>"))
    choice = f"<mc:Choice><w:drawing><a:graphic>{drawn}</a:graphic></w:drawing></mc:Choice>"
    fallback = f"<mc:Fallback><w:pict><v:textbox>{drawn}</v:textbox></w:pict></mc:Fallback>"
    body = paragraph(
        f"{run('Before ')}<w:r><mc:AlternateContent>{choice}{fallback}</mc:AlternateContent></w:r>{run('and after')}"
    )
    assert texts(body) == ["Before and after", "In the box"]


def test_docx_notes_follow_their_paragraph_or_end_the_document() -> None:
    body = paragraph(f'{run("Text")}<w:r><w:footnoteReference w:id="2"/><w:endnoteReference w:id="3"/></w:r>')
    inserted = f"<w:ins>{run('Foot')}</w:ins>"
    foot = f'<w:footnote w:id="2">{paragraph(inserted)}</w:footnote>'
    end = f'<w:endnote w:id="3">{paragraph(run("End"))}</w:endnote>'
    found = texts(body + paragraph(run("More")), footnotes=foot, endnotes=end)
    assert found == ["Text", "Foot", "More", "End"]


def test_docx_list_of_contents_is_left_out() -> None:
    begin, end = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format, "end"
    code = f"{begin('begin')}{run('TOC o', tag='instrText')}{begin('separate')}"
    body = paragraph(code + run("Gates 3")) + paragraph(run("Lamps 4") + begin(end)) + paragraph(run("Gates"))
    assert texts(body) == ["Gates"]


def test_docx_title_is_the_paragraph_that_people_see() -> None:
    styles = '<w:style w:styleId="T"><w:name w:val="Title"/></w:style>'
    found = read(word(paragraph(run("The bridge"), '<w:pStyle w:val="T"/>'), styles=styles))
    assert found.title == "The bridge"
    assert found.blocks == [Block("The bridge", 1)]


def test_docx_headings_without_a_style_are_those_that_people_see() -> None:
    text = "The keeper lights both lanterns when the fog comes in, and writes down the hour in the book of the gate."
    body = "".join(
        (
            paragraph(run("Book of", "<w:b/>"), '<w:jc w:val="center"/>'),
            paragraph(run("the Gate", "<w:b/>"), '<w:jc w:val="center"/>'),
            paragraph(run("Fog", "<w:b/>") + run(" is thick.") + run(text)),
            paragraph(run("Lanterns", "<w:b/>")),
            paragraph(run(text)),
            paragraph(run("DUTIES OF THE KEEPER")),
            paragraph(run(text) + run(" Bold end.", "<w:b/>")),
        )
    )
    headings = [(block.text, block.level) for block in read(word(body)).blocks if block.level]
    assert headings == [("Book of the Gate", 1), ("Lanterns", 2), ("DUTIES OF THE KEEPER", 2)]


def test_docx_whose_text_is_bold_has_no_headings_by_look() -> None:
    body = "".join(paragraph(run(f"All of number {number} is bold", "<w:b/>")) for number in range(5))
    assert not any(block.level for block in read(word(body)).blocks)


def test_docx_bold_captions_are_no_headings() -> None:
    styles = '<w:style w:styleId="C"><w:name w:val="caption"/></w:style>'
    plain = "".join(paragraph(run(f"Lamp {number} hangs beside the gate of the keepers.")) for number in range(9))
    captions = [
        paragraph(run("Figure 3 Overview", "<w:b/>")),
        paragraph(run("Table 1 Sales", "<w:b/>")),
        paragraph(run("Overview of lamps", "<w:b/>"), '<w:pStyle w:val="C"/>'),
    ]
    assert not any(block.level for block in read(word(plain + plain.join(captions) + plain, styles=styles)).blocks)


@pytest.mark.parametrize(("title", "kept"), [("Lamps of the bridge", "Lamps of the bridge"), ("Paper template", None)])
def test_docx_title_of_the_properties_is_one_that_people_see(title: str, kept: str | None) -> None:
    data = io.BytesIO(word(paragraph(run("The lamps of the bridge are lit in fog."))))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr("docProps/core.xml", f"<core><title>{title}</title></core>")
    assert read(data.getvalue()).title == kept
