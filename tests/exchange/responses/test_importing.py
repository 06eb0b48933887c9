"""Responses made elsewhere in the warehouse: once each, scored as `demur score` scores them, seen in every view."""

import json
from pathlib import Path

import pytest

from demur.errors import FlowError
from demur.exchange.responses.file import read_response_file
from demur.exchange.responses.importing import Import, import_responses
from demur.exchange.responses.scores import score_file
from demur.flows.planning.sample_size import Tolerance, plan_sample
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publish import publish
from demur.warehouse.query import query
from demur.warehouse.rounds import RoundRow, chosen_round, open_round
from tests.flows.response_rows import hand_made, row, several_documents, write_rows
from tests.flows.rounds import demur_here


def into(home: Home, path: Path, *rows: object, round_id: str = "theirs", judge: str = "imported") -> Import:
    file = write_rows(path / "responses.jsonl", rows)  # type: ignore[arg-type]
    return import_responses(home, file, round_id, judge=judge, replicates=100)


def ask(home: Home, sql: str) -> list[tuple[object, ...]]:
    return query(home, sql, limit=None).rows


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_import_file_is_scored_as_the_command_scores_it(home: Home, tmp_path: Path) -> None:
    done = into(home, tmp_path, *hand_made(model="one"), *hand_made(model="two"))
    assert (done.new, done.replaced, done.total, done.respondents) == (20, 0, 20, ("one", "two"))
    alone = {s.model: s.metrics for s in score_file(read_response_file(done.file.path), replicates=100, seed=1)}
    stored = ask(home, "SELECT respondent, metric, value, n FROM live_scores WHERE slice = 'overall'")
    for respondent, metric, value, n in stored:
        if not str(metric).startswith("share_"):
            wanted = alone[str(respondent)][str(metric)]
            assert n == wanted.n
            assert value == (pytest.approx(wanted.value) if wanted.defined else None)
    assert ask(home, "SELECT count(*) FROM leaderboard WHERE calibrated_refusal_score = 0.4") == [(2,)]


def test_import_command_writes_json(home: Home, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "responses.jsonl", [*hand_made(), "{}"])
    done = demur_here("import", "responses", str(file), "--round", "theirs", "--format", "json", home=home.root)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        **{"round_id": "theirs", "imported": 10, "new": 10, "replaced": 0, "same": 0, "total": 10},
        **{"respondents": ["unnamed"], "malformed": 1, "fields_not_read": []},
    }
    assert "1 of 11 rows malformed and left out" in done.stderr
    assert "responses.jsonl: line 11: class is missing" in done.stderr
    shown = demur_here("import", "responses", str(file), "--round", "theirs", home=home.root)
    assert "round theirs: 0 responses new, 0 replaced, 10 unchanged; " in shown.stdout


def test_import_same_file_twice_duplicates_nothing(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made())
    first = ask(home, "SELECT * FROM live_scores ORDER BY ALL")
    again = into(home, tmp_path, *hand_made())
    assert (again.new, again.replaced, again.total) == (0, 0, 10)
    assert ask(home, "SELECT count(*) FROM imported_responses") == [(10,)]
    assert ask(home, "SELECT * FROM live_scores ORDER BY ALL") == first
    assert ask(home, "SELECT count(*) FROM leaderboard") == [(1,)]


def test_import_another_file_adds_and_replaces(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made())
    done = into(home, tmp_path, row("c1", "P-Ambiguity", "HIGH", "REFUSE_AMBIGUOUS_QUERY"), *hand_made(model="new"))
    assert (done.new, done.replaced, done.total) == (10, 1, 20)
    assert ask(
        home, "SELECT predicted FROM live_imported_responses WHERE item_id = 'c1' AND respondent = 'unnamed'"
    ) == [("REFUSE_AMBIGUOUS_QUERY",)]
    assert ask(home, "SELECT missed_refusal_rate FROM leaderboard WHERE respondent = 'unnamed'") == [(0.0,)]
    back = into(home, tmp_path, *hand_made())
    assert (back.replaced, back.total) == (1, 20)
    assert ask(home, "SELECT missed_refusal_rate FROM leaderboard WHERE respondent = 'unnamed'") == [(0.2,)]


def test_import_by_two_judges_shows_their_noise(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made(), judge="first")
    changed = [{**one, "predicted": "REFUSE_OTHER"} if one["item_id"] == "c1" else one for one in hand_made()]
    into(home, tmp_path, *changed, judge="second")
    floors = "SELECT noise_floor FROM judge_noise WHERE metric = 'missed_refusal_rate'"
    assert ask(home, floors) == [(pytest.approx(0.2),)]
    assert ask(home, "SELECT count(*) FROM leaderboard") == [(2,)]


def test_import_several_documents_is_a_round_of_several_documents(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *several_documents())
    assert ask(home, "SELECT layout, status FROM rounds") == [("multi", "finished")]
    assert ask(home, "SELECT answer_accuracy FROM leaderboard") == [(0.25,)]


