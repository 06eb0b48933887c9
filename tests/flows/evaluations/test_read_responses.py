"""Responses that people classify: who gets into the sample, what the page shows, and the labels that it gives."""

import json
from pathlib import Path

import pytest

from demur.errors import FlowError
from demur.flows.evaluations.read_responses import QUESTIONS, ReadResponsesFile, _card, shares
from demur.levers.vocabulary import PREDICTED, ReadObject
from demur.reports.audits.marks import read_marks
from demur.reports.audits.page import ReadingPage, render_page
from tests.reports.pages import Page

ROW = {
    "response_id": "r1", "response": "</script>In 1904.", "question": "When?", "answers": ["1904"],
    "expected": "ANSWER_CORRECTLY", "passages": [{"text": "Opened in 1904.", "relevant": True}],
    "respondent": "SECRET-MODEL", "judge": "SECRET-JUDGE", "predicted": "REFUSE_OTHER",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "size", "wanted"),
    [
        ({"a": 90, "b": 9, "c": 1}, 10, {"a": 8, "b": 1, "c": 1}),
        ({"a": 3, "b": 2}, 30, {"a": 3, "b": 2}),
        ({"a": 50, "b": 50}, 30, {"a": 15, "b": 15}),
        ({"a": 1}, 1, {"a": 1}),
    ],
)
def test_sample_has_each_class_in_proportion_and_at_least_once(
    sizes: dict[str, int], size: int, wanted: dict[str, int]
) -> None:
    assert shares(sizes, size) == wanted


def test_page_of_responses_is_blind_and_asks_for_class_and_correctness() -> None:
    unanswerable = {**ROW, "response_id": "r2", "expected": "REFUSE_OTHER"}
    html = render_page(
        ReadingPage(ReadObject.RESPONSES, "response", "Check", "e", 1, "How.",
                    QUESTIONS, [_card(ROW), _card(unanswerable)])
    )  # fmt: skip
    page = Page(html)
    assert not page.faults and len(page.all("script")) == 1
    assert "SECRET" not in html
    assert [card.attributes.get("data-lacks") for card in page.all("article")] == [None, "correct"]
    assert [one.attributes["data-criterion"] for one in page.all("fieldset")] == ["predicted", "correct"]
    options = [one.attributes["value"] for one in page.all("input") if one.attributes.get("name") == "predicted"]
    assert options == list(PREDICTED)


def test_file_of_another_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "marks.json"
    path.write_text(json.dumps({"object": "items", "round": "e", "seed": 1, "reader": "Ada", "items": []}))
    with pytest.raises(FlowError, match="object"):
        read_marks([path], ReadResponsesFile)
