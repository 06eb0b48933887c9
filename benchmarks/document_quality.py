"""What readers lose of documents, and what pollutes passages: `python -m benchmarks.document_quality FOLDER...`.

Words are compared with a plain extraction that knows no layout: the accepted text of the XML of a DOCX, all text of a
page of HTML but scripts and styles, and what `pdftotext` (poppler) gives, where it is installed. Struck out text,
repeated text, menus and lists of contents are lost on purpose, so the loss of HTML is never 0.
"""

import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, Final

from lxml import etree, html

from demur.corpora.documents.blocks import LeftOut
from demur.corpora.documents.readers import format_of
from demur.corpora.documents.reading import read_document

_LEFT_OUT: Final = frozenset(("del", "moveFrom", "Choice", "pPrChange", "rPrChange", "instrText"))
_POLLUTED: Final = {
    "HTML": re.compile(r"</?(?:p|div|span|a|br|td|tr|table|img|sup|ul|li|b|i|em|strong|h\d)\b[^>]*>|<!--"),
    "templates": re.compile(r"\{%|\{\{|\{#[\w-]+\}|\{:|\[\^\w+\]|\]\(|~~|\*\*"),
}
_RUNNING: Final = 5
"""The words of a phrase that counts as a running head if it stands in a tenth of the passages of a long document."""
_LONG: Final = 10


def plain_text(path: Path) -> str | None:
    """Return the text of a document without any layout; None if there is no plain extraction for its format."""
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
            return subprocess.run(["pdftotext", "-q", path, "-"], capture_output=True, timeout=60).stdout.decode()
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


def main(folders: list[Path]) -> None:
    """Print a line of figures for each format."""
    figures: dict[str, Counter[str]] = {}
    for path in sorted(file for folder in folders for file in folder.rglob("*") if file.is_file()):
        if format_of(path.name) is None:
            continue
        of = figures.setdefault(path.suffix.lower(), Counter())
        of["documents"] += 1
        try:
            passages = read_document(path.name, path.read_bytes(), 2_000_000)["passages"]
        except LeftOut as exc:
            of[f"left out: {exc.reason}"] += 1
            continue
        except Exception as exc:  # what the process that reads calls damaged
            of[f"failed: {type(exc).__name__}"] += 1
            continue
        texts = [passage["text"] for passage in passages]
        of["passages"] += len(texts)
        of["with running heads"] += _with_running(texts)
        for name, pattern in _POLLUTED.items():
            of[f"with {name}"] += sum(pattern.search(text) is not None for text in texts)
        shown = "\n".join(text for one in passages for text in (one["title"] or "", one["text"]))
        if (plain := plain_text(path)) is not None:
            wanted = words(plain)
            lost = sum((wanted - words(shown)).values())
            of["words"] += sum(wanted.values())
            of["words lost"] += lost
            of["documents that lose a tenth"] += lost >= 0.1 * max(1, sum(wanted.values()))
    for ending, of in sorted(figures.items()):
        share = f"; {of['words lost'] / of['words']:.2%} of words lost" if of["words"] else ""
        print(f"{ending}: {', '.join(f'{number:,} {name}' for name, number in of.items())}{share}")


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]])
