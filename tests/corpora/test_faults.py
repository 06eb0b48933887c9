"""Bad corpora: one clear error with file, line, field, value, what is allowed, and a remedy."""

import gzip
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from demur.corpora.corpus import CorpusFormat, read_corpus
from demur.corpora.corpus_rows import FaultReason, OnBadRow
from demur.corpora.jsonl import LONGEST_LINE_BYTES, Json, Record
from demur.errors import CorpusError
from tests.flows.corpus_files import multi, single, without, write_rows


def refusal(path: Path, on_bad_row: OnBadRow = OnBadRow.FAIL) -> str:
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path, CorpusFormat.DEMUR, on_bad_row=on_bad_row))
    message = str(caught.value)
    assert str(path) in message
    assert "allowed:" in message
    assert "remedy:" in message
    assert message.isprintable()
    return message


def passage(**changes: Json) -> dict[str, Json]:
    found: dict[str, Json] = {"text": "Greta Holm", "relevant": True}
    return found | changes


FAULTY: list[tuple[str, Record, FaultReason, str]] = [
    ("id missing", without(single(), "id"), FaultReason.BAD_ID, "id is missing"),
    ("id empty", single(id=""), FaultReason.BAD_ID, "id is ''"),
    ("id a list", single(id=["a"]), FaultReason.BAD_ID, "id is ['a']"),
    ("question missing", without(single(), "question"), FaultReason.BAD_QUESTION, "question is missing"),
    ("question blank", single(question=" \n\t"), FaultReason.BAD_QUESTION, r"question is ' \n\t'"),
    ("answers missing", without(single(), "answers"), FaultReason.BAD_ANSWERS, "answers is missing"),
    ("answers empty", single(answers=[]), FaultReason.BAD_ANSWERS, "answers is []"),
    ("answers bare", single(answers="188 metres"), FaultReason.BAD_ANSWERS, "answers is '188 metres'"),
    ("answers number", single(answers=["188 metres", 188]), FaultReason.BAD_ANSWERS, "answers[1] is 188"),
    ("context missing", without(single(), "context"), FaultReason.BAD_CONTEXT, "context is missing"),
    ("context empty", single(context=""), FaultReason.BAD_CONTEXT, "context is ''"),
    ("both", single(passages=[passage()]), FaultReason.BAD_CONTEXT, "context and passages are both given"),
    ("passages empty", multi(passages=[]), FaultReason.BAD_CONTEXT, "passages is []"),
    ("passage text", multi(passages=["Greta Holm"]), FaultReason.BAD_CONTEXT, "passages[0] is 'Greta Holm'"),
    ("text empty", multi(passages=[passage(text=" ")]), FaultReason.BAD_CONTEXT, "passages[0].text is ' '"),
    ("relevant missing", multi(passages=[{"text": "x"}]), FaultReason.BAD_CONTEXT, "passages[0].relevant is missing"),
    (
        "none relevant",
        multi(passages=[passage(relevant=False)]),
        FaultReason.NO_RELEVANT_PASSAGE,
        "passages has 1 entries, none",
    ),
    (
        "not in text",
        single(answers=["190 metres"]),
        FaultReason.ANSWER_NOT_IN_TEXT,
        "answers ['190 metres'] is in none",
    ),
    ("in noise only", multi(answers=["12,000"]), FaultReason.ANSWER_NOT_IN_TEXT, "none of the 2 relevant passages"),
    ("domain", single(domain=5), FaultReason.BAD_LABEL, "domain is 5"),
    ("language name", single(language="German"), FaultReason.BAD_LANGUAGE, "language is 'German'"),
    ("language large", single(language="DE"), FaultReason.BAD_LANGUAGE, "language is 'DE'"),
    ("title", multi(passages=[passage(title=["T"])]), FaultReason.BAD_LABEL, "passages[0].title is ['T']"),
    ("nul", single(context="188 metres\0"), FaultReason.NUL_CHARACTER, r"context holds a NUL character near"),
    ("surrogate", single(question="deep \ud83d?"), FaultReason.LONE_SURROGATE, r"near 'deep \ud83d?'"),
]


@pytest.mark.parametrize(("row", "reason", "expected"), [case[1:] for case in FAULTY], ids=[case[0] for case in FAULTY])
def test_corpus_faulty_row_is_named_and_can_be_skipped(
    tmp_path: Path, row: Record, reason: FaultReason, expected: str
) -> None:
    sound = single(id="sound", question="How wide is Lake Orvane?", answers=["9 kilometres"])
    path = write_rows(tmp_path / "c.jsonl", sound, row)

    message = refusal(path)
    reading = read_corpus(path, CorpusFormat.DEMUR, on_bad_row=OnBadRow.SKIP)

    assert f"{path}: line 2: " in message
    assert expected in message
    assert message.endswith("or leave such rows out with --bad-rows skip (on_bad_row: skip)")
    assert [kept.source_id for kept in reading] == ["sound"]
    assert reading.report.skipped == {reason: 1}


def test_corpus_duplicate_id_names_both_lines(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "c.jsonl", multi(), single(), single(question="How deep is it?"))

    assert "line 3: id 'lake' is already on line 2" in refusal(path)


