"""Bad input to a round: each gives one clear error before anything starts, and loses nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from demur.configuration.settings import demur_home
from demur.engine.context import RoundContext
from demur.errors import ConfigError, CorpusError, RoundBusyError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round, check_start, round_session
from demur.flows.stages.bases.draw import draw_order
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseVersionError
from demur.warehouse.home import Home
from tests.flows.finished_rounds import RULES_ROLES
from tests.flows.rounds import ROOT, held_elsewhere, write_config

pytestmark = pytest.mark.usefixtures("demur_home")


def checked(folder: Path, **changes: Any) -> RoundContext:
    return check_round(RoundRequest(str(write_config(folder, **changes))))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("bases", "many", r"embedded\.yaml:\d+: bases 'many'"),
        ("bases", 0, r"bases 0"),
        ("basis", 3, r"basis.*Did you mean 'bases'"),
        ("seed", "now", r"seed"),
        ("roles", {"screeners": []}, r"roles"),
        ("round_id", "../elsewhere", r"round_id '\.\./elsewhere'"),
        ("base_reuse", {"policy": "after_n_rounds"}, r"rounds must be given with after_n_rounds"),
        ("base_reuse", {"policy": "sometimes"}, r"'sometimes' is not one of never, after_n_rounds, allow"),
        ("seed", "fresh", r"a fresh round needs both"),
        ("verification", {"consensus": "k_of_n"}, r"k must be given with k_of_n, and only with k_of_n"),
        ("verification", {"k": 2}, r"k must be given with k_of_n, and only with k_of_n"),
        ("verification", {"shortcircuit": True}, r"shortcircuit"),
    ],
)
def test_configuration_wrong_field_names_line_value_and_remedy(
    tmp_path: Path, field: str, value: object, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        checked(tmp_path, **{field: value})


def test_configuration_two_problems_are_told_together(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        checked(tmp_path, bases="many", items_per_stratum="few")
    assert "bases 'many'" in str(raised.value)
    assert "items_per_stratum 'few'" in str(raised.value)


def test_configuration_role_names_unknown_model_lists_the_models(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"roles\.verifiers\[0\] 'nobody' is not one of the models always-answers"):
        checked(tmp_path, roles=RULES_ROLES | {"verifiers": ["nobody"]})


def test_configuration_absent_names_ours() -> None:
    ours = "documents, embedded, embedded-several, frontier, paper, rehearsal, rules, weekly"
    with pytest.raises(ConfigError, match=rf"'nightly' is neither a file nor one of ours \({ours}\)"):
        check_round(RoundRequest("nightly"))


@pytest.mark.parametrize("name", ["embedded", "embedded-several", "rules", "weekly"])
def test_configuration_ours_without_keys_can_start(name: str) -> None:
    assert check_round(RoundRequest(name)).config.name == name


def test_frontier_without_keys_names_every_missing_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ConfigError, match=r"models gpt: OPENAI_API_KEY is not set; models claude: ANTHROPIC_API_KEY"):
        check_round(RoundRequest("frontier"))


def test_catalogue_without_levers_for_a_stratum_says_which(tmp_path: Path) -> None:
    only = ROOT / "levers" / "catalogues" / "ambiguity.yaml"
    with pytest.raises(ConfigError, match=r"the catalogue has no lever for P-Contradiction LOW"):
        checked(tmp_path, catalogue={"ours": False, "paths": [str(only)]})


def test_corpus_bad_row_is_named_before_anything_starts(tmp_path: Path, demur_home: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "1", "question": "Who?", "answers": [], "context": "Nobody."}\n', encoding="utf-8")
    config = write_config(tmp_path, corpus={"path": str(corpus), "format": "demur"})
    with (
        pytest.raises(CorpusError, match=r"corpus\.jsonl: line 1: answers"),
        round_session(RoundRequest(str(config))),
    ):
        pass
    with reading(Home(demur_home), "loader") as con:
        assert con.execute("SELECT count(*) FROM rounds").fetchall() == [(0,)]


def test_corpus_too_small_is_an_error_before_anything_is_bought(tmp_path: Path, demur_home: Path) -> None:
    with (
        round_session(RoundRequest(str(write_config(tmp_path, bases=1000)))) as context,
        reading(context.home, "loader") as con,
        pytest.raises(ConfigError, match=r"has 69 base instances to give; bases: 1000 are wanted"),
    ):
        draw_order(context, con)


def test_round_already_worked_on_by_another_process_names_its_pid(tmp_path: Path, demur_home: Path) -> None:
    config = write_config(tmp_path)
    with (
        held_elsewhere(str(demur_home), "embedded") as holder,
        pytest.raises(RoundBusyError, match=f"being worked on by PID {holder.pid}"),
        round_session(RoundRequest(str(config))),
    ):
        pass
    with round_session(RoundRequest(str(config))) as context:
        assert context.round_id == "embedded"


def test_warehouse_of_another_version_is_left_alone(tmp_path: Path, demur_home: Path) -> None:
    with writing(Home(demur_home), wait_seconds=1) as con:
        con.execute("ALTER TABLE items DROP COLUMN is_known; UPDATE schema_views SET digest = 'of another version'")
    with (
        pytest.raises(WarehouseVersionError, match="made by another version"),
        round_session(RoundRequest(str(write_config(tmp_path)))),
    ):
        pass


def test_fresh_round_unfinished_is_continued_and_finished_is_not(tmp_path: Path, demur_home: Path) -> None:
    config = str(write_config(tmp_path, name="weekly", round_id="weekly-{started}", seed="fresh"))
    with round_session(RoundRequest(config)) as first:
        pass
    with round_session(RoundRequest(config)) as again:
        assert (again.round_id, again.seed) == (first.round_id, first.seed)
    with writing(Home(demur_home), wait_seconds=1) as con:
        con.execute("UPDATE rounds SET status = 'finished'")
    other = check_round(RoundRequest(config, round_id="weekly-20300101T000000"))
    assert other.seed != first.seed


def test_recorded_configuration_holds_no_path_of_this_machine(tmp_path: Path, demur_home: Path) -> None:
    with (
        round_session(RoundRequest(str(write_config(tmp_path)))) as context,
        reading(context.home, "loader") as con,
    ):
        [(text,)] = con.execute("SELECT config FROM rounds").fetchall()
    assert str(tmp_path) not in text
    assert "/" not in json.loads(text)["corpus"]["path"]


def test_corpus_named_on_the_command_line_names_the_round_and_its_format(tmp_path: Path) -> None:
    corpus = ROOT / "deployments" / "corpora" / "multi.jsonl"
    context = check_round(RoundRequest(corpus=f"garage:{corpus}", bases=7))
    assert (context.round_id, context.config.corpus.format, context.config.bases) == ("multi", "garage", 7)
    assert {spec.provider for spec in context.config.models} == {"rules"}, "nothing is recorded of that corpus"


def test_round_draws_from_named_questions_only_and_says_which_are_not_there(tmp_path: Path, demur_home: Path) -> None:
    wanted = ["s-sci-lake-oxygen", "s-sci-nowhere"]
    corpus = {"path": "single", "format": "demur", "only": wanted}
    with pytest.raises(ConfigError, match="corpus.only: s-sci-nowhere are not ids in corpus.path single"):
        check_start(RoundRequest(str(write_config(tmp_path, corpus=corpus, bases=1))))
    path = write_config(tmp_path, corpus=corpus | {"only": wanted[:1]}, bases=1)
    context = check_start(RoundRequest(str(path)))
    with reading(context.home, "loader") as con:
        assert len(draw_order(context, con).order) == 1
    with pytest.raises(ConfigError, match="has 1 base instances to give; bases: 2 are wanted"):
        check_start(RoundRequest(str(path), bases=2))


@pytest.mark.parametrize("home", [None, "results", "./results"])
def test_round_in_a_worker_needs_an_absolute_home(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PREFECT__FLOW_RUN_ID", "5f6e3c1e-0000-4000-8000-000000000000")
    monkeypatch.delenv("DEMUR_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("DEMUR_HOME", home)
    with pytest.raises(ConfigError, match="is not an absolute path"):
        check_round(RoundRequest("embedded"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("named", ["s3://key:word@bucket/demur", "https://host/demur?sig=word"])
def test_home_at_an_address_is_refused_without_its_secrets(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("DEMUR_HOME", named)
    scheme = named.partition("://")[0]
    with pytest.raises(ConfigError, match=rf"DEMUR_HOME '{scheme}://\.\.\.' is no folder.*demur home backup"):
        demur_home()
