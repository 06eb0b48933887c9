"""Rows of public sets, and of files whose fields have other names, as rows with the fields of the format demur."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import yaml

from demur.corpora.corpus_rows import FaultReason, RowFault, shown
from demur.corpora.jsonl import Json, RawLine, Record, parse_record, raw_lines
from demur.corpora.record_files import first_at, first_record, found_at, numbered_rows, values_at
from demur.errors import CorpusError

# Parts of long texts, such as whole web pages, that are nearest to a question.


_MOST: Final = 180
"""The largest number of words of a part."""


def nearest_parts(passages: Sequence[Record], question: str, wanted: int, *, html: bool) -> list[Record]:
    """Return the parts of texts that are nearest to a question, at most `wanted`, in the order of the texts.

    A part consists of whole sentences, with 180 words at most. Equal parts are returned once.

    Args:
        passages: The texts, each with its title.
        question: The question.
        wanted: The largest number of parts.
        html: Whether the texts are HTML.
    """
    from demur.corpora.documents.passages import NearestPassages

    parts: dict[str, Record] = {}
    for passage in passages:
        for text in _parts(str(passage["text"]), html=html):
            parts.setdefault(text, {**passage, "text": text})
    index = NearestPassages((text, text) for text in parts)  # each text is its own id
    chosen = set(index.nearest(question, wanted, lambda text: True))
    return [part for text, part in parts.items() if text in chosen]


def _parts(text: str, *, html: bool) -> Iterator[str]:
    """Yield parts of whole sentences, each with as many sentences as fit.

    Documents are cut at the best places instead. Whole web pages have too many sentences for that search.
    """
    words: list[str] = []
    for sentence in _sentences(text, html=html):
        more = sentence.split()
        if words and len(words) + len(more) > _MOST:
            yield " ".join(words)
            words = []
        words += more
        while len(words) > _MOST:  # a table without full stops
            yield " ".join(words[:_MOST])
            words = words[_MOST:]
    if words:
        yield " ".join(words)


def _sentences(text: str, *, html: bool) -> Iterator[str]:
    import sentencex

    blocks = text.split("\n")
    if html and "<" in text:
        from demur.corpora.documents.blocks import LeftOut
        from demur.corpora.documents.readers.html import read

        try:
            blocks = [block.text for block in read(text.encode("utf-8", "replace")).blocks]
        except LeftOut:
            return
    for block in blocks:
        yield from sentencex.segment("en", block)


OUR_FIELDS: Final = tuple(
    "id question answers context passages passages.text passages.title passages.relevant passages.file "
    "relevant_titles title domain language is_impossible".split()
)
"""The fields that a mapping can give."""
AS_NAMED: Final = {
    **{name: name for name in "id question answers context passages title domain language".split()},
    **{f"passages.{name}": name for name in ("text", "title", "relevant")},
}
"""The mapping of a file whose fields have our names."""
_TRUE: Final = frozenset(("true", "1", "yes"))
_BETWEEN_TEXTS: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """How the rows of a public set are read; see published.yaml.

    Attributes:
        title: The name of the set, for people.
        reads: Paths in the set's rows by our fields.
        rows: The path of the rows inside one JSON document.
        only_in: Paths that find something in rows of this set only.
        unanswerable_if: Values by path: a row with one of these values has no answer.
        folders: Folders of texts that rows name.
        html: Whether the texts of passages are HTML.
        nearest: The number of passages of a row, where texts are too long to be passages: the parts of the texts that
            are nearest to the question. None if each text is a passage.
    """

    title: str
    reads: Mapping[str, str]
    rows: str = ""
    only_in: Sequence[str] = ()
    unanswerable_if: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    folders: Sequence[str] = ()
    html: bool = False
    nearest: int | None = None


OTHER_NAMES: Final = PublishedSet("rows with fields of other names", AS_NAMED)


@cache
def published_sets() -> Mapping[str, PublishedSet]:
    """Return the public sets that demur reads, by name."""
    text = files("demur.corpora").joinpath("published.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return {name: PublishedSet(**entry) for name, entry in table.items()}


def recognised(path: Path) -> str | None:
    """Return the public set whose rows a file has; None if the first row tells no set for certain."""
    if (path / "corpus.jsonl").is_file() and (path / "queries.jsonl").is_file():
        return "beir"
    for name, one in published_sets().items():
        first = first_record(path, one.rows) if one.only_in and path.is_file() else None
        if first is not None and all(found_at(first, field) for field in one.only_in):
            return name
    return None


def published_rows(path: Path, name: str) -> Iterator[tuple[int, RawLine | Record]]:
    """Yield the rows of a file or folder of a public set, with their numbers from 1.

    Raises:
        CorpusError: the file or folder cannot be read.
    """
    if name == "beir":
        yield from enumerate(_of_beir(path), start=1)
    else:
        one = published_sets().get(name)
        yield from numbered_rows(path, one.rows if one else "")


def mapped(row: Record, one: PublishedSet, number: int, folder: Path) -> Record:
    """Return a row with the fields of the format demur.

    Args:
        row: The row as its file has it.
        one: How the row is read.
        number: The number of the row, the id of a row without one.
        folder: The folder of the file, for rows that name other files.

    Raises:
        RowFault: the row has no text at a path that must find one.
    """
    found: Record = {"id": first_at(row, one.reads["id"]) if "id" in one.reads else None}
    if found["id"] is None:
        found["id"] = f"row-{number}"
    if _is_impossible(row, one):
        return {**found, "is_impossible": True}
    for name in ("question", "title", "domain", "language"):
        value = first_at(row, one.reads[name]) if name in one.reads else None
        if value is not None:
            found[name] = value if isinstance(value, str) else str(value)
    found["answers"] = [
        value if isinstance(value, str) else str(value) for value in found_at(row, one.reads["answers"])
    ]
    for name in ("question", "answers"):
        if not found.get(name):
            raise _nothing_at(one, name, FaultReason.BAD_QUESTION if name == "question" else FaultReason.BAD_ANSWERS)
    passages = list(_passages(row, one, folder)) if "passages" in one.reads else []
    if passages:
        if one.nearest is not None:
            passages = nearest_parts(passages, str(found["question"]), one.nearest, html=one.html)
        found["passages"] = _with_relevance(row, one, passages, found["answers"])
    elif "context" in one.reads and (texts := found_at(row, one.reads["context"])):
        found["context"] = _BETWEEN_TEXTS.join(map(str, texts))
    else:
        raise _nothing_at(one, "passages" if "passages" in one.reads else "context", FaultReason.BAD_CONTEXT)
    return found


def _nothing_at(one: PublishedSet, name: str, reason: FaultReason) -> RowFault:
    path = one.reads.get(name, name)
    remedy = f"fill it, or say with --map {name}=THEIRS where it is"
    return RowFault(reason, name, f"has nothing: the row has no text at '{path}'", "a path to a text", remedy)


def _is_impossible(row: Record, one: PublishedSet) -> bool:
    marked = "is_impossible" in one.reads and first_at(row, one.reads["is_impossible"])
    if marked is True or str(marked).casefold() in _TRUE:
        return True
    return any(
        str(found).strip().casefold() in {str(value).casefold() for value in values}
        for path, values in one.unanswerable_if.items()
        for found in found_at(row, path)
    )


def _passages(row: Record, one: PublishedSet, folder: Path) -> Iterator[Record]:
    """Yield the row's passages with text, each text once."""
    seen = set[str]()
    passages_path = one.reads["passages"]
    takes_entries = passages_path.endswith("]")  # such a path finds the entries of a list, any other the list itself
    for value in values_at(row, passages_path):
        entries = value if isinstance(value, list) and not takes_entries else [value]
        for entry in entries:
            text = entry if isinstance(entry, str) else _file_text(entry, one, folder) or _text(entry, one)
            if not text.strip() or text in seen:
                continue
            seen.add(text)
            passage: Record = {"text": text}
            for name in ("title", "relevant"):
                path = one.reads.get(f"passages.{name}")
                given = first_at(entry, path) if path and not isinstance(entry, str) else None
                if given is not None:
                    passage[name] = given
            yield passage


