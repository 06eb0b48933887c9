"""Labels of a chart: each is known for its own mark's, also where marks crowd."""

import math
import re
from itertools import combinations

from demur.reports.pages.charts import LETTER, LINE, Axis, Mark, chart

CROWD = {
    "first (ours)": (1.0, 0.964),
    "second (ours)": (0.986, 0.957),
    "first": (0.87, 0.907),
    "second": (0.884, 0.886),
}
SIZE = (560.0, 400.0)
TEXT = re.compile(r'<text class="name \w+" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]+)</text>')
MARK = re.compile(r'<circle class="mark \w+" cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+"><title>([^<]+)</title>')
LEADER = re.compile(r'<line class="leader" x1="([\d.]+)" x2="([\d.]+)" y1="([\d.]+)" y2="([\d.]+)"/>')
BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}

Box = tuple[float, float, float, float]


def drawn(marks: dict[str, tuple[float, float]]) -> tuple[dict[str, Box], dict[str, tuple[float, float]], list[Box]]:
    """Return boxes of labels, places of marks and lines to labels of a chart with these marks."""
    svg = chart("", Axis(), Axis(), [Mark(x, y, name, name, (x - 0.1, x)) for name, (x, y) in marks.items()], size=SIZE)
    boxes = {}
    for x, y, anchor, text in TEXT.findall(svg):
        wide = LETTER * len(text)
        left = float(x) - BEFORE[anchor] * wide
        boxes[text] = (left, float(y) + 3 - LINE, left + wide, float(y) + 3)
    places = {name: (float(x), float(y)) for x, y, name in MARK.findall(svg)}
    lines = [(float(x1), float(y1), float(x2), float(y2)) for x1, x2, y1, y2 in LEADER.findall(svg)]
    return boxes, places, lines


def away(box: Box, at: tuple[float, float]) -> float:
    return math.dist(at, (min(max(at[0], box[0]), box[2]), min(max(at[1], box[1]), box[3])))


def test_labels_of_a_crowd_stand_nearest_to_their_mark_or_at_the_end_of_its_line() -> None:
    boxes, places, lines = drawn(CROWD)
    assert boxes.keys() == places.keys() == CROWD.keys()
    for name, box in boxes.items():
        own = any(math.dist(line[:2], places[name]) < 1 and away(box, line[2:]) < 1 for line in lines)
        nearest = min(places, key=lambda other: away(box, places[other]))
        assert own or nearest == name, name
        assert box[0] >= 0 and box[2] <= SIZE[0] + 0.1
    for one, other in combinations(boxes.values(), 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_labels_of_marks_far_apart_have_no_lines() -> None:
    assert not drawn({"low": (0.2, 0.1), "high": (0.8, 0.9)})[2]
