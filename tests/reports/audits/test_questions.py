"""The page of questions and the file that it downloads: what readers see, and which marks are taken."""

import json
from pathlib import Path

import pytest

from demur.errors import FlowError
from demur.levers.vocabulary import ReadObject
from demur.reports.audits.marks import object_of, read_marks
from demur.reports.audits.page import ReadingPage, render_page
from demur.reports.audits.questions import QUESTIONS, QuestionFile, _card
from tests.reports.pages import Page

PASSAGE = {
    "document": "Quays",
    "path": "quays.md",
    "headings": "",
    "text": "The quay opened in 1904. Ferries came later.",
}
ROW = {
    "question_id": "q1", "question": "When did <b>the quay</b> open?", "answers": ["1904", '"Old" style'],
    "kind": "when",
    "asker": "SECRET-MODEL", "readers": 0, "passages": [{**PASSAGE, "page": None, "date": None}],
    "proof": [{"passage": 0, "start": 6, "end": 30, "text": "The quay opened in 1904."}],
}  # fmt: skip


def written(tmp_path: Path, criteria: object, **changes: object) -> Path:
    path = tmp_path / "marks.json"
    item = {"item_id": "q1", "criteria": criteria, "note": "", "suspected": False}
    file = {"object": "questions", "round": "handbook", "seed": 1, "reader": "Ada", "items": [item]}
    path.write_text(json.dumps(file | changes))
    return path


def test_page_of_questions_asks_to_keep_and_offers_the_answers_to_be_mended() -> None:
    html = render_page(
        ReadingPage(ReadObject.QUESTIONS, "question", "Questions", "handbook", 1, "How.",
                    QUESTIONS, [_card(ROW)])
    )  # fmt: skip
    page = Page(html)
    assert not page.faults and "SECRET" not in html
    [card] = page.all("article")
    assert card.attributes["data-lines"] == '1904\n"Old" style'
    keep, answers = page.all("fieldset")
    assert (keep.attributes["data-criterion"], answers.attributes["data-criterion"]) == ("keep", "answers")
    assert answers.attributes["data-asked-if"] == "pass"
    assert [one.text for one in page.all("mark")][0] == "The quay opened in 1904."
    assert len(page.all("textarea")) == 2, "the answers and the note"


def test_file_of_questions_gives_verdicts_and_mended_answers(tmp_path: Path) -> None:
    path = written(tmp_path, {"keep": True, "answers": [" 1904 ", "the year 1904"]})
    assert object_of([path]) is ReadObject.QUESTIONS
    [(_, file)] = read_marks([path], QuestionFile)
    assert file.items[0].criteria.answers == ("1904", "the year 1904")


@pytest.mark.parametrize(
    ("criteria", "changes", "said"),
    [
        ({"keep": "yes", "answers": None}, {}, r"criteria\.keep: 'yes' is not true, false or null"),
        ({"keep": True, "answers": []}, {}, r"criteria\.answers"),
        ({"keep": True, "answers": ["  "]}, {}, r"criteria\.answers"),
        ({"keep": True}, {"object": "chairs"}, "object: 'chairs' is not one of items, responses, questions"),
    ],
)
def test_file_of_questions_with_other_marks_is_refused_with_place_and_values(
    criteria: dict[str, object], changes: dict[str, object], said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, criteria, **changes)
    with pytest.raises(FlowError, match=said):
        read_marks([path], QuestionFile) if object_of([path]) is ReadObject.QUESTIONS else None


def test_files_of_two_objects_are_not_imported_together(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, other = written(tmp_path, {"keep": True}), written(tmp_path / "other", {}, object="items")
    with pytest.raises(FlowError, match="one by one"):
        object_of([one, other])