def _text(entry: Json, one: PublishedSet) -> str:
    """Return the text of a passage; sentences in a list are joined."""
    text = ""
    for piece in found_at(entry, one.reads.get("passages.text", "text")):
        more = str(piece)
        has_space = text[-1:].isspace() or more[:1].isspace()
        text += more if not text or has_space else f" {more}"
    return text


def _file_text(entry: Json, one: PublishedSet, folder: Path) -> str:
    """Return the text of the file that a passage names, from the folders of the set; empty if there is no such file."""
    path = one.reads.get("passages.file")
    named = first_at(entry, path) if path else None
    if not isinstance(named, str):
        return ""
    for below in one.folders:
        for base in ((folder / below).resolve(), (folder.parent / below).resolve()):
            file = (base / named).resolve()
            if file.is_relative_to(base) and file.is_file():
                return file.read_text(encoding="utf-8", errors="replace")
    return ""


def _with_relevance(row: Record, one: PublishedSet, passages: Sequence[Record], answers: Json) -> list[Json]:
    """Return the passages, each marked as relevant or not.

    Where the set does not say it, passages that state an accepted answer are relevant; if none does, all are.
    """
    if "relevant_titles" in one.reads:
        titles = found_at(row, one.reads["relevant_titles"])
        return [{**passage, "relevant": passage.get("title") in titles} for passage in passages]
    if any("relevant" in passage for passage in passages):
        return [{**passage, "relevant": _is_true(passage.get("relevant"))} for passage in passages]
    from demur.text.stated import differences

    stated = [
        any(differences(str(answer), str(passage["text"])) is not None for answer in found_at(answers, "[]"))
        for passage in passages
    ]
    return [
        {**passage, "relevant": is_stated or not any(stated)}
        for passage, is_stated in zip(passages, stated, strict=True)
    ]


