"""SVG charts of points with intervals, and of lines, on two axes.

All style is in CSS classes, since the explorer forbids inline styles.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from markupsafe import Markup

from demur.reports.texts import as_data

PERCENT_TICKS: Final = tuple((share / 100, f"{share} %") for share in (0, 25, 50, 75, 100))
HALVES: Final = tuple((share / 100, f"{share} %") for share in (0, 50, 100))
LETTER: Final = 7.4
"""Mean width of a bold letter of a label, in pixels."""
LINE: Final = 14.0
LABEL_MARGIN: Final = 40.0
"""Space right of the frame for labels of marks at the right edge, in pixels."""
RADIUS: Final = 6.0
GAP: Final = 5.0
"""Space between a mark and its label, in pixels."""
DISTANCES: Final = (0.0, 10.0, 22.0, 36.0, 52.0, 70.0)
"""Additional distances to try between a mark and its label, in pixels."""
SIDES: Final = tuple((dx / 2, dy / 2) for dx in range(-2, 3) for dy in range(-2, 3) if max(abs(dx), abs(dy)) == 2)
"""Directions from a mark to its label."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. A tick is a pair of value and label."""

    low: float = 0.0
    high: float = 1.0
    ticks: Sequence[tuple[float, str]] = HALVES
    title: str = ""
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Return the position of a value: 0 at the low end, 1 at the high end."""
        low, high, at = map(log10, (self.low, self.high, value)) if self.logarithmic else (self.low, self.high, value)
        return (at - low) / (high - low) if high > low else 0.5


@dataclass(frozen=True, slots=True)
class Mark:
    """A point. `label` is drawn beside the point. `description` is the tooltip and alternative text of the point.

    `across` is the interval of x, `up` is the interval of y. `kind` is the CSS class: first, second or landmark.
    `href` is the address that a click on the point opens.
    """

    x: float
    y: float
    description: str
    label: str = ""
    across: tuple[float, float] | None = None
    up: tuple[float, float] | None = None
    kind: str = "first"
    href: str | None = None
    radius: float = RADIUS


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points. `kind` is the CSS class: first, second or guide (a reference line)."""

    points: Sequence[Point]
    kind: str = "first"


@dataclass(frozen=True, slots=True)
class _Frame:
    """Position of the axes in the drawing."""

    x: Axis
    y: Axis
    left: float
    top: float
    width: float
    height: float

    def place(self, x: float, y: float) -> Point:
        return self.left + self.width * self.x.share(x), self.top + self.height * (1 - self.y.share(y))


@dataclass(frozen=True, slots=True)
class _Label:
    """Position of a label: its box and the SVG text anchor."""

    box: Box
    anchor: str


def in_words(title: str, marks: Iterable[Mark]) -> str:
    """Return the alternative text of a chart: its title and the descriptions of its marks."""
    return f"{title}: {'; '.join(mark.description for mark in marks)}"


def chart(
    description: str,
    x: Axis,
    y: Axis,
    marks: Sequence[Mark],
    lines: Sequence[Line] = (),
    *,
    size: tuple[float, float] = (250, 172),
) -> Markup:
    """Return a chart as SVG of `size` pixels; `description` is its alternative text.

    Assistive technology sees a chart with links as a group of links, and any other chart as an image.
    """
    width, height = size
    left = 14 + LETTER * max((len(text) for _, text in y.ticks), default=0) + (LINE + 4 if y.title else 0)
    bottom = LINE + 8 + (LINE + 6 if x.title else 0)
    margin = 16.0 if all(not mark.label for mark in marks) else LABEL_MARGIN
    frame = _Frame(x, y, left, 12, width - left - margin, height - bottom - 12)
    linked = any(mark.href for mark in marks)
    drawn = (*_axes(frame), *_lines(frame, lines), *_marks(frame, marks, size))
    return Markup(
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'role="{"group" if linked else "img"}" aria-label="{as_data(description)}">{"".join(drawn)}</svg>'
    )


