"""How a report looks in a browser that is 400 pixels wide: nothing breaks, and what scrolls shows that it does."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from demur.reports.pages.rendering import STYLE, asset
from demur.reports.report.report import render_report
from tests.reports.rounds import full_report

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)")

WIDTH = 400
MEASURES = r"""
<script>
const NUMBER = /[+\u2212]?\d[\d.,\u202f]*([\u2013 ]+(to |\u00d7 )?[+\u2212]?\d[\d.,]*[^\s,]*)?/g;
const numbers = [];
for (const element of document.querySelectorAll(".number, .value, .right")) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const found of node.data.matchAll(NUMBER)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      numbers.push([found[0], tops.size]);
    }
  }
}
const root = document.documentElement;
parent.postMessage({numbers, width: root.clientWidth, beyond: root.scrollWidth - root.clientWidth}, "*");
</script>
"""


FRAME = """
<body style="margin: 0"><iframe src="inner.html" style="border: 0; width: {width}px; height: 3000px"></iframe>
<script>addEventListener("message", event => document.body.dataset.measured = JSON.stringify(event.data))</script>
</body>
"""
"""A window has a least width; a frame has not."""


def browse(folder: Path, html: str, *arguments: str) -> str:
    """Open a page in a browser without a window, 400 pixels wide, and return what the browser prints."""
    (folder / "inner.html").write_text(html, "utf-8")
    (folder / "frame.html").write_text(FRAME.format(width=WIDTH), "utf-8")
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"]
    measured = subprocess.run(
        [str(BROWSER), *quiet, f"--user-data-dir={folder / 'profile'}", *arguments, (folder / "frame.html").as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return measured.stdout


def test_page_400_pixels_wide_breaks_no_number_and_does_not_scroll_sideways(tmp_path: Path) -> None:
    opened = render_report(full_report()).replace("<details", "<details open")
    found = re.search(
        r'data-measured="([^"]*)"', browse(tmp_path, opened.replace("</body>", f"{MEASURES}</body>"), "--dump-dom")
    )
    assert found is not None
    measured: dict[str, Any] = json.loads(unescape(found[1]))
    assert measured["width"] == WIDTH
    assert len(measured["numbers"]) > 500
    assert [number for number, lines in measured["numbers"] if lines > 1] == []
    assert measured["beyond"] == 0


TABLE = "<div style='position: absolute; top: {top}px; left: 1rem; right: 1rem'><div class='scroll'>{table}</div></div>"
END = "<script>document.querySelectorAll('.scroll')[2].scrollLeft = 99999</script>"


def test_table_shows_at_its_right_edge_that_there_is_more(tmp_path: Path) -> None:
    """Of three tables the first fits, the second is wider than the window, and the third is scrolled to its end."""
    rows = [f"<table><tbody><tr>{'<td>number</td>' * cells}</tr></tbody></table>" for cells in (1, 30, 30)]
    tables = "".join(TABLE.format(top=100 * at, table=row) for at, row in enumerate(rows))
    picture = tmp_path / "table.png"
    page = f"<!DOCTYPE html><style>{asset(STYLE).decode()}</style><body>{tables}{END}</body>"
    browse(tmp_path, page, f"--screenshot={picture}")
    with Image.open(picture) as opened:
        pixels = opened.convert("RGB")
        colours = [
            pixels.getpixel(at) for at in ((0, pixels.height - 1), *((WIDTH - 2, 100 * at + 30) for at in range(3)))
        ]
    paper, *edges = [colour for colour in colours if isinstance(colour, tuple)]
    shaded = [max(abs(one - other) for one, other in zip(paper, edge, strict=True)) > 25 for edge in edges]
    assert shaded == [False, True, False]
