"""Longer contexts: passages of the corpus around those that a question came with, none of which holds its answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from prefect import flow

from demur.configuration.difficulty import SignalPlace
from demur.corpora.rows import CorpusPassage, CorpusRow
from demur.errors import ConfigError
from demur.flows.planning.estimate import estimate_round, prompt_samples
from demur.flows.rounds.config_files import read_round_config
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round, round_session
from demur.flows.stages.generate.stage import GENERATE
from demur.flows.stages.ingest.context import whole_contexts
from demur.flows.stages.ingest.draw import possible_draw
from demur.flows.stages.screen.waves import ingest_and_screen
from demur.flows.stages.verify.stage import FOLDER as VERIFY_FOLDER
from demur.programs.comparison_writer import writer_prompts
from demur.programs.generator import generator_prompts
from demur.programs.grader import grader_prompts, one_by_one_prompts
from demur.programs.judge import judge_prompts
from demur.programs.prompt_sizes import PromptSizes
from demur.programs.respondent import respondent_prompts
from demur.programs.verifier import verifier_prompts
from demur.text.answers import find_answers
from demur.text.nearest import NearestTexts
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.records import records
from tests.flows.rounds import small, write_config

pytestmark = pytest.mark.usefixtures("demur_home")
BRIDGES = "The bridge of {0} was opened in {1} by the mayor of {0}, and its span was a record for bridges of the coast."


def generation(**context: Any) -> dict[str, Any]:
    return {"lever_choice": "generator", "replicates": 1, "context": {"order": "nearest", **context}}


def corpus(folder: Path, *passages: str, question: str = "When was the bridge of Arle opened?") -> dict[str, str]:
    """Write a corpus: a question whose passage is the first, and one for each of the others."""
    rows = [
        {"id": str(number), "question": question if not number else f"What is {number}?", "answers": [text.split()[5]]}
        | {"context": text}
        for number, text in enumerate(passages)
    ]
    rows[0]["answers"] = ["1931"]
    path = folder / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return {"path": str(path), "format": "demur"}


def whole(folder: Path, row: CorpusRow, **changes: Any) -> Any:
    """The whole context of a row."""
    context = check_round(RoundRequest(str(write_config(folder, **changes))))
    return whole_contexts(context, {row.base_id: row})[row.base_id]


def test_context_surrounds_the_signal_with_the_nearest_passages_free_of_answers(
    tmp_path: Path, demur_home: Path
) -> None:
    path = small(tmp_path, bases=2, generation=generation(passages=7))

    @flow(name="ingest-only")
    def ingest_only() -> int:
        with round_session(RoundRequest(str(path))) as context:
            with writing(context.home, wait_seconds=1):
                pass
            count = ingest_and_screen(context)
            with reading(context.home, "loader") as con:
                seen = [json.loads(unit.payload)["passages"] for unit in GENERATE.plan(context, con)]
            assert all(len(passages) == 1 and passages[0]["relevant"] for passages in seen)
            assert {passages[0]["index"] for passages in seen} == {3}
            return count

    assert ingest_only() == 2
    with reading(Home(demur_home), "loader") as con:
        bases = list(records(con, VERIFY_FOLDER.parent / "assemble" / "bases.sql", ["embedded"]))
        facts = con.execute("SELECT DISTINCT layout, own_passages FROM live_base_instances").fetchall()
        layouts = con.execute("SELECT layout FROM rounds").fetchall()
    assert facts == [("multi", [3])]
    assert layouts == [("multi",)]
    for base in bases:
        assert [p["index"] for p in base["passages"]] == list(range(7))
        signal = next(p for p in base["passages"] if p["relevant"])
        added = [p["text"] for p in base["passages"] if not p["relevant"]]
        assert not any(find_answers(text, tuple(base["answers"])) for text in added)
        assert added == list(NearestTexts(added).to(f"{base['question']} {signal['text']}"))


def test_context_leaves_out_passages_with_the_answer_and_versions_of_the_question_s_own(tmp_path: Path) -> None:
    own = BRIDGES.format("Arle", 1931)
    with_answer = "In 1931 a storm took the roofs of three mills, and grain was carried inland for years."
    version = own.replace(" of the coast", "") + " Arle is a town."
    far = [f"Sailors of the {name} keep their nets in sheds of tarred wood by the water." for name in ("Oss", "Dun")]
    near = "The bridge of Berrow, opened with a fair, was the first of the coast that carried trams."
    given = corpus(tmp_path, own, with_answer, version, *far, near)
    row = CorpusRow("0", None, None, "When was the bridge of Arle opened?", ("1931",), (CorpusPassage(own, True),))
    found = whole(tmp_path, row, corpus=given, bases=1, generation=generation(passages=4, signal="start"))
    assert [p.text for p in found.passages][:2] == [own, near]
    assert {p.text for p in found.passages[2:]} == set(far)
    assert found.own == (0,)


def test_context_of_a_question_that_is_concluded_leaves_out_what_speaks_of_it(tmp_path: Path) -> None:
    own = BRIDGES.format("Arle", 1931)
    near = "Trams cross the bridge of Arle, opened again."
    far = "Sailors of the Oss keep their nets in sheds of tarred wood by the water."
    given = corpus(tmp_path, own, near, far)
    row = CorpusRow("0", None, None, "Was the bridge of Arle opened?", ("yes",), (CorpusPassage(own, True),))
    found = whole(tmp_path, row, corpus=given, bases=1, generation=generation(passages=2))
    assert [p.text for p in found.passages] == [far, own]


@pytest.mark.parametrize(
    ("place", "places"), [("start", (0, 1)), ("middle", (2, 3)), ("end", (4, 5)), ("apart", (0, 5))]
)
def test_context_places_signal_passages_as_the_round_says(
    tmp_path: Path, place: SignalPlace, places: tuple[int, int]
) -> None:
    own = tuple(CorpusPassage(BRIDGES.format(name, 1931), True) for name in ("Arle", "Berrow"))
    noise = CorpusPassage("Grain is carried inland by barges of oak.", False)
    far = [f"Sailors of the {name} keep their {what} by the water." for name, what in (("Oss", "nets"), ("Dun", "ale"))]
    given = corpus(tmp_path, own[0].text, *far, "Roofs of mills were taken by one storm.")
    row = CorpusRow("0", None, None, "When was it opened?", ("1931",), (own[0], noise, own[1]))
    found = whole(tmp_path, row, corpus=given, bases=1, generation=generation(passages=6, signal=place))
    assert tuple(at for at, p in enumerate(found.passages) if p.relevant) == places
    assert len(found.passages) == 6
    assert {found.passages[at].text for at in found.own} == {p.text for p in row.passages}


def test_context_a_question_with_as_many_passages_of_its_own_is_given_no_more(tmp_path: Path) -> None:
    texts = [f"Sailors of the {name} keep their nets by the water." for name in ("Oss", "Dun", "Arle")]
    passages = tuple(CorpusPassage(text, number == 0) for number, text in enumerate(texts))
    row = CorpusRow("0", None, None, "Who keeps nets?", ("Sailors",), passages)
    found = whole(tmp_path, row, generation=generation(passages=3, signal="end"))
    assert set(found.passages) == set(passages)
    assert found.passages[2].relevant
    assert found.own == (0, 1, 2)


def test_context_corpus_without_enough_other_passages_is_refused_with_the_remedy(tmp_path: Path) -> None:
    given = corpus(tmp_path, BRIDGES.format("Arle", 1931), "Sailors of the Oss keep their nets by the water.")
    path = write_config(tmp_path, corpus=given, bases=1, generation=generation(passages=10))
    with writing(check_round(RoundRequest(str(path))).home, wait_seconds=1):
        pass
    said = r"context.passages: 10, .* has [01] passages to put around the 1 of id [01]: .* Lower it to [12] or"
    context = check_round(RoundRequest(str(path)))
    with reading(context.home, "loader") as con, pytest.raises(ConfigError, match=said):
        estimate_round(context, con)


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"passages": 60}, r"generation.context.passages 60: should be less than or equal to 50|context.passages"),
        ({"passages": 10, "signal": "top"}, r"generation.context.signal 'top' is not one of start, middle, end"),
    ],
)
def test_context_bad_settings_are_refused_by_name(tmp_path: Path, context: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_round_config(write_config(tmp_path, generation=generation(**context)))


def test_context_lengthens_the_prompts_of_all_but_generators_in_the_plan(tmp_path: Path) -> None:
    sizes = []
    for changes in ({}, {"generation": generation(passages=12)}):
        context = check_round(RoundRequest(str(write_config(tmp_path, bases=4, **changes))))
        with writing(context.home, wait_seconds=1):
            pass
        with reading(context.home, "loader") as con:
            sizes.append(PromptSizes(prompt_samples(context, possible_draw(context, con))))
    short, longer = sizes
    assert longer.tokens(generator_prompts) == pytest.approx(short.tokens(generator_prompts), rel=0.05)
    eleven_passages = 11 * 112 * 1.2  # passages of the corpus have 112 words and more
    for prompts in (
        verifier_prompts,
        respondent_prompts,
        judge_prompts,
        writer_prompts,
        grader_prompts,
        one_by_one_prompts,
    ):
        assert longer.tokens(prompts) > short.tokens(prompts) + eleven_passages


def test_context_left_out_leaves_a_configuration_its_digest(tmp_path: Path) -> None:
    config = read_round_config(write_config(tmp_path))
    assert "context" not in config.model_dump(mode="json")["generation"]
