"""How long documents are read, split and indexed, and with how much memory: `python -m benchmarks.documents 200`."""

import asyncio
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docx import Document

from demur.corpora.documents.found import find_documents
from demur.corpora.documents.passages import NearestPassages
from demur.corpora.documents.process import document_reader
from demur.deployments import __file__ as deployments

OURS = Path(deployments).parent / "documents"
"""Documents of which the measured ones are made."""
LIMIT = 20_000_000


def write_documents(folder: Path, number: int) -> None:
    """Write so many documents of about ten passages each: two of our texts together, a number of their own before."""
    texts = {path.suffix: path for path in OURS.iterdir()}
    prose = [path.read_text(encoding="utf-8") for path in sorted(OURS.iterdir()) if path.suffix in (".md", ".txt")]
    for n in range(number):
        first, second = prose[n % len(prose)], prose[(n + 1) % len(prose)]
        marked = f"Copy {n:05} of this handbook belongs to branch {n * 7919 % 100_003}.\n\n{first}\n\n{second}"
        kind = (".md", ".txt", ".html", ".docx", ".pdf")[n % 5]
        path = folder / f"{n:05}{kind}"
        if kind == ".html":
            paragraphs = "".join(f"<p>{part}</p>" for part in marked.split("\n\n"))
            path.write_text(f"<html><head><meta charset='utf-8'></head><body>{paragraphs}</body></html>", "utf-8")
        elif kind == ".docx":
            document = Document()
            for part in marked.split("\n\n"):
                document.add_paragraph(part)
            document.save(str(path))
        elif kind == ".pdf":
            path.write_bytes(texts[".pdf"].read_bytes() + f"\n%{n}\n".encode())
        else:
            path.write_text(marked, encoding="utf-8")


async def read(folder: Path) -> list[tuple[str, str]]:
    """Read and split all documents, and return ids and texts of their passages."""
    passages: list[tuple[str, str]] = []
    async with document_reader(60, 1500) as reader:
        for found in find_documents(str(folder), LIMIT):
            assert found.reason is None, found
            request: dict[str, Any] = {
                "address": found.address,
                "path": found.path,
                "digest": found.digest,
                "offset": found.offset,
                "length": found.length,
                "characters": 2_000_000,
            }
            document = await reader.read(request)
            passages += [(f"{found.path}:{one['number']}", one["text"]) for one in document["passages"]]
    return passages


def main(number: int) -> None:
    """Print documents, passages, seconds of each step, and the most memory of reader and of this process."""
    with TemporaryDirectory() as folder:
        write_documents(Path(folder), number)
        began = time.perf_counter()
        passages = asyncio.run(read(Path(folder)))
        split = time.perf_counter()
        index = NearestPassages(passages)
        indexed = time.perf_counter()
        index.nearest("When does the first ship leave?", 5, lambda passage: True)
        asked = time.perf_counter()
    reader, own = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    print(f"{number} documents, {len(passages)} passages: read and split {split - began:.1f} s, indexed")
    print(
        f"{indexed - split:.1f} s, asked {(asked - indexed) * 1000:.0f} ms; reader {reader:.0f} MB, this {own:.0f} MB"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