def _axes(frame: _Frame) -> Iterator[str]:
    right, bottom = frame.left + frame.width, frame.top + frame.height
    for value, text in frame.y.ticks:
        y = frame.place(frame.x.low, value)[1]
        yield f'<line class="rule" x1="{frame.left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(frame.left - 6, y + 4, text, "end")
    for value, text in frame.x.ticks:
        yield _text(frame.place(value, frame.y.low)[0], bottom + LINE + 4, text, "middle")
    if frame.x.title:
        yield _text(frame.left + frame.width / 2, bottom + 2 * LINE + 8, frame.x.title, "middle", "axis title")
    if frame.y.title:
        at = f"{LINE - 2:.1f} {frame.top + frame.height / 2:.1f}"
        yield (
            f'<text class="axis title" text-anchor="middle" transform="translate({at}) rotate(-90)">'
            f"{as_data(frame.y.title)}</text>"
        )


def _lines(frame: _Frame, lines: Iterable[Line]) -> Iterator[str]:
    for line in lines:
        points = " ".join("{:.1f},{:.1f}".format(*frame.place(*point)) for point in line.points)
        yield f'<polyline class="{line.kind}" points="{points}"/>'


def _marks(frame: _Frame, marks: Sequence[Mark], size: tuple[float, float]) -> Iterator[str]:
    for mark in marks:
        for ends in _intervals(frame, mark):
            (x1, y1), (x2, y2) = ends
            yield f'<line class="interval {mark.kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'
    labels = _labels(frame, marks, size)
    for mark, label in labels:
        yield from _leader(mark, frame.place(mark.x, mark.y), label.box)
    for mark in marks:
        yield _linked(mark, _symbol(frame, mark))
    for mark, label in labels:
        left, _, right, bottom = label.box
        x = {"start": left, "end": right, "middle": (left + right) / 2}[label.anchor]
        yield _text(x, bottom - 3, mark.label, label.anchor, f"name {mark.kind}")


def _labels(frame: _Frame, marks: Sequence[Mark], size: tuple[float, float]) -> list[tuple[Mark, _Label]]:
    """Return each labelled mark with the position of its label.

    All labels are placed twice, one after another, so that each label finally avoids all other labels.
    """
    named = [mark for mark in marks if mark.label]
    solid = [_around(frame.place(mark.x, mark.y), mark.radius) for mark in marks]
    solid += [(0, frame.top + frame.height + 2, size[0], size[1]), (0, 0, frame.left - 4, size[1])]
    thin = [_along(*ends) for mark in marks for ends in _intervals(frame, mark)]
    placed: dict[int, _Label] = {}
    for number, mark in [*enumerate(named), *enumerate(named)]:
        at = frame.place(mark.x, mark.y)
        others = [label.box for other, label in placed.items() if other != number]
        dots = [place for other in marks if other is not mark and (place := frame.place(other.x, other.y)) != at]
        placed[number] = _free_place(at, mark, [*solid, *others], thin, dots, size)
    return [(mark, placed[number]) for number, mark in enumerate(named)]


def _leader(mark: Mark, at: Point, box: Box) -> Iterator[str]:
    """Yield a thin line from a mark to a distant label."""
    if _distance(box, at) > mark.radius + GAP + 1:
        x, y = _nearest(box, at)
        yield f'<line class="leader" x1="{at[0]:.1f}" x2="{x:.1f}" y1="{at[1]:.1f}" y2="{y:.1f}"/>'


def _intervals(frame: _Frame, mark: Mark) -> Iterator[tuple[Point, Point]]:
    if mark.across is not None:
        yield frame.place(mark.across[0], mark.y), frame.place(mark.across[1], mark.y)
    if mark.up is not None:
        yield frame.place(mark.x, mark.up[0]), frame.place(mark.x, mark.up[1])


