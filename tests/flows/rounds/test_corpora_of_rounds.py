"""Files of questions named on the command line: which round they belong to, how they are read, what is left out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demur.errors import ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_start, round_session
from demur.reports.tables import named_table
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from tests.flows.messages import messages
from tests.flows.rounds import first_stages, small

pytestmark = pytest.mark.usefixtures("demur_home")
TOWN = "The harbour of {name} was dug in 1871 by Aldo Brecht. It freezes in hard winters."


def questions(path: Path, *towns: str, **changes: Any) -> Path:
    """Write a row for each town."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = [
        {"id": name, "question": f"Who dug the harbour of {name}?", "answers": ["Aldo Brecht"], **changes}
        | {"context": TOWN.format(name=name)}
        for name in towns
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in found))
    return path


@pytest.fixture
def notices() -> Iterator[list[str]]:
    """What is said from now on."""
    with messages() as found:
        yield found


def begun(path: Path | str, **request: Any) -> str:
    """Begin a round of a file of questions, and return its id."""
    asked = RoundRequest(corpus=str(path), bases=1, probe=False, **request)
    check_start(asked)
    with round_session(asked) as context:
        assert context.config.name == context.round_id
        return context.round_id


def test_two_corpora_of_one_file_name_have_rounds_of_their_own(tmp_path: Path, notices: list[str]) -> None:
    first = questions(tmp_path / "a" / "q.jsonl", "Tamsin")
    second = questions(tmp_path / "b" / "q.jsonl", "Ostby")
    assert begun(first) == "q"
    other = begun(second)
    assert other.startswith("q-") and "has another corpus named q.jsonl" in notices[-1] and len(notices) == 1
    assert (begun(first), begun(second)) == ("q", other)
    copied = tmp_path / "c" / "q.jsonl"
    copied.parent.mkdir()
    copied.write_bytes(second.read_bytes())
    assert begun(copied) == other, "the same content elsewhere is the same corpus"


def test_corpus_that_was_edited_keeps_its_round_and_the_start_says_so(tmp_path: Path, notices: list[str]) -> None:
    path = questions(tmp_path / "q.jsonl", "Tamsin")
    assert begun(path) == "q"
    assert begun(questions(path, "Tamsin", "Ostby")) == "q"
    assert any("q.jsonl has changed since round 'q' was started" in one for one in notices)


def test_round_of_an_older_home_is_known_by_its_questions(tmp_path: Path, demur_home: Path) -> None:
    path = questions(tmp_path / "a" / "q.jsonl", "Tamsin", "Ostby")
    config = small(tmp_path, corpus={"path": str(path), "format": "demur"}, bases=1, name="q", round_id="q")
    first_stages(config, demur_home)
    with writing(Home(demur_home), wait_seconds=5) as con:
        con.execute("UPDATE rounds SET config = json_merge_patch(config, '{\"corpus_identity\": null}')")
    assert begun(questions(tmp_path / "b" / "q.jsonl", "Selm")) != "q"
    assert begun(path) == "q"


def test_public_set_is_recognised_and_its_unusable_rows_do_not_stop_the_start(
    tmp_path: Path, notices: list[str]
) -> None:
    context = TOWN.format(name="Tamsin")
    asked = [
        {"id": "1", "question": "Who dug it?", "answers": [{"text": "Aldo Brecht", "answer_start": 41}]},
        {"id": "2", "question": "Who paid?", "answers": [], "is_impossible": True},
        {"id": "3", "question": "How deep?", "answers": [{"text": "9 m", "answer_start": 0}]},
    ]
    data = {"data": [{"title": "T", "paragraphs": [{"context": context, "qas": asked}]}]}
    (tmp_path / "dev.json").write_text(json.dumps(data))
    assert begun(tmp_path / "dev.json") == "dev"
    assert notices[0] == "corpus: dev.json has rows of SQuAD 1.1 and 2.0; --corpus squad:FILE"
    assert "3 rows read, 1 kept, 2 left out (answer_not_in_text 1, not_answerable 1)" in notices[-1]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"corpus": None, "bad_rows": "skip"}, "--bad-rows says how a file of questions is read"),
        ({"mapping": "query=q"}, "--map: 'query' is not one of our fields"),
        ({"answers": "guessed"}, "answers: Input should be 'stated' or 'proved'"),
        ({"bad_rows": "some"}, "on_bad_row: Input should be 'fail' or 'skip'"),
    ],
)
def test_option_of_reading_that_does_not_fit_is_one_clear_error(
    tmp_path: Path, request_: dict[str, Any], said: str
) -> None:
    corpus = str(questions(tmp_path / "q.jsonl", "Tamsin"))
    with pytest.raises(ConfigError, match=said):
        check_start(RoundRequest(**{"corpus": corpus} | request_))


@pytest.mark.slow(seconds=30)
def test_answers_that_no_passage_states_are_proved_twice_and_rows_left_out_are_shown(
    tmp_path: Path, demur_home: Path
) -> None:
    path = questions(tmp_path / "q.jsonl", "Tamsin", "Ostby")
    stated, *_ = path.read_text().splitlines()
    computed = json.dumps(json.loads(stated) | {"id": "p", "question": "What century?", "answers": ["the 19th"]})
    path.write_text(f"{stated}\n{computed}\n{json.dumps({'id': 'bad'})}\n")
    corpus = {"path": str(path), "format": "demur", "answers": "proved", "on_bad_row": "skip"}
    config = small(tmp_path, corpus=corpus, bases=2, name="q", round_id="q")

    first_stages(config, demur_home)

    asked = "SELECT s.screener FROM live_screenings s JOIN live_base_instances b USING (round_id, base_id) "
    with writing(Home(demur_home), wait_seconds=5) as con:
        found = {
            name: con.execute(f"{asked} WHERE source_id = '{name}' ORDER BY 1").fetchall() for name in ("Tamsin", "p")
        }
        assert len(found["p"]) == 2 * len(found["Tamsin"]) and all("#" in one for (one,) in found["p"])
        solved = "SELECT count(*) FROM solved_bases WHERE source_id = 'p'"
        con.execute("UPDATE screenings SET correct = TRUE WHERE screener LIKE '%#1'")
        assert con.execute(solved).fetchall() == [(0,)], "once is not enough"
        con.execute("UPDATE screenings SET correct = TRUE")
        assert con.execute(solved).fetchall() == [(1,)]
        shown = named_table("corpus_rows").read(con, round="q").records
    assert [(row["outcome"], row["reason"], row["rows"]) for row in shown] == [
        ("usable", "a passage has the letters of an answer", 1),
        ("usable", "to be proved by screeners", 1),
        ("left out, faulty", "bad question", 1),
        ("drawn, to be proved", "proved by every screener, twice", 1),
    ]
