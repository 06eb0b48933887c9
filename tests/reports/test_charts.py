"""Labels of charts: none covers another or a foreign mark, and each is joined to its own."""

import math
from itertools import combinations

import pytest

from demur.reports.pages.svg_charts import GAP, LETTER, LINE, RADIUS, Axis, Mark, chart
from tests.reports.pages import Element, Page

CROWDED = {
    "two pairs at the top right": [
        ("respondent-a (ours)", 1.0, 0.964), ("respondent-b (ours)", 0.986, 0.957),
        ("respondent-a", 0.87, 0.907), ("respondent-b", 0.884, 0.886),
        ("lexical-overlap", 0.855, 0.021), ("always-answers", 0.87, 0.0),
    ],
    "ten in one corner": [(f"respondent-{number}", 0.9 + number / 100, 0.95 - number / 200) for number in range(10)],
    "all at one place": [(f"respondent-{number}", 0.5, 0.5) for number in range(4)],
}  # fmt: skip


def box(text: Element) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a label, at the width that the chart reckons with."""
    wide = LETTER * len(text.text)
    x, bottom = float(text.attributes["x"]), float(text.attributes["y"]) + 3
    left = x - {"start": 0, "middle": wide / 2, "end": wide}[text.attributes["text-anchor"]]
    return left, bottom - LINE, left + wide, bottom


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def to_point(of: tuple[float, ...], x: float, y: float) -> float:
    return math.dist((min(max(x, of[0]), of[2]), min(max(y, of[1]), of[3])), (x, y))


@pytest.mark.parametrize("crowd", CROWDED)
def test_chart_labels_of_crowded_marks_are_apart_and_joined_to_their_own_mark(crowd: str) -> None:
    marks = [Mark(x, y, name, label=name, across=(x - 0.1, x), up=(y - 0.1, y)) for name, x, y in CROWDED[crowd]]
    page = Page(str(chart("crowded", Axis(), Axis(), marks, size=(560, 400))))
    dots = [(float(e.attributes["cx"]), float(e.attributes["cy"])) for e in page.all("circle")]
    leaders = [
        tuple(float(e.attributes[name]) for name in ("x1", "y1"))
        for e in page.all("line") if e.attributes["class"] == "leader"
    ]  # fmt: skip
    labels = [e for e in page.all("text") if e.attributes["class"].startswith("name")]
    assert [label.text for label in labels] == [mark.label for mark in marks]
    boxes = [box(label) for label in labels]
    assert all(apart(one, other) for one, other in combinations(boxes, 2))
    for place, dot in zip(boxes, dots, strict=True):
        assert min(to_point(place, *other) for other in dots) > RADIUS
        assert to_point(place, *dot) <= RADIUS + GAP + 1.5 or dot in leaders
