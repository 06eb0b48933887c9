"""A file of recorded replies: the same entries are the same bytes, and what is damaged is said in one line."""

import gzip
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.programs.errors import ProgramError
from demur.programs.recording import Entry, Recorded, Speaker, read_recording, write_recording

SPEAKER = Speaker(
    name="gen", roles=("generator",), asked=("some-model",), first=date(2026, 1, 2), last=date(2026, 1, 3), replies=1
)
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
REPLIES = st.builds(
    Recorded,
    text=TEXT,
    request=st.text("0123456789abcdef", min_size=12, max_size=12),
    input=st.none() | st.integers(0, 10**6),
    output=st.none() | st.integers(0, 10**6),
    logprobs=st.none() | st.lists(st.tuples(TEXT, st.floats(-30, 0)), max_size=3).map(tuple),
)
ENTRIES = st.lists(
    st.builds(
        Entry,
        stage=st.sampled_from(["generate", "verify"]),
        model=st.just("gen"),
        task=st.sampled_from(["GeneratePerturbation", "VerifyPerturbation"]),
        key=st.text("0123456789abcdef", min_size=16, max_size=16),
        drawn=st.lists(TEXT, max_size=2).map(tuple),
        dialogues=st.lists(st.lists(REPLIES, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple),
    ),
    max_size=5,
    unique_by=lambda entry: entry.place,
)


def entry(text: str = "said", drawn: tuple[str, ...] = ("a",)) -> Entry:
    reply = Recorded(text=text, request="0" * 12)
    return Entry(
        stage="generate",
        model="gen",
        task="GeneratePerturbation",
        key="f" * 16,
        drawn=drawn,
        dialogues=((reply,),),
    )


@given(entries=ENTRIES)
def test_recording_is_read_as_it_was_written_and_its_bytes_do_not_depend_on_the_order(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Entry]
) -> None:
    folder = tmp_path_factory.mktemp("recordings")
    for name, order in (("one", entries), ("two", entries[::-1])):
        write_recording(folder / name, [SPEAKER], order)
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    read = read_recording(folder / "one")
    assert read.entries == {one.place: one for one in entries}
    assert read.speakers == {"gen": SPEAKER}


def test_recording_tells_what_was_drawn_for_the_same_unit(tmp_path: Path) -> None:
    write_recording(tmp_path / "file", [SPEAKER], [entry(drawn=("b", "c")), entry(drawn=("a",))])
    recording = read_recording(tmp_path / "file")
    assert recording.drawn("generate", "gen", "f" * 16) == [("a",), ("b", "c")]
    assert recording.drawn("generate", "gen", "0" * 16) == []


def _lines(raw: bytes) -> list[str]:
    return gzip.decompress(raw).decode().splitlines()


def _packed(lines: list[str]) -> bytes:
    return gzip.compress("\n".join(lines).encode())


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut off": (lambda raw: raw[:-20], "its compression is broken"),
    "a byte changed": (lambda raw: raw[:40] + bytes([raw[40] ^ 1]) + raw[41:], "its compression is broken"),
    "not compressed": (gzip.decompress, "its compression is broken"),
    "no JSON": (lambda raw: _packed([*_lines(raw), "{half"]), "line 3: is not JSON"),
    "empty": (lambda raw: _packed([]), "line 1: recording: Field required"),
    "another version": (
        lambda raw: _packed([_lines(raw)[0].replace('"recording":1', '"recording":2'), *_lines(raw)[1:]]),
        "line 1: recording: Input should be 1",
    ),
    "a field too many": (
        lambda raw: _packed([_lines(raw)[0], json.dumps({**json.loads(_lines(raw)[1]), "extra": 1})]),
        "line 2: extra: Extra inputs are not permitted",
    ),
    "an entry twice": (lambda raw: _packed([*_lines(raw), _lines(raw)[1]]), "line 3: repeats an earlier one"),
    "a stranger": (
        lambda raw: _packed([_lines(raw)[0], _lines(raw)[1].replace('"model":"gen"', '"model":"other"')]),
        "line 2: model 'other' is not one of gen",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_recording_is_one_error_with_place_and_remedy(tmp_path: Path, damage: str) -> None:
    harm, told = DAMAGE[damage]
    write_recording(tmp_path / "file", [SPEAKER], [entry()])
    (tmp_path / "harmed").write_bytes(harm((tmp_path / "file").read_bytes()))
    with pytest.raises(ProgramError) as caught:
        read_recording(tmp_path / "harmed")
    said = str(caught.value)
    assert said.startswith(f"recording {tmp_path / 'harmed'}: {told}") and "\n" not in said
    assert said.endswith("Take another copy, or make it again with `demur record`")


def test_missing_recording_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"cannot be read \(No such file.*`demur record` writes one"):
        read_recording(tmp_path / "none")


def test_units_of_which_the_same_was_asked_keep_their_own_replies(tmp_path: Path) -> None:
    own = [entry(text).model_copy(update={"unit": unit}) for text, unit in (("one", "a" * 12), ("two", "b" * 12))]
    write_recording(tmp_path / "file", [SPEAKER], own)
    recording = read_recording(tmp_path / "file")

    def said(unit_id: str) -> str:
        place = ("generate", "gen", "GeneratePerturbation", "f" * 16, ("a",), "")
        [[reply]] = recording.dialogues(*place, unit_id)
        return reply.text

    assert [said(unit * 32) for unit in "abc"] == ["one", "two", "one"]
    assert recording.dialogues("verify", "gen", "GeneratePerturbation", "f" * 16, ("a",), "", "a" * 32) == ()