def _is_true(value: Json) -> bool:
    return value is True or str(value).casefold() in _TRUE


def _of_beir(folder: Path) -> Iterator[Record]:
    """Yield the queries that have relevant documents, each with its documents as `relevant`."""
    judgements = [folder / "qrels" / f"{name}.tsv" for name in ("test", "dev", "train")]
    judged = next((path for path in judgements if path.is_file()), None)
    missing = [name for name in ("corpus.jsonl", "queries.jsonl") if not (folder / name).is_file()]
    if judged is None or missing:
        raise CorpusError(
            f"{folder}: has no {', '.join(missing) or 'qrels/test.tsv'}; allowed: a folder with corpus.jsonl, "
            "queries.jsonl and qrels/test.tsv, dev.tsv or train.tsv; remedy: unpack the whole set"
        )
    relevant: dict[str, list[str]] = {}
    for number, judgement in numbered_rows(judged):
        cells = judgement if isinstance(judgement, dict) else {}
        try:
            is_relevant = float(str(cells["score"])) > 0
            query_id, document_id = str(cells["query-id"]), str(cells["corpus-id"])
        except (KeyError, ValueError) as exc:
            raise CorpusError(
                f"{judged}: row {number}: is {shown(cells)}; allowed: query-id, corpus-id and a number as score; "
                "remedy: keep the header of the set"
            ) from exc
        if is_relevant:
            relevant.setdefault(query_id, []).append(document_id)
    wanted = set[str]().union(*relevant.values())
    texts: dict[str, Record] = {}
    for document in _records(folder / "corpus.jsonl"):
        document_id = str(document.get("_id"))
        if document_id in wanted:
            texts[document_id] = document
    for query in _records(folder / "queries.jsonl"):
        judged_ids = relevant.get(str(query.get("_id")), ())
        documents: list[Json] = [texts[one] for one in judged_ids if one in texts]
        if documents:
            yield {**query, "relevant": documents}


def _records(path: Path) -> Iterator[Record]:
    for line in raw_lines(path):
        try:
            yield parse_record(line)
        except RowFault as fault:
            raise CorpusError(f"{path}: line {line.number}: {fault}") from fault
