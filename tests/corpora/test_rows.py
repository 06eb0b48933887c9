"""Content ids and round trips, over generated rows."""

import json
import tempfile
import unicodedata
from dataclasses import replace
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from demur.corpora.corpus import CorpusFormat, read_corpus
from demur.corpora.corpus_rows import CorpusPassage, CorpusRow, OnBadRow
from demur.corpora.jsonl import Record

clean_text = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=60)
    .map(lambda text: unicodedata.normalize("NFC", text))
    .filter(lambda text: bool(text.strip()))
)


@st.composite
def corpus_rows(draw: st.DrawFn) -> CorpusRow:
    answers = tuple(draw(st.lists(clean_text, min_size=1, max_size=3, unique=True)))
    texts = draw(st.lists(clean_text, min_size=1, max_size=4))
    passages = [CorpusPassage(text, draw(st.booleans()), draw(st.none() | clean_text)) for text in texts]
    with_answer = unicodedata.normalize("NFC", f"{texts[0]} | {answers[0]} |")
    assume(answers[0] in with_answer)  # A leading combining mark would merge with the space before it.
    passages[draw(st.integers(0, len(passages) - 1))] = CorpusPassage(with_answer, relevant=True)
    return CorpusRow(
        source_id=draw(clean_text),
        domain=draw(st.none() | clean_text),
        title=draw(st.none() | clean_text),
        question=draw(clean_text),
        answers=answers,
        passages=tuple(passages),
        language=draw(st.none() | st.sampled_from(["de", "en", "zh"])),
    )


def as_record(row: CorpusRow) -> Record:
    return {
        "id": row.source_id,
        "domain": row.domain,
        "title": row.title,
        "language": row.language,
        "question": row.question,
        "answers": list(row.answers),
        "passages": [{"text": p.text, "relevant": p.relevant, "title": p.title} for p in row.passages],
    }


def read_back(*lines: str) -> list[CorpusRow]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.jsonl"
        path.write_bytes("\n".join(lines).encode())
        return list(read_corpus(path, CorpusFormat.DEMUR))


@given(corpus_rows(), st.booleans())
def test_row_written_and_read_is_the_same_row(row: CorpusRow, ascii_only: bool) -> None:
    assert read_back(json.dumps(as_record(row), ensure_ascii=ascii_only)) == [row]


@given(corpus_rows(), st.data())
def test_base_id_is_the_same_whatever_the_order_of_keys_and_the_labels(row: CorpusRow, data: st.DataObject) -> None:
    record = as_record(row) | {"id": "other", "domain": "sport", "title": None, "language": "fr", "source": "x"}
    keys = data.draw(st.permutations(sorted(record)))
    (read,) = read_back(json.dumps({key: record[key] for key in keys}))

    assert read.base_id == row.base_id
    assert len(row.base_id) == 32
    assert int(row.base_id, 16) >= 0


@given(corpus_rows())
def test_base_id_is_the_same_for_another_unicode_form_and_line_end(row: CorpusRow) -> None:
    record = json.loads(unicodedata.normalize("NFD", json.dumps(as_record(row), ensure_ascii=False)))
    for passage in record["passages"]:
        passage["text"] = passage["text"].replace("\n", "\r\n")

    (read,) = read_back(json.dumps(record))

    assert read.base_id == row.base_id


@given(corpus_rows(), clean_text)
def test_base_id_differs_when_content_differs(row: CorpusRow, extra: str) -> None:
    first = row.passages[0]
    changed = [
        replace(row, question=row.question + extra),
        replace(row, answers=(*row.answers, extra)),
        replace(row, passages=(*row.passages, CorpusPassage(extra, relevant=False))),
        replace(row, passages=(replace(first, text=first.text + extra), *row.passages[1:])),
        replace(row, passages=(replace(first, relevant=not first.relevant), *row.passages[1:])),
    ]

    assert len({row.base_id, *(other.base_id for other in changed)}) == 6


def test_base_id_is_fixed_for_good() -> None:
    row = CorpusRow(
        "a", None, None, "How deep?", ("9 m",), (CorpusPassage("It is 9 m deep, caf\u00e9.", relevant=True),)
    )

    assert row.base_id == "7b18cf1f3af57911bd7e524dca708e24"


@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=8))
def test_reading_of_any_bytes_accounts_for_every_line(lines: list[bytes]) -> None:
    sound = CorpusRow("s", None, None, "How deep?", ("9 m",), (CorpusPassage("It is 9 m deep.", relevant=True),))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.jsonl"
        path.write_bytes(b"\n".join([json.dumps(as_record(sound)).encode(), *lines]))
        reading = read_corpus(path, CorpusFormat.DEMUR, on_bad_row=OnBadRow.SKIP)
        kept = list(reading)

    report = reading.report
    assert kept == [sound]
    assert report.rows_read == 1 + sum(1 for line in lines if line.strip(b" \t\n\r\x0b\x0c"))
    assert report.rows_read == report.rows_kept + sum(report.skipped.values()) + sum(report.filtered.values())
