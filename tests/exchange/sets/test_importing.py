"""Sets of rows frozen as releases: of full size, in every format, from the Hub; and what is refused."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from demur.corpora.corpus_rows import OnBadRow
from demur.errors import CorpusError, FlowError
from demur.exchange.exporting.export import export_release
from demur.exchange.exporting.items import ExportRequest
from demur.exchange.exporting.publishing import PushRequest, push_release
from demur.exchange.sets.importing import ROWS_AT_ONCE, ImportedSet, ImportRequest, _arrow, import_set
from demur.flows.evaluations.release_differences import release_diff
from demur.flows.stages.responses.release_items import released_items
from demur.programs.options import Prompts
from demur.warehouse.arrow_rows import write_table
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import release_at, releases
from demur.warehouse.releases.verifying import verify_release
from tests.exchange.exporting.hub_server import HubServer, running_hub
from tests.exchange.sets.published_rows import Row, garage_rows, nq_rows, written

OURS: list[Row] = [
    {"id": "a", "question": "Who built it?", "context": "Ada built it.", "answers": ["Ada"], "expected": "answer"},
    {"id": "b", "question": "Who sold it?", "context": "Ada built it.", "answers": [], "expected": "refuse"},
]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, ImportedSet, ImportedSet]:
    """A home with both published sets, of full size."""
    folder = tmp_path_factory.mktemp("published")
    home = Home(folder / "home")
    paths = (written(folder / "nq.jsonl", nq_rows()), written(folder / "garage.jsonl", garage_rows()))
    first, second = (import_set(home, ImportRequest(str(path))) for path in paths)
    return home, first, second


def imported(tmp_path: Path, rows: list[Row], **options: Any) -> ImportedSet:
    path = written(tmp_path / "ours.jsonl", rows)
    return import_set(Home(tmp_path / "home"), ImportRequest(str(path), **options))


def test_published_sets_of_full_size_are_frozen_whole(published: tuple[Home, ImportedSet, ImportedSet]) -> None:
    home, nq, garage = published
    assert [(one.release.label, one.release.items) for one in (nq, garage)] == [
        ("refusalbench-nq/1", 1_600),
        ("refusalbench-garage/1", 1_506),
    ]
    assert (nq.facts["licence"], garage.facts["licence"]) == ("apache-2.0", "cc-by-nc-4.0")
    assert (nq.facts["layout"], garage.facts["layout"]) == ("single", "multi")
    assert (garage.facts["passages_without_text"], garage.facts["source_questions"]) == (1_506, 100)
    for one in (nq, garage):
        found = verify_release(home, one.release.label)
        assert not found.problems and found.held_against
    report = (nq.release.path / "report.html").read_text(encoding="utf-8")
    assert "As reported by RefusalBench" in report and "65.3" in report
    assert "cc-by-nc-4.0" in (garage.release.path / "README.md").read_text(encoding="utf-8")


def test_items_keep_what_the_published_rows_say(published: tuple[Home, ImportedSet, ImportedSet]) -> None:
    _, nq, garage = published
    row = {one["id"]: one for one in nq_rows()}
    for item in list(released_items(nq.release))[:40]:
        own = row[item.id]
        assert (item.perturbed_query, item.grounding) == (own["perturbed_query"], (own["perturbed_context"],))
        assert (item.original_query, item.original_grounding) == (own["original_query"], (own["original_context"],))
        assert item.expected_rag_behavior.value == own["expected_rag_behavior"]
    lines = (nq.release.path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert first["verifier_votes"] == dict.fromkeys(("claude", "deepseek", "gpt", "nova"), "PASS")
    assert first["implementation_reasoning"] == "A remark was added."
    assert all(json.loads(line)["lever_id"] for line in lines)
    found = next(released_items(garage.release))
    assert (len(found.grounding), found.signal_indices, found.original_query) == (10, (0,), None)
    assert len({item.base_id for item in released_items(garage.release)}) == 100


def test_same_rows_give_the_same_release(tmp_path: Path) -> None:
    first = imported(tmp_path, OURS)
    again = imported(tmp_path, list(reversed(OURS)), licence="cc0-1.0")
    assert (first.release.created, again.release.created) == (True, False)
    assert first.release.digest == again.release.digest
    assert "frozen before, with the licence unstated" in again.said[0]
    other = imported(tmp_path, OURS[:1])
    assert other.release.label == "ours/2"
    assert release_diff(Home(tmp_path / "home"), "ours/1", "ours/2").items["in_both"] == 1


def test_every_format_gives_the_same_items(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "array.json").write_text(json.dumps(OURS, indent=1), encoding="utf-8")
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(OURS[0]))
        table.writeheader()
        table.writerows([{**row, "answers": json.dumps(row["answers"])} for row in OURS])
    write_table(pa.Table.from_pylist(OURS), folder / "rows.parquet")
    home = Home(tmp_path / "home")
    digests = {
        import_set(home, ImportRequest(str(path), name="same")).release.digest for path in sorted(folder.iterdir())
    }
    assert digests == {imported(tmp_path, OURS).release.digest}


def test_folder_is_one_set_and_squad_is_read_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    (folder / "more").mkdir(parents=True)
    written(folder / "a.jsonl", OURS[:1])
    written(folder / "more" / "b.jsonl", OURS[1:])
    (folder / "README.md").write_text("ours", encoding="utf-8")
    found = import_set(Home(tmp_path / "home"), ImportRequest(str(folder)))
    assert (found.release.label, found.release.items, len(found.facts["files"])) == ("team/1", 2, 2)
    asked = [
        {
            "id": "1",
            "question": "Who built it?",
            "answers": [{"text": "Ada", "answer_start": 0}],
            "is_impossible": False,
        },
        {"id": "2", "question": "Who sold it?", "answers": [], "is_impossible": True},
    ]
    squad = {"version": "v2.0", "data": [{"title": "It", "paragraphs": [{"context": "Ada built it.", "qas": asked}]}]}
    (tmp_path / "dev.json").write_text(json.dumps(squad, indent=1), encoding="utf-8")
    release = import_set(Home(tmp_path / "home"), ImportRequest(str(tmp_path / "dev.json"))).release
    assert {item.id: item.expected_rag_behavior for item in released_items(release)} == {
        "1": "ANSWER_CORRECTLY",
        "2": "REFUSE",
    }


BAD: list[tuple[list[Row], str, str]] = [
    ([*OURS, {**OURS[0], "question": ""}], "bad_question", "ours.jsonl: line 3: question is missing"),
    ([*OURS, {**OURS[0], "id": "c", "context": None}], "bad_context", "line 3: context or passages is missing"),
    ([{**OURS[0], "expected": "REFUSE_X"}], "bad_expected", "line 1: expected 'REFUSE_X' is not"),
    ([{**OURS[0], "answers": []}], "bad_answers", "line 1: answers is missing or empty"),
    ([*OURS, OURS[0]], "duplicate_id", "line 3: id 'a' is already at ours.jsonl: line 1"),
    (
        [*OURS, {**OURS[0], "id": "c", "passages": ["One.", "Two."]}],
        "other_layout",
        "line 3: has several passages, and ours.jsonl: line 1 has one",
    ),
]


@pytest.mark.parametrize(("rows", "reason", "said"), BAD, ids=[reason for _, reason, _ in BAD])
def test_set_with_a_bad_row_is_refused_whole_and_can_leave_it_out(
    tmp_path: Path, rows: list[Row], reason: str, said: str
) -> None:
    with pytest.raises(CorpusError, match="nothing was frozen") as refused:
        imported(tmp_path, rows)
    assert said in str(refused.value) and reason in str(refused.value) and "remedy" in str(refused.value)
    assert releases(Home(tmp_path / "home")) == []
    if len(rows) > 1:
        found = imported(tmp_path, rows, bad_rows=OnBadRow.SKIP)
        assert found.facts["left_out"] == {reason: 1}
        assert (found.release.items, found.facts["rows"]) == (len(rows) - 1, len(rows))


@pytest.mark.parametrize(
    ("place", "options", "said"),
    [
        ("nothing.jsonl", {}, "does not exist"),
        ("ours.jsonl", {"mapping": "query=x"}, "'query' is not one of our fields"),
        ("ours.jsonl", {"split": "test"}, "is no data set of the Hub"),
        ("hf://nothing", {}, "is not the address of a data set"),
        ("empty.jsonl", {}, "has no rows"),
        ("rows", {}, "has no files with rows"),
    ],
)
def test_source_that_cannot_be_read_is_one_clear_error(
    tmp_path: Path, place: str, options: dict[str, str], said: str
) -> None:
    written(tmp_path / "ours.jsonl", OURS)
    written(tmp_path / "empty.jsonl", [])
    (tmp_path / "rows").mkdir()
    where = place if "://" in place else str(tmp_path / place)
    with pytest.raises(CorpusError, match=said):
        import_set(Home(tmp_path / "home"), ImportRequest(where, **options))


def test_file_that_is_evaluated_before_its_import_says_what_to_do(tmp_path: Path) -> None:
    path = written(tmp_path / "nq.jsonl", OURS)
    with pytest.raises(WarehouseError, match="Freeze its rows first: demur release import"):
        release_at(Home(tmp_path), str(path))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    with running_hub(monkeypatch, tmp_path) as server:
        server.private["owner/set"] = False
        yield server


def test_set_of_the_hub_is_read_with_split_revision_and_licence(hub: HubServer, tmp_path: Path) -> None:
    card = b"---\nlicense: cc-by-nc-4.0\n---\nA set."
    lines = "".join(f"{json.dumps(row)}\n" for row in OURS).encode()
    hub.files["owner/set"] = {"README.md": card, "test.jsonl": lines, "train.jsonl": lines + lines}
    home = Home(tmp_path / "home")
    found = import_set(home, ImportRequest("hf://owner/set", name="hubs"))
    assert {name: found.facts[name] for name in ("address", "revision", "split", "licence")} == {
        "address": "hf://owner/set",
        "revision": "0" * 40,
        "split": "test",
        "licence": "cc-by-nc-4.0",
    }
    assert any("--split names another one (train)" in note for note in found.said)
    with pytest.raises(CorpusError, match="has no split 'dev'; there are test, train"):
        import_set(home, ImportRequest("hf://owner/set", split="dev"))
    with pytest.raises(CorpusError, match="cannot be read"):
        import_set(home, ImportRequest("hf://owner/other"))
    asked = PushRequest("hubs/1", "hf:owner/copy", False, Prompts.PUBLISHED, None, "en")
    with pytest.raises(FlowError, match="allows no commercial use.*--yes; nothing was sent"):
        push_release(home, asked)
    assert hub.commits == 0


def test_imported_set_without_a_known_licence_is_pushed_only_if_confirmed(tmp_path: Path) -> None:
    imported(tmp_path, OURS)
    home = Home(tmp_path / "home")
    target = str(tmp_path / "there")
    with pytest.raises(FlowError, match="is not known"):
        push_release(home, PushRequest("ours/1", target, False, Prompts.PUBLISHED, None, "en"))
    push_release(home, PushRequest("ours/1", target, False, Prompts.PUBLISHED, None, "en", confirmed=True))
    assert (tmp_path / "there" / "manifest.json").is_file()


@pytest.mark.parametrize("tool", ["inspect", "lm-eval"])
def test_set_without_classes_is_exported_without_metrics_of_reasons(tmp_path: Path, tool: str) -> None:
    imported(tmp_path, OURS)
    folder = tmp_path / "task"
    export_release(Home(tmp_path / "home"), "ours/1", tool, folder, ExportRequest(Prompts.PUBLISHED, None, "en"))
    rows = [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["target"] for row in rows] == ["ANSWER_CORRECTLY", "REFUSE"]
    if tool == "lm-eval":
        named = {one["metric"] for one in json.loads((folder / "scoring.json").read_bytes())["metrics"]}
        assert "detection_f1" in named and not named & {"refusal_accuracy", "category_accuracy"}


def test_set_without_classes_is_no_training_data(tmp_path: Path) -> None:
    imported(tmp_path, OURS)
    with pytest.raises(FlowError, match="2 items have no class"):
        asked = ExportRequest(Prompts.PUBLISHED, None, "en")
        export_release(Home(tmp_path / "home"), "ours/1", "training", tmp_path / "task", asked)


def test_rows_that_demur_released_are_no_published_benchmark(tmp_path: Path) -> None:
    rows = [{**row, "base_id": "b"} for row in nq_rows(per_generator=1)]
    found = imported(tmp_path, rows)
    assert (found.release.label, found.facts["benchmark"], found.facts["licence"]) == ("ours/1", None, "unstated")
    assert found.facts["fields_not_kept"] == ["base_id"]


def test_rows_beyond_one_block_are_kept_whole_in_their_letters() -> None:
    schema = pa.schema([("id", pa.string()), ("votes", pa.list_(pa.string()))])
    rows = [{"id": f"é{number}", "votes": ["PASS"]} for number in range(2 * ROWS_AT_ONCE + 1)]
    table = _arrow(iter(rows), schema)
    assert table.schema == schema and table.to_pylist() == rows
    assert max(len(chunk) for chunk in table["id"].chunks) == ROWS_AT_ONCE
    assert _arrow(iter(()), schema).num_rows == 0
