"""The stage read_documents: what lands of a folder, and what a second run reads again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from prefect import flow

from demur.configuration.corpus_section import DocumentsChoice, Fresh
from demur.engine.context import RoundContext
from demur.engine.stage import StageReport, run_stage
from demur.errors import StageStopped
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.questions.read_documents import READ_DOCUMENTS
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from tests.flows.rounds import write_config
from tests.object_store import BUCKET, needs_store, running_store

pytestmark = pytest.mark.usefixtures("prefect_api")

PROSE = "The harbour master signs every permit before noon. Boats without one wait at the outer quay until morning. "


def context_of(folder: Path, **corpus: Any) -> RoundContext:
    config = read_round_config(write_config(folder))
    documents = DocumentsChoice(documents="papers", fresh=Fresh.ALL, neighbours=0, **corpus)
    home = Home(folder / "home")
    with writing(home, wait_seconds=1):
        pass
    return RoundContext(home, config.model_copy(update={"corpus": documents}), folder, "papers", 1)


def read(context: RoundContext) -> StageReport:
    @flow(name="read-documents-under-test")
    def stage_flow() -> StageReport:
        return run_stage(context, READ_DOCUMENTS)

    return stage_flow()


def rows(context: RoundContext, query: str) -> list[tuple[Any, ...]]:
    with reading(context.home, "loader") as con:
        return con.execute(query).fetchall()


def test_folder_is_read_the_rest_is_listed_and_a_second_run_reads_changes_alone(
    tmp_path: Path,
) -> None:
    papers = tmp_path / "papers"
    (papers / "deep").mkdir(parents=True)
    (papers / "a.md").write_text(f"# Harbour\n\n{PROSE * 7}\n\n## Permits\n\n{PROSE * 8}", encoding="utf-8")
    (papers / "deep" / "b.md").write_bytes((papers / "a.md").read_bytes())
    (papers / "c.txt").write_bytes(b"caf\xe9")
    ticket = {"id": "T1", "title": "Crane", "text": PROSE * 5, "date": "2026-03-04T10:00:00Z", "url": "https://t/1"}
    (papers / "d.jsonl").write_text(f"{json.dumps(ticket)}\n\n[1]\n", encoding="utf-8")
    context = context_of(tmp_path)

    assert read(context).landed == 5
    found = rows(context, "SELECT path, row, status, reason, title, date, language FROM live_documents ORDER BY 1, 2")
    assert found == [
        ("a.md", None, "read", None, "Harbour", None, "en"),
        ("c.txt", None, "left_out", "wrong_encoding", None, None, None),
        ("d.jsonl", 1, "read", None, "Crane", "2026-03-04", "en"),
        ("d.jsonl", 3, "left_out", "bad_row", None, None, None),
        ("deep/b.md", None, "left_out", "duplicate", None, None, None),
    ]
    passages = rows(context, "SELECT title, text, char_start, char_end, words FROM live_passages ORDER BY ALL")
    assert {title for title, *_ in passages} == {"Crane", "Harbour", "Harbour > Permits"}
    assert all(len(text) == end - start and text.endswith(".") for _, text, start, end, _ in passages)

    before = dict(rows(context, "SELECT path, document_id FROM live_documents WHERE row IS NULL"))
    (papers / "c.txt").write_text(PROSE * 10, encoding="utf-8")
    (papers / "e.txt").write_text(PROSE * 7, encoding="utf-8")
    read(context)
    after = dict(rows(context, "SELECT path, document_id FROM live_documents WHERE row IS NULL"))
    assert set(after) == {"a.md", "c.txt", "deep/b.md", "e.txt"}
    assert {path for path, one in before.items() if after[path] != one} == {"c.txt"}


def at(folder: Path, documents: Path | str) -> RoundContext:
    """The context of a round of documents at some place."""
    context = context_of(folder)
    choice = context.config.documents
    assert choice is not None
    moved = choice.model_copy(update={"documents": str(documents)})
    return replace(context, config=context.config.model_copy(update={"corpus": moved}))


def test_one_file_in_place_of_a_folder_is_read_and_one_that_cannot_be_used_stops_the_round(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    with pytest.raises(StageStopped, match="nothing_read"):
        read(at(tmp_path, "a.png"))
    (tmp_path / "a.txt").write_text(PROSE * 8, encoding="utf-8")
    context = at(tmp_path, "a.txt")
    assert read(context).landed == 1
    assert rows(context, "SELECT path, status FROM live_documents") == [("a.txt", "read")]


@needs_store
def test_documents_of_a_store_are_read_and_a_second_run_reads_new_and_changed_ones_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_store(monkeypatch) as url:
        bucket = boto3.resource("s3", region_name="us-east-1").Bucket(BUCKET)

        def put(**texts: str) -> None:
            for name, text in texts.items():
                bucket.put_object(Key=f"papers/deep/{name}.txt", Body=text.encode())

        put(a=PROSE * 8, b=PROSE * 9)
        context = at(tmp_path, f"{url}/papers")
        assert read(context).landed == 2
        before = dict(rows(context, "SELECT path, document_id FROM live_documents"))
        put(b=PROSE * 10, c=PROSE * 7)
        assert read(context).landed == 3
    after = dict(rows(context, "SELECT path, document_id FROM live_documents"))
    assert set(after) == {"deep/a.txt", "deep/b.txt", "deep/c.txt"}
    assert after["deep/a.txt"] == before["deep/a.txt"] and after["deep/b.txt"] != before["deep/b.txt"]
    assert rows(context, "SELECT count(*) FROM live_documents WHERE status <> 'read'") == [(0,)]
