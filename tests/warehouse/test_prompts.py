"""Prompts stay in archived journals, each text once, and are read from there."""

import gzip
import json
from pathlib import Path

import pytest

from demur.programs.journal import SentPrompts
from demur.warehouse.archive import journal_name
from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.journals import fold_journals
from demur.warehouse.prompts import SentPrompt, sent_prompts
from tests.warehouse.examples import ROUND, call
from tests.warehouse.test_journals import fold, ledger, write

INSTRUCTIONS = "Task: say which \ud7ff of two. " * 100
TURNS = (("user", '{"question": "Which?"}'), ("assistant", "The first."), ("user", "Correct it."))


def same(text: str) -> str:
    return text


def journalled(sent: SentPrompts, number: int, *turns: tuple[str, str], wanted: str | None = None) -> dict[str, object]:
    return call(number, prompt=sent.of(INSTRUCTIONS, turns, wanted, same))


def read(home: Home, *call_ids: str) -> dict[str, SentPrompt]:
    [name] = {journal for _, journal in ledger(home, "call_id, journal")}
    return sent_prompts(home, ROUND, "generate", str(name), call_ids)


def test_prompts_of_calls_are_those_that_were_sent_and_each_text_is_kept_once(home: Home) -> None:
    sent = SentPrompts()
    calls = [
        journalled(sent, 1, TURNS[0]),
        journalled(sent, 2, *TURNS, wanted="{}"),
        journalled(sent, 3, ("user", "")),
        call(4),
    ]
    path = write(home, "s1", calls, tail=json.dumps(journalled(sent, 5, TURNS[0]))[:200])
    assert path.read_text(encoding="utf-8").count("Task: say which") == 100
    fold(home)
    assert read(home, "c1", "c2", "c3", "c4") == {
        "c1": SentPrompt(INSTRUCTIONS, TURNS[:1], None),
        "c2": SentPrompt(INSTRUCTIONS, TURNS, "{}"),
        "c3": SentPrompt(INSTRUCTIONS, (("user", ""),), None),
    }


def test_secrets_are_taken_out_before_a_prompt_is_journalled() -> None:
    kept = SentPrompts().of("key 12345", [("user", "12345!")], None, lambda text: text.replace("12345", "[key]"))
    assert sorted(kept["texts"].values()) == ["[key]!", "key [key]"]


def test_folding_after_a_kill_before_the_journal_was_deleted_leaves_one_archived_journal(home: Home) -> None:
    lines = [journalled(SentPrompts(), 1, TURNS[0])]
    path = write(home, "s1", lines)
    folder = home.archived_journals(ROUND, "generate")
    folder.mkdir(parents=True)
    name = journal_name(path)
    (folder / f".{name}.jsonl.gz").write_bytes(b"torn")
    fold(home)
    write(home, "s1", lines)
    fold(home)
    assert [one.name for one in folder.iterdir()] == [f"{name}.jsonl.gz"]
    assert read(home, "c1") == {"c1": SentPrompt(INSTRUCTIONS, TURNS[:1], None)}


def test_journals_that_are_lost_or_damaged_are_named(home: Home) -> None:
    write(home, "s1", [journalled(SentPrompts(), 1, TURNS[0])])
    fold(home)
    [path] = home.archived_journals(ROUND, "generate").iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(WarehouseError, match=r"s1\..*\.jsonl\.gz: is damaged"):
        read(home, "c1")
    path.unlink()
    with pytest.raises(WarehouseError, match="is not in the archive"):
        read(home, "c1")


def test_prompts_leave_no_trace_in_the_warehouse(home: Home) -> None:
    write(home, "s1", [journalled(SentPrompts(), 1, TURNS[0])])
    with writing(home, wait_seconds=5) as con:
        assert fold_journals(con, home, ROUND, "generate").faults == []
        con.execute("CHECKPOINT")
    assert b"say which" not in home.loader.read_bytes()
    [path] = home.archived_journals(ROUND, "generate").iterdir()
    assert b"say which" in gzip.decompress(Path(path).read_bytes())
