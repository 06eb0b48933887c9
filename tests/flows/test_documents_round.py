"""Rounds from documents: asked, proved, drawn and released over HTTP; nothing is asked twice, paid twice or made up."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import CORPORA
from demur.errors import CapReachedError, ConfigError, StageStopped
from demur.flows.rounds.request import read_round_config
from demur.lanes.simulator.server import Simulator, serve
from demur.programs.checks.questions import gives_answer
from demur.reports.audits.questions import import_question_marks, questions_page
from demur.warehouse.home import Home
from tests.flows.document_rounds import ALL_MODELS, ALL_ROLES, ROUND, of_documents
from tests.flows.masters import check_master
from tests.flows.rounds import ONE_CLASS, demur_here, first_stages, whole_round
from tests.flows.simulated import KEY, KEY_VARIABLE, ROLES, models_at, number, rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]
ANSWERS = "SELECT count(*) FROM calls WHERE reply IS NOT NULL AND role <> 'probe'"
SEVERAL: dict[str, Any] = {
    "corpus": {"neighbours": 2},
    "asking": {"questions": 2, "pairs": 0.5, "passages": 10},
    "generation": ONE_CLASS | {"known": {"probe": ["probe"], "min_share": 0.5, "asked": 6}},
}
"""A round of several passages and pairs, half of whose questions a probe is to know."""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@dataclass(frozen=True)
class Made:
    """A finished round of several passages and pairs, with the recording of its replies."""

    folder: Path
    config: Path
    home: Path
    recording: Path


def test_questions_of_people_are_base_questions_where_a_passage_answers_them_and_a_list_where_none_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (CORPORA / "single.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines[:6]]
    nobody = "How many keepers did the harbour of Nowhere have?"
    (tmp_path / "asked.txt").write_text("# of the chat\n\n" + "\n".join([*asked, nobody, asked[0].upper()]))
    with serve() as simulator:
        roles = {**ALL_ROLES, "asker": None}
        corpus = {"questions": "asked.txt", "when_short": "smaller_round", "at_least": 1}
        config = of_documents(tmp_path, simulator, roles=roles, asking={"check": "people"}, corpus=corpus)
        home = tmp_path / "home"
        with pytest.raises(StageStopped, match=f"demur audit sample {ROUND} --object questions"):
            first_stages(config, home)
        calls, page = number(home, ANSWERS), questions_page(Home(home), ROUND, None, None)
        mended, dropped, *others = [card.id for card in page.cards]
        criteria = {mended: {"keep": True, "answers": ["mended by Ada"]}, dropped: {"keep": False}}
        items = [{"item_id": one, "criteria": criteria.get(one, {"keep": True})} for one in (mended, dropped, *others)]
        file = {"object": "questions", "round": ROUND, "seed": page.seed, "reader": "Ada", "items": items}
        (tmp_path / "marks.json").write_text(json.dumps(file))
        import_question_marks(Home(home), [tmp_path / "marks.json"])
        assert first_stages(config, home) == min(4, 1 + len(others))
        assert number(home, ANSWERS) == calls, "what people say costs no request"
    assert dict(rows(home, "SELECT question_id, answers FROM accepted_questions"))[mended] == ["mended by Ada"]
    drawn_of = dict(rows(home, "SELECT source_id, answers FROM live_base_instances"))
    assert dropped not in drawn_of and drawn_of.get(mended, ["mended by Ada"]) == ["mended by Ada"]
    outcomes = dict(rows(home, "SELECT question, outcome FROM question_outcomes"))
    assert outcomes[nobody] == "rejected"
    accepted = [one for one, outcome in outcomes.items() if outcome == "accepted"]
    assert len(outcomes) == 7
    assert set(accepted) <= set(asked)
    assert len(accepted) >= 3
    [(reason, nearest)] = rows(
        home, "SELECT reason, len(nearest) FROM unanswered_questions WHERE question LIKE '%Nowhere%'"
    )
    assert (reason, nearest) == ("not_answered", 3)
    drawn = {question for (question,) in rows(home, "SELECT question FROM live_base_instances")}
    assert drawn and drawn <= set(accepted)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("documents")
    home, recording = folder / "home", folder / "replies.jsonl.gz"
    with pytest.MonkeyPatch.context() as patch, serve() as simulator:
        patch.setenv(KEY_VARIABLE, KEY)
        models = models_at(simulator, {**ALL_MODELS, "probe": ("openai", "respondent/always-answers")})
        config = of_documents(folder, simulator, models=models, **SEVERAL)
        assert whole_round(config, home) == f"{ROUND}/1"
        assert len(simulator.asked) == number(home, ANSWERS)
    recorded = demur_here("record", ROUND, "--out", str(recording), "--answered-by", "rules", home=home)
    assert recorded.returncode == 0, recorded.stderr
    yield Made(folder, config, home, recording)


def test_round_of_documents_is_what_its_master_says(made: Made) -> None:
    check_master("documents", Home(made.home), ROUND)


def test_base_instances_name_documents_passages_and_the_proof_in_their_text(made: Made) -> None:
    found = rows(
        made.home, "SELECT passages, passage_ids, documents, proof, answers, question_kind FROM live_base_instances"
    )
    assert len(found) >= 4
    for passages, passage_ids, documents, proof, answers, kind in found:
        assert len(passages) == len(passage_ids) == sum(one["relevant"] for one in passages) + 2
        assert documents and proof and kind
        for span in proof:
            text = passages[span["passage"]]["text"]
            assert passages[span["passage"]]["relevant"]
            assert text[span["start"] : span["end"]] == span["text"]
        assert gives_answer(" ".join(span["text"] for span in proof), answers, "en")
        noise = [one["text"] for one in passages if not one["relevant"]]
        assert not any(gives_answer(text, answers, "en") for text in noise)


def test_questions_that_probes_know_are_found_among_those_of_documents(made: Made) -> None:
    asked = number(made.home, "SELECT count(*) FROM live_recalls")
    assert asked == min(6, number(made.home, "SELECT count(*) FROM accepted_questions"))


def test_question_of_two_passages_is_tried_with_each_alone(made: Made) -> None:
    tried = rows(
        made.home,
        """SELECT q.question_id, list(p.given ORDER BY p.given), bool_and(p.passed)
        FROM accepted_questions q JOIN live_proofs p USING (round_id, question_id)
        WHERE len(q.passage_ids) = 2 GROUP BY ALL""",
    )
    assert tried
    assert all(given == ["all", "first", "second"] and passed for _, given, passed in tried)


def test_faulty_question_goes_back_once_and_every_outcome_has_its_reason(made: Made) -> None:
    assert number(made.home, "SELECT count(*) FROM live_questions WHERE repairs = 1") > 0
    assert number(made.home, "SELECT count(*) FROM calls WHERE program IS NOT NULL AND stage = 'ask'") > 10
    outcomes = rows(made.home, "SELECT outcome, by_whom, reason FROM question_outcomes")
    assert {outcome for outcome, _, _ in outcomes} <= {"accepted", "rejected", "declined"}
    assert all((outcome == "accepted") is (reason is None) for outcome, _, reason in outcomes)
    [(asked,)] = rows(made.home, "SELECT count(*) FROM passages_asked")
    assert asked == 10


def test_release_carries_document_passages_and_proof(made: Made) -> None:
    text = (made.home / "releases" / ROUND / "1" / "items.jsonl").read_text(encoding="utf-8")
    known = {one for (one,) in rows(made.home, "SELECT document_id FROM documents")}
    items = [json.loads(line) for line in text.splitlines()]
    assert items
    for item in items:
        assert item["documents"] and set(item["documents"]) <= known
        assert len(item["passage_ids"]) == len(item["grounding"])
        signal = " ".join(item["original_grounding"][index] for index in item["signal_indices"])
        assert all(sentence in signal for sentence in item["proof"])


def test_rounds_of_one_folder_pay_nothing_twice_and_draw_unused_questions(tmp_path: Path) -> None:
    home = tmp_path / "home"
    never: dict[str, Any] = {"base_reuse": {"policy": "never"}, "bases": 2}
    asking = {"questions": 2, "passages": 8}
    with serve() as simulator:
        capped = of_documents(tmp_path, simulator, asking=asking, budget={"stages": {"ask": 0.06}}, **never)
        with pytest.raises(CapReachedError, match="ask"):
            first_stages(capped, home)
        assert 0 < number(home, ANSWERS) < 8
        assert first_stages(of_documents(tmp_path, simulator, asking=asking, **never), home) == 2
        asked = len(simulator.asked)
        assert len({one.digest for one in simulator.asked}) == asked, "what came before the cap is not asked again"
        second = of_documents(tmp_path / "second", simulator, round_id="second", **never)
        assert first_stages(second, home) == 2
        assert len(simulator.asked) == asked, "what the first round left is enough"
        used = rows(home, "SELECT base_id, count(DISTINCT round_id) FROM live_base_instances GROUP BY ALL")
        assert {times for _, times in used} == {1}
    listed = demur_here("corpus", "show", "documents", home=home).stdout
    assert "passages left" in listed and "handbook-00.md" in listed


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"roles": {**ALL_ROLES, "asker": "gen-o-rules"}}, "no rules make or prove questions. Name a language model"),
        ({"roles": {name: who for name, who in ALL_ROLES.items() if name != "prover"}}, "roles.prover is needed"),
        ({"roles": {**ALL_ROLES, "prover": "asker"}}, "the same model and parameters"),
        ({"asking": {"pairs": 0.5}}, "a round has one layout"),
        ({"asking": {"questions": 0}}, "asking.questions"),
        ({"corpus": {"path": "single", "format": "demur"}}, "roles.asker is only for documents"),
        ({"asking": {"check": "nobody"}}, "asking.check"),
        (
            {"corpus": {"path": "single", "format": "demur"}, "asking": {"check": "people"}, "roles": ROLES},
            "asking.check is only for questions about documents",
        ),
    ],
)  # fmt: skip
def test_configuration_that_cannot_ask_is_refused(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    simulator = Simulator.__new__(Simulator)
    simulator.port = 1
    config = of_documents(tmp_path, simulator, **{k: v for k, v in changes.items() if k != "corpus"})
    import yaml

    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    written["models"].append({"name": "gen-o-rules", "provider": "rules", "model": "recipes/terse"})
    written |= {k: v for k, v in changes.items() if k == "corpus"}
    config.write_text(yaml.safe_dump(written), encoding="utf-8")
    with pytest.raises(ConfigError, match=said.replace(".", r"\.")):
        read_round_config(config)


def test_report_and_card_say_who_asked_and_who_proved(made: Made) -> None:
    folder = made.home / "releases" / ROUND / "1"
    card = (folder / "README.md").read_text(encoding="utf-8")
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "by asker, answered from the passages alone by prover" in card
    assert "a model made the originals from" in report
    assert "How questions were made of documents" in report


def test_explorer_shows_questions_beside_their_passages(made: Made) -> None:
    from starlette.testclient import TestClient

    from demur.reports.explorer.app import Explorer

    with TestClient(Explorer(Home(made.home)).application(), base_url="http://127.0.0.1") as client:
        shown = client.get(f"/rounds/{ROUND}/questions", params={"outcome": "accepted"})
        assert shown.status_code == 200
        first = "SELECT question, proof[1].text FROM accepted_questions ORDER BY turn, number LIMIT 1"
        [(question, span)] = rows(made.home, first)
        assert question.replace("'", "&#39;") in shown.text
        assert f"<mark>{span}".replace("'", "&#39;")[:40] in shown.text
        assert "From documents to questions" in client.get(f"/rounds/{ROUND}").text
        [(control,)] = rows(made.home, "SELECT item_id FROM live_items WHERE kind = 'control' ORDER BY item_id LIMIT 1")
        item = client.get(f"/rounds/{ROUND}/items/{control}").text
        assert "what proved the answer" in item and "handbook-" in item
        assert client.get(f"/rounds/{ROUND}/questions", params={"page": "0"}).status_code == 400
