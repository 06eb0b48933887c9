"""Responses made elsewhere in the warehouse: once each, scored as `demur score` scores them, seen in every view."""

import json
from pathlib import Path

import pytest

from demur.errors import FlowError
from demur.exchange.responses.importing import Import, import_responses
from demur.exchange.responses.response_file import read_response_file, score_file
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.results.query import query
from demur.warehouse.round_rows import RoundRow, open_round
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


def test_import_is_scored_as_the_command_scores_and_the_same_file_another_and_a_refused_one_change_what_they_should(
    home: Home, tmp_path: Path
) -> None:
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

    first = ask(home, "SELECT * FROM live_scores ORDER BY ALL")
    again = into(home, tmp_path, *hand_made(model="one"))
    assert (again.new, again.replaced, again.total) == (0, 0, 20)
    assert ask(home, "SELECT count(*) FROM imported_responses") == [(20,)]
    assert ask(home, "SELECT * FROM live_scores ORDER BY ALL") == first

    c1 = row("c1", "P-Ambiguity", "HIGH", "REFUSE_AMBIGUOUS_QUERY", model="one")
    done = into(home, tmp_path, c1, *hand_made(model="new"))
    assert (done.new, done.replaced, done.total) == (10, 1, 30)
    of_c1 = "SELECT predicted FROM live_imported_responses WHERE item_id = 'c1' AND respondent = 'one'"
    assert ask(home, of_c1) == [("REFUSE_AMBIGUOUS_QUERY",)]
    missed = "SELECT missed_refusal_rate FROM leaderboard ORDER BY respondent"
    assert ask(home, missed) == [(0.2,), (0.0,), (0.2,)]
    back = into(home, tmp_path, *hand_made(model="one"))
    assert (back.replaced, back.total) == (1, 30)
    assert ask(home, missed) == [(0.2,)] * 3

    everything = {path: path.read_bytes() for path in home.root.rglob("*.parquet")}
    tables = ("units", "imported_responses", "scores", "loads", "rounds")
    held = {table: ask(home, f"SELECT * FROM {table} ORDER BY ALL") for table in tables}
    with pytest.raises(FlowError, match="item_id 'a1' has another stratum in round theirs"):
        into(home, tmp_path, row("a1", "P-MissingInfo", "HIGH", "REFUSE_OTHER", model="other"))
    with writing(home, wait_seconds=0) as con:
        for table, rows in held.items():
            assert con.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() == rows
    assert {path: path.read_bytes() for path in home.root.rglob("*.parquet")} == everything


def test_import_command_writes_json_lists_malformed_rows_and_keeps_text_as_data(home: Home, tmp_path: Path) -> None:
    text = "'); DROP TABLE rounds; -- ${table} {{ 1 }} <script>\u202e"
    hostile = row("d1", "P-Ambiguity", "HIGH", None, response=text, model="'; --")
    del hostile["predicted"]
    half = json.dumps({**hostile, "item_id": "d2", "response": "\ud800"})
    strange = row("a1", "P-MissingInfo", "HIGH", "REFUSE_OTHER", model="other")
    file = write_rows(tmp_path / "responses.jsonl", [*hand_made(), "{}", hostile, half, strange])
    done = demur_here("import", "responses", str(file), "--round", "theirs", "--format", "json", home=home.root)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        **{"round_id": "theirs", "imported": 12, "new": 12, "replaced": 0, "same": 0, "total": 12},
        **{"respondents": ["'; --", "unnamed"], "malformed": 2, "fields_not_read": []},
    }
    assert "2 of 14 rows malformed and left out" in done.stderr
    assert "responses.jsonl: line 11: item_id is missing" in done.stderr
    assert "item_id 'a1' is P-MissingInfo HIGH here and P-Ambiguity LOW on line 1" in done.stderr
    kept = ask(home, "SELECT response FROM live_imported_responses WHERE respondent <> 'unnamed' ORDER BY item_id")
    assert kept == [(text,), ("\ufffd",)]
    shown = demur_here("import", "responses", str(file), "--round", "theirs", home=home.root)
    assert "round theirs: 0 responses new, 0 replaced, 12 unchanged; " in shown.stdout


def test_import_of_two_judges_and_several_languages_is_scored_compared_and_read_in_every_view(
    home: Home, tmp_path: Path
) -> None:
    rows = [
        one
        for model in ("one", "two")
        for code in ("de", "en")
        for one in hand_made(model=model, language=code, confidence="CONFIDENT")
    ]
    done = into(home, tmp_path, *rows, judge="first")
    assert (done.new, done.total) == (40, 40)
    compared = "SELECT items, sources, difference FROM model_differences WHERE metric = 'refusal_accuracy'"
    assert ask(home, compared) == [(20, 3, 0.0)]
    by_language = (
        "FROM live_scores WHERE slice = 'language' AND metric = 'refusal_rate' ORDER BY respondent, slice_value"
    )
    assert ask(home, f"SELECT slice_value, n {by_language}") == [("de", 10), ("en", 10)] * 2
    changed = [{**one, "predicted": "REFUSE_OTHER"} if one["item_id"] == "c1" else one for one in rows]
    into(home, tmp_path, *changed, judge="second")
    noise = "SELECT DISTINCT responses, noise_floor FROM judge_noise WHERE metric = 'missed_refusal_rate'"
    assert ask(home, noise) == [(20, pytest.approx(0.2))]
    by_judge = "SELECT judge, count(*), any_value(missed_refusal_rate) FROM leaderboard GROUP BY judge ORDER BY judge"
    assert ask(home, by_judge) == [("first", 2, 0.2), ("majority", 2, 0.0), ("second", 2, 0.0)]
    with reading(home) as con:
        views = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        for (view,) in views:
            con.execute(f'SELECT * FROM "{view}"').fetchall()
        assert con.execute("SELECT count(*) > 0 FROM calibration_bins").fetchall() == [(True,)]


def test_import_several_documents_is_a_round_of_several_documents(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *several_documents())
    assert ask(home, "SELECT layout, status FROM rounds") == [("multi", "finished")]
    assert ask(home, "SELECT answer_accuracy FROM leaderboard") == [(0.25,)]


def test_import_quality_of_several_documents_is_counted_as_it_is_scored(home: Home, tmp_path: Path) -> None:
    into(home, tmp_path, *hand_made(layout="multi"))
    assert ask(home, "SELECT calibrated_refusal_score, refusal_accuracy FROM leaderboard") == [(None, 0.4)]
    counted = "SELECT metric, value FROM counted_scores WHERE slice = 'overall' ORDER BY metric"
    assert ask(home, counted) == ask(home, counted.replace("counted_scores", "live_scores"))


def test_import_into_a_round_that_was_run_here_is_refused(home: Home, tmp_path: Path) -> None:
    with writing(home, wait_seconds=0) as con:
        open_round(con, RoundRow("embedded", "embedded", 1, "single", 1, [], [], [], [], [], {}, "c", "d"))
    with pytest.raises(FlowError, match="--round embedded: is a round that was run here"):
        into(home, tmp_path, *hand_made(), round_id="embedded")


def test_import_bad_round_name_and_hopeless_file_are_one_message(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="round '../x' cannot name a directory"):
        into(home, tmp_path, *hand_made(), round_id="../x")
    with pytest.raises(FlowError, match="none of 1 rows can be imported"):
        into(home, tmp_path, "{")
    assert not home.loader.exists()
