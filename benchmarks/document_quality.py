"""What readers lose of documents, and what pollutes passages: `python -m benchmarks.document_quality FOLDER...`.

Words are compared with a plain extraction that knows no layout: the accepted text of the XML of a DOCX, all text of a
page of HTML but scripts and styles, and what `pdftotext` (poppler) gives, where it is installed. Struck out text,
repeated text, menus and lists of contents are lost on purpose, so the loss of HTML is never 0. Documents are read as a
round reads them, in a process with limits; `--seconds` are the CPU seconds for each of them (20).
"""

import argparse
import asyncio
import re
import shutil
import subprocess
import zipfile
from collections import Counter
from pathlib import Path, PurePath
from typing import Any, Final

from lxml import etree, html

from demur.corpora.documents.folder import FolderReading, read_all
from demur.corpora.documents.found import Choice

_LEFT_OUT: Final = frozenset(("del", "moveFrom", "Choice", "pPrChange", "rPrChange", "instrText"))
_POLLUTED: Final = {
    "HTML": re.compile(r"</?(?:p|div|span|a|br|td|tr|table|img|sup|ul|li|b|i|em|strong|h\d)\b[^>]*>|<!--"),
    "templates": re.compile(r"\{%|\{\{|\{#[\w-]+\}|\{:|\[\^\w+\]|\]\(|~~|\*\*"),
}
_RUNNING: Final = 5
"""The words of a phrase that counts as a running head if it stands in a tenth of the passages of a long document."""
_LONG: Final = 10
_LARGEST: Final = 20_000_000


def plain_text(path: Path, seconds: float) -> str | None:
    """Return the text of a document without any layout; None if its format has no plain extraction, or it is slow."""
    match path.suffix.lower():
        case ".docx":
            with zipfile.ZipFile(path) as archive:
                root = etree.fromstring(archive.read("word/document.xml"))
            return " ".join(_words_of(root))
        case ".html" | ".htm":
            page = html.document_fromstring(path.read_bytes())
            etree.strip_elements(page, "script", "style", "head", "noscript", with_tail=False)
            return " ".join(str(text) for text in page.itertext())
        case ".pdf" if shutil.which("pdftotext"):
            try:
                said = subprocess.run(["pdftotext", "-q", path, "-"], capture_output=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return None
            return said.stdout.decode("utf-8", "replace")
    return None


def _words_of(element: Any) -> list[str]:
    parts = [""]

    def walk(one: Any) -> None:
        name = etree.QName(one).localname if isinstance(one.tag, str) else ""
        if name in _LEFT_OUT:
            return
        parts[0] += (one.text or "") if name == "t" else " " if name in ("tab", "br", "p", "tc") else ""
        for below in one:
            walk(below)

    walk(element)
    return parts[0].split()


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def _with_running(passages: list[str]) -> int:
    """Return how many passages of a document have a phrase that stands in a tenth of them."""
    phrases = [
        {" ".join(run) for run in zip(*(text.split()[n:] for n in range(_RUNNING)), strict=False)} for text in passages
    ]
    counted = Counter(phrase for own in phrases for phrase in own)
    often = {phrase for phrase, number in counted.items() if number > max(2, len(passages) / 10)}
    return sum(bool(own & often) for own in phrases) if len(passages) >= _LONG else 0


async def main(folders: list[Path], seconds: float) -> None:
    """Print a line of figures for each format."""
    figures: dict[str, Counter[str]] = {}
    for folder in folders:
        async for found, rows in read_all(FolderReading(str(folder), Choice(), _LARGEST, 2_000_000, seconds, 1500)):
            if found.reason == "unsupported":
                continue
            of = figures.setdefault(PurePath(found.path).suffix.lower(), Counter())
            of["documents"] += 1
            if "reason" in rows:
                of[f"left out: {rows['reason']}"] += 1
                continue
            _count(of, rows["passages"], plain_text(Path(found.address), seconds) if found.length is None else None)
    for ending, of in sorted(figures.items()):
        share = f"; {of['words lost'] / of['words']:.2%} of words lost" if of["words"] else ""
        print(f"{ending}: {', '.join(f'{number:,} {name}' for name, number in of.items())}{share}")


def _count(of: Counter[str], passages: list[dict[str, Any]], plain: str | None) -> None:
    """Add the figures of a document's passages."""
    texts = [passage["text"] for passage in passages]
    of["passages"] += len(texts)
    of["with running heads"] += _with_running(texts)
    for name, pattern in _POLLUTED.items():
        of[f"with {name}"] += sum(pattern.search(text) is not None for text in texts)
    shown = "\n".join(text for one in passages for text in (one["title"] or "", one["text"]))
    if plain is not None:
        wanted = words(plain)
        lost = sum((wanted - words(shown)).values())
        of["words"] += sum(wanted.values())
        of["words lost"] += lost
        of["documents that lose a tenth"] += lost >= 0.1 * max(1, sum(wanted.values()))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--seconds", type=float, default=20.0)
    chosen = options.parse_args()
    asyncio.run(main(chosen.folders, chosen.seconds))