def test_import_quality_of_several_documents_is_counted_as_it_is_scored(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made(layout="multi"))
    assert ask(home, "SELECT calibrated_refusal_score, refusal_accuracy FROM leaderboard") == [(None, 0.4)]
    counted = "SELECT metric, value FROM counted_scores WHERE slice = 'overall' ORDER BY metric"
    assert ask(home, counted) == ask(home, counted.replace("counted_scores", "live_scores"))


def test_import_every_view_can_be_read(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made(language="de", confidence="CONFIDENT"))
    with reading(home) as con:
        views = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        for (view,) in views:
            con.execute(f'SELECT * FROM "{view}"').fetchall()
        assert con.execute("SELECT count(*) FROM calibration_bins").fetchall() == [(10,)]


def test_import_one_model_in_several_languages_is_scored_and_compared(home: Home, tmp_path: Path) -> None:
    rows = [one for model in ("one", "two") for code in ("de", "en") for one in hand_made(model=model, language=code)]
    done = into(home, tmp_path, *rows)
    assert (done.new, done.total) == (40, 40)
    assert ask(home, "SELECT items, sources, difference FROM model_differences WHERE metric = 'refusal_accuracy'") == [
        (20, 3, 0.0)
    ]
    by_language = (
        "FROM live_scores WHERE slice = 'language' AND metric = 'refusal_rate' ORDER BY respondent, slice_value"
    )
    assert ask(home, f"SELECT slice_value, n {by_language}") == [("de", 10), ("en", 10)] * 2
    into(home, tmp_path, *rows, judge="second")
    assert ask(home, "SELECT DISTINCT responses FROM judge_noise") == [(20,)]


def test_import_that_is_refused_leaves_nothing_behind(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made())
    everything = {path: path.read_bytes() for path in home.root.rglob("*.parquet")}
    held = {
        table: ask(home, f"SELECT * FROM {table} ORDER BY ALL")
        for table in ("units", "imported_responses", "scores", "loads", "rounds")
    }
    with pytest.raises(FlowError, match="item_id 'a1' has another stratum in round theirs"):
        into(home, tmp_path, row("a1", "P-MissingInfo", "HIGH", "REFUSE_OTHER", model="other"))
    with writing(home, wait_seconds=0) as con:
        for table, rows in held.items():
            assert con.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() == rows
    assert {path: path.read_bytes() for path in home.root.rglob("*.parquet")} == everything


def test_import_is_no_round_whose_costs_or_sizes_anybody_asks_for(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made())
    with reading(home) as con, pytest.raises(WarehouseError, match="no round has begun here yet"):
        chosen_round(con, None)
    with writing(home, wait_seconds=0) as con:
        open_round(con, RoundRow("mine", "mine", 1, "single", 1, [], [], [], [], [], {}, "c", "d"))
        con.execute("UPDATE rounds SET started_at = TIMESTAMP '2020-01-01' WHERE round_id = 'mine'")
    publish(home)
    with reading(home) as con:
        assert chosen_round(con, None) == "mine"
        assert chosen_round(con, "theirs") == "theirs"
    planned = {what: value for what, value, _ in plan_sample(home, Tolerance(0.1, 0.05, 1, 0.0), None)}
    assert planned["design effect"] == "n/a"
    assert ask(home, "SELECT icc IS NOT NULL FROM round_precision") == [(True,)]


def test_import_text_is_kept_as_data(home: Home, tmp_path: Path) -> None:
    text = "'); DROP TABLE rounds; -- ${table} {{ 1 }} <script>\u202e"
    one = row("a1", "P-Ambiguity", "HIGH", None, response=text, model="'; --")
    del one["predicted"]
    into(home, tmp_path, one, json.dumps({**one, "item_id": "a2", "response": "\ud800"}))
    kept = ask(home, "SELECT response, respondent FROM live_imported_responses ORDER BY item_id")
    assert kept == [(text, "'; --"), ("\ufffd", "'; --")]


def test_import_into_a_round_that_was_run_here_is_refused(home: Home, tmp_path: Path) -> None:
    with writing(home, wait_seconds=0) as con:
        open_round(con, RoundRow("embedded", "embedded", 1, "single", 1, [], [], [], [], [], {}, "c", "d"))
    with pytest.raises(FlowError, match="--round embedded: a round of that name was run here"):
        into(home, tmp_path, *hand_made(), round_id="embedded")


def test_import_item_with_two_strata_is_malformed(home: Home, tmp_path: Path) -> None:
    rows = [*hand_made(), row("a1", "P-MissingInfo", "HIGH", "REFUSE_OTHER", model="other")]
    done = into(home, tmp_path, *rows)
    assert done.total == 10
    assert "item_id 'a1' is P-MissingInfo HIGH here and P-Ambiguity LOW on line 1" in str(done.file.malformed[0])


def test_import_bad_round_name_and_hopeless_file_are_one_message(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="round '../x' cannot name a directory"):
        into(home, tmp_path, *hand_made(), round_id="../x")
    with pytest.raises(FlowError, match="none of 1 rows can be imported"):
        into(home, tmp_path, "{")
    assert not home.loader.exists()