def test_corpus_duplicate_content_names_both_lines_whatever_the_labels(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "c.jsonl", single(), single(id="copy", domain="sport", title="Another"))

    assert "line 2: question, answers and passages of id 'copy' are the same as on line 1" in refusal(path)


def test_corpus_file_that_does_not_exist_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "absent.jsonl"

    with pytest.raises(CorpusError, match="does not exist"):
        read_corpus(path, CorpusFormat.DEMUR)


@pytest.mark.parametrize("content", [b"", b"\n \n\r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("on_bad_row", list(OnBadRow))
def test_corpus_without_rows_is_refused(tmp_path: Path, content: bytes, on_bad_row: OnBadRow) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(content)

    assert "has no rows" in refusal(path, on_bad_row)


def test_corpus_of_which_no_row_is_left_is_refused_with_reasons_and_first_fault(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "c.jsonl", single(answers=[]), single(id=""))

    message = refusal(path, OnBadRow.SKIP)

    assert "2 rows read, 0 kept" in message
    assert "bad_answers 1, bad_id 1" in message
    assert "demur, garage" in message
    assert "line 1: answers is []" in message


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"id": "a", "question": ', "is not JSON"),
        (b'{"id": "a"} {"id": "b"}', "is not JSON: Extra data at column 13"),
        (b"id,question,answers", "is not JSON"),
        (b'{"id": "a", "id": "b"}', "names the key 'id' twice"),
        (b"[" * 200_000, "is not JSON that can be read"),
        (b'{"id": ' + b"9" * 5_000 + b"}", "is not JSON that can be read"),
        (b'"text"', "the line holds 'text'"),
        (b'{"question": "caf\xe9"}', "byte 0xe9 at position 18 is not UTF-8"),
        (b'{"question": "\x00"}', "the line holds a NUL byte at column 15"),
    ],
)
def test_corpus_line_that_is_no_json_object_is_named(tmp_path: Path, line: bytes, expected: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(json.dumps(single()).encode() + b"\n\n" + line + b"\n")

    message = refusal(path)

    assert "line 3: " in message
    assert expected in message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be-sig", "utf-32"])
@pytest.mark.parametrize("on_bad_row", list(OnBadRow))
def test_corpus_in_another_unicode_encoding_is_refused_whole(
    tmp_path: Path, encoding: str, on_bad_row: OnBadRow
) -> None:
    path = tmp_path / "c.jsonl"
    text = json.dumps(single())
    path.write_bytes(b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-sig" else text.encode(encoding))

    assert "a mark of UTF-16 or UTF-32" in refusal(path, on_bad_row)


@pytest.mark.parametrize("on_bad_row", list(OnBadRow))
def test_corpus_that_is_packed_is_refused_whole(tmp_path: Path, on_bad_row: OnBadRow) -> None:
    path = tmp_path / "c.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("c.jsonl", json.dumps(single()))

    assert "starts like a zip file" in refusal(path, on_bad_row)


@pytest.mark.parametrize("on_bad_row", list(OnBadRow))
def test_corpus_packed_file_that_breaks_off_is_one_clear_error(tmp_path: Path, on_bad_row: OnBadRow) -> None:
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(single()).encode())[:-12])

    assert "cannot be read" in refusal(path, on_bad_row)


def test_corpus_line_of_megabytes_is_measured_and_not_held(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    size = 256 * 1024**2
    with path.open("wb") as stream:
        stream.truncate(size)  # A hole: takes no room on the disk.
        stream.seek(size)
        stream.write(b"\n" + json.dumps(single()).encode())

    tracemalloc.start()
    reading = read_corpus(path, CorpusFormat.DEMUR, on_bad_row=OnBadRow.SKIP)
    kept = [row.source_id for row in reading]
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    (message,) = reading.report.messages
    assert "line 1: the line has 268,435,456 bytes; allowed: at most 16,777,216 bytes a line" in message
    assert kept == ["lake"]
    assert reading.report.skipped == {FaultReason.LINE_TOO_LONG: 1}
    assert peak_bytes < 4 * LONGEST_LINE_BYTES


@pytest.mark.parametrize(("excess", "line_end"), [(0, b"\r\n"), (0, b""), (1, b"\n")])
def test_corpus_line_bound_holds_to_the_byte(tmp_path: Path, excess: int, line_end: bytes) -> None:
    path = tmp_path / "c.jsonl"
    record = single(padding="")
    record["padding"] = "x" * (LONGEST_LINE_BYTES + excess - len(json.dumps(record)))
    path.write_bytes(json.dumps(record).encode() + line_end)

    if excess:
        assert "the line has 16,777,217 bytes" in refusal(path)
    else:
        assert len(list(read_corpus(path, CorpusFormat.DEMUR))) == 1


def test_corpus_error_shows_a_long_hostile_value_short_and_on_one_line(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "c.jsonl", single(answers=["\x1b[2J\u202e\n" + "long " * 100_000]))

    message = refusal(path)

    assert len(message) < 600
    assert r"\x1b[2J\u202e\n" in message
