"""Matplotlib figures as inline SVG that takes its colours and its type from the page around it.

Matplotlib is imported where a figure is drawn: it takes half a second, which `--help` should not pay.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import StringIO
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from markupsafe import Markup

from demur.reports.text import as_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS_PER_INCH: Final = 72
_DROPPED: Final = {"metadata", "style"}
_REFERENCE: Final = re.compile(r"#([A-Za-z_][\w.-]*)")


class Tone(StrEnum):
    """The colours of figures: stand-ins that become the page's CSS variables, so that both themes show them."""

    INK = "#010101"
    MUTED = "#020202"
    RULE = "#030303"
    ACCENT = "#040404"
    WARM = "#050505"
    PAPER = "#060606"

    @property
    def variable(self) -> str:
        """The CSS variable that stands for this colour."""
        return f"var(--{self.name.lower()})"


@contextmanager
def _settings(name: str) -> Iterator[None]:
    """Draw with matplotlib's own defaults whatever the machine's are, and with ids that depend on the name only."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rc("svg", fonttype="none", hashsalt=name)
        mpl.rc("font", size=10)
        mpl.rc("text", color=Tone.MUTED.value, parse_math=False)
        mpl.rc("axes", labelcolor=Tone.MUTED.value)
        mpl.rc("xtick", color=Tone.MUTED.value)
        mpl.rc("ytick", color=Tone.MUTED.value)
        yield


def inline_svg(name: str, label: str, width: float, height: float, draw: Callable[["Figure"], None]) -> Markup:
    """Return what `draw` puts on a figure as an SVG element of a natural size in CSS pixels.

    The same name and drawing give the same text. Names keep the ids of a page's figures apart. No text from outside
    belongs into a figure; `label`, its text for those who cannot see it, may hold some.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with _settings(name):
        figure = Figure(figsize=(width / POINTS_PER_INCH, height / POINTS_PER_INCH), dpi=POINTS_PER_INCH)
        figure.patch.set_visible(False)
        draw(figure)
        file = StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        FigureCanvasSVG(figure).print_figure(file, format="svg", metadata=nothing)
    root = ElementTree.fromstring(file.getvalue())
    text = ElementTree.tostring(_plain(root, name), encoding="unicode")
    body = text.partition(">")[2]
    opening = (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{as_data(label)}">'
    )
    return Markup(opening + body)


def _plain(root: ElementTree.Element, name: str) -> ElementTree.Element:
    """Drop namespaces, metadata, fonts and unused ids; make ids the figure's own and colours the page's."""
    for parent in root.iter():
        for child in [child for child in parent if _local(child.tag) in _DROPPED]:
            parent.remove(child)
    used = {
        found for element in root.iter() for value in element.attrib.values() for found in _REFERENCE.findall(value)
    }
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    for element in root.iter():
        element.tag = _local(element.tag)
        element.tail = (element.tail or "").strip() or None
        element.text = (element.text or "").strip() or None
        attributes = {_local(key): value for key, value in element.attrib.items()}
        element.attrib.clear()
        for key, value in attributes.items():
            if key == "id" and value not in used:
                continue
            element.set(key, f"{prefix}-{value}" if key == "id" else _styled(value, prefix))
    return root


def _styled(value: str, prefix: str) -> str:
    for tone in Tone:
        value = value.replace(tone.value, tone.variable)
    value = re.sub(r"font-family:[^;]*;?\s*|font: [\d.]+px [^;]*;?", lambda match: _size(match.group()), value)
    return _REFERENCE.sub(rf"#{prefix}-\1", value)


def _size(declaration: str) -> str:
    size = re.match(r"font: ([\d.]+px)", declaration)
    return f"font-size: {size[1]};" if size else ""


def _local(name: str) -> str:
    return name.rpartition("}")[2]