def _symbol(frame: _Frame, mark: Mark) -> str:
    """Return a circle, or a diamond for a landmark."""
    x, y = frame.place(mark.x, mark.y)
    r = mark.radius
    title = f"<title>{as_data(mark.description)}</title>"
    if mark.kind == "landmark":
        points = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y:.1f} {x:.1f},{y + r:.1f} {x - r:.1f},{y:.1f}"
        return f'<polygon class="mark landmark" points="{points}">{title}</polygon>'
    return f'<circle class="mark {mark.kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}">{title}</circle>'


def _linked(mark: Mark, symbol: str) -> str:
    if mark.href is None:
        return symbol
    return f'<a href="{as_data(mark.href)}" aria-label="{as_data(mark.description)}">{symbol}</a>'


def _free_place(
    at: Point, mark: Mark, solid: Sequence[Box], thin: Sequence[Box], dots: Sequence[Point], size: tuple[float, float]
) -> _Label:
    """Return the position of a label with the lowest cost.

    The cost is a sum of these terms, in descending weight:

    - the pixels of the label beyond the drawing
    - the number of other marks (`dots`) that are nearer to the label than the mark is
    - the number of other marks on the line from the label to the mark (as heavy as the term before)
    - the area of `solid` boxes that the label covers
    - the distance between label and mark
    - the area of `thin` boxes that the label covers
    """
    wide = LETTER * len(mark.label)

    def cost(label: _Label) -> float:
        box = label.box
        beyond = max(0.0, -box[0]) + max(0.0, box[2] - size[0]) + max(0.0, -box[1]) + max(0.0, box[3] - size[1])
        own = _distance(box, at)
        mistaken = sum(_distance(box, dot) <= min(own, mark.radius + GAP) for dot in dots)
        ends = (*at, *_nearest(box, at))
        passed = sum(_distance_to_line(ends, dot) < mark.radius for dot in dots)
        covered = sum(_overlap(box, other) for other in solid)
        crossed = sum(_overlap(box, other) for other in thin)
        return 1000 * beyond + 500 * (mistaken + passed) + 100 * covered + crossed + 2 * own

    return min((_beside(at, mark.radius, wide, side, distance) for distance in DISTANCES for side in SIDES), key=cost)


def _beside(at: Point, radius: float, wide: float, side: tuple[float, float], distance: float) -> _Label:
    """Return a label's position in the direction `side` from its mark, at GAP plus `distance` pixels."""
    x = at[0] + side[0] * (radius + GAP + wide / 2 + distance)
    y = at[1] + side[1] * (radius + GAP + LINE / 2 + distance)
    anchor = "middle" if not side[0] else "start" if side[0] > 0 else "end"
    return _Label((x - wide / 2, y - LINE / 2, x + wide / 2, y + LINE / 2), anchor)


def _around(at: Point, radius: float) -> Box:
    return at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius


def _along(one: Point, other: Point) -> Box:
    """Return the box around the line from `one` to `other`."""
    across, up = sorted((one[0], other[0])), sorted((one[1], other[1]))
    return across[0] - 1, up[0] - 1, across[1] + 1, up[1] + 1


def _nearest(box: Box, point: Point) -> Point:
    return min(max(point[0], box[0]), box[2]), min(max(point[1], box[1]), box[3])


def _distance(box: Box, point: Point) -> float:
    """Return the distance between a point and a box, 0 inside the box."""
    return math.dist(_nearest(box, point), point)


def _distance_to_line(ends: Box, point: Point) -> float:
    x, y = ends[2] - ends[0], ends[3] - ends[1]
    length = x * x + y * y
    share = ((point[0] - ends[0]) * x + (point[1] - ends[1]) * y) / length if length else 0.0
    share = min(max(share, 0.0), 1.0)
    return math.dist((ends[0] + share * x, ends[1] + share * y), point)


def _overlap(one: Box, other: Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if across > 0 and down > 0 else 0.0


def _text(x: float, y: float, text: str, anchor: str, kind: str = "axis") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{as_data(text)}</text>'
