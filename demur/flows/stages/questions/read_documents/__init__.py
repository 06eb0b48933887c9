"""The stage read_documents reads documents and splits them into passages, in a separate process with limits."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from demur.configuration.corpus_section import Dates
from demur.configuration.round_config import DOCUMENTS
from demur.corpora.documents.blocks import LeftOut
from demur.corpora.documents.folder import FolderReading, repeated_in
from demur.corpora.documents.found import Choice, address_of, is_address
from demur.corpora.documents.process import DocumentReader, document_reader
from demur.corpora.documents.readers import FORMATS, format_of
from demur.engine.context import RoundContext, digest_of, loader_reading
from demur.engine.logs import observer
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.errors import CorpusError
from demur.programs.errors import ProgramError
from demur.programs.installation import code_version
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "read_documents"
_CODE: Final = ("demur.corpora.documents", "demur.text.language_detection")
_IMPORTED: Final = ("pypdfium2", "lxml", "markdown_it", "bm25s")
_LIBRARIES: Final = ("lxml", "markdown-it-py", "py3langid", "pypdfium2", "sentencex")


def documents_of(context: RoundContext) -> str:
    """Return the path or the address of the round's documents. For the shipped documents, return their folder."""
    documents = context.documents.documents
    if is_address(documents):
        return documents
    ours = (DOCUMENTS,) if documents == DOCUMENTS.name else ()
    return str(context.own_or_ours(Path(documents), Path.exists, *ours))


def check_documents(context: RoundContext) -> None:
    """Check that there is a readable document, and that the libraries for reading documents are installed.

    Raises:
        CorpusError: there is no readable document, or the place cannot be listed.
        ModuleNotFoundError: a library for reading documents is not installed.
    """
    for name in _IMPORTED:
        import_module(name)
    where = documents_of(context)
    reasons = Counter[str]()
    for found in reading_of(context).find():
        if found.reason is None:
            return
        reasons[found.reason] += 1
    allowed = f"allowed: files that end in {', '.join(FORMATS)}; remedy: check --documents or corpus.documents"
    if not reasons:
        raise CorpusError(f"{where}: has no documents; {allowed}")
    listed = ", ".join(f"{number} {reason}" for reason, number in reasons.most_common())
    raise CorpusError(f"{where}: has no document that can be read ({listed}); {allowed}")


def reading_of(context: RoundContext) -> FolderReading:
    """Return how the round reads its documents."""
    choice, limits = context.documents, context.documents.limits
    return FolderReading(
        documents_of(context),
        Choice(choice.include, choice.exclude),
        int(limits.megabytes * 1_000_000),
        limits.characters,
        limits.seconds,
        limits.memory_megabytes,
    )


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield a unit for each document, sorted by path, and by number of the row for documents of one JSONL file."""
    decisive = code_version(_CODE, _LIBRARIES), context.documents.limits.model_dump_json()
    reading = reading_of(context)
    found = reading.find()
    with ThreadPoolExecutor(1) as thread:  # a thread has a loop of its own, also where a flow runs one
        repeated = thread.submit(lambda: asyncio.run(repeated_in(reading, found))).result()
    for one, own in zip(found, repeated, strict=True):
        inputs = asdict(one)
        del inputs["address"]  # it is a path of one machine
        if context.documents.dates is Dates.TEXT:
            del inputs["modified"]
        if own:
            inputs["repeated"] = own
        yield planned_unit(context, NAME, ("document_id",), {"document_id": one.document_id, **inputs}, *decisive)


def report_left_out(context: RoundContext) -> None:
    """If documents were left out, report how many were read, and how many were left out for each reason."""
    with loader_reading(context) as con:
        rows = list(records(con, FOLDER / "left_out.sql", [context.round_id]))
    read = sum(row["documents"] for row in rows if row["status"] == "read")
    reasons = ", ".join(f"{row['documents']} {row['reason']}" for row in rows if row["reason"] is not None)
    if reasons:
        observer().notice(f"read_documents: {read} documents read; left out: {reasons}. `demur corpus show` lists them")


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    """Yield the function that reads a document in a process of its own. The first call starts this process."""
    limits = context.documents.limits
    async with document_reader(limits.seconds, limits.memory_megabytes) as reader:

        async def work(unit: Unit) -> Rows:
            return await _read(context, reader, unit)

        yield work


async def _read(context: RoundContext, reader: DocumentReader, unit: Unit) -> Rows:
    inputs = unit.inputs
    key = unit.key(context.round_id)
    chosen = format_of(inputs["path"])
    document: dict[str, Any] = {
        **key,
        **{name: inputs[name] for name in ("document_id", "digest", "path", "row", "bytes")},
        "media_type": chosen.media_type if chosen is not None else None,
    }
    try:
        if inputs["reason"] is not None:
            raise LeftOut(inputs["reason"], inputs["detail"])
        read = await reader.read(_request(context, inputs))
    except LeftOut as exc:
        if exc.reason == "changed":
            raise ProgramError(f"{exc}. Run the same command again") from exc
        left_out = {"status": "left_out", "reason": exc.reason, "detail": str(exc), "passages": 0}
        return {"documents": [{**document, **left_out}]}
    read["date"] = read["date"] or inputs.get("modified")
    passages = [
        {
            **key,
            "passage_id": digest_of(inputs["document_id"], passage["number"], passage["digest"]),
            "document_id": inputs["document_id"],
            **passage,
            "date": read["date"],
        }
        for passage in read.pop("passages")
    ]
    return {"documents": [{**document, **read, "passages": len(passages), "status": "read"}], "passages": passages}


def _request(context: RoundContext, inputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "address": address_of(documents_of(context), inputs["path"]),
        **{name: inputs[name] for name in ("path", "digest", "offset", "length")},
        "characters": context.documents.limits.characters,
        "repeated": inputs.get("repeated", ()),
    }


READ_DOCUMENTS: Final = Stage(NAME, "documents", FOLDER, _plan, _open)
