"""Samples of a release: nested, in proportion to the strata, judged and scored as samples."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from demur.errors import ConfigError
from demur.flows.evaluation import evaluate
from demur.flows.evaluations.evaluation_request import EvaluationRequest, check_evaluation, evaluation_context
from demur.flows.evaluations.release_sources import verified_release
from demur.flows.stages.responses.release_items import ReleasedItem, _stratified_order, asked_items, sample_in_words
from demur.lanes.simulator.server import serve
from demur.levers.vocabulary import STRATA, expected_code
from demur.warehouse.home import Home
from tests.flows.evaluations.test_evaluate import served_request
from tests.flows.simulated import KEY, KEY_VARIABLE, number, rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]


def item(name: str, source: str, stratum: tuple[Any, Any] | None, kind: str = "perturbed") -> ReleasedItem:
    expected = "ANSWER_CORRECTLY" if stratum is None else expected_code(*stratum).value
    lever_class, intensity = stratum or (None, None)
    return ReleasedItem.model_validate(
        {
            "id": name, "source_id": source, "base_id": source, "kind": kind, "layout": "single", "domain": None,
            "title": None, "generator_model": "g", "perturbation_class": lever_class, "intensity": intensity,
            "expected_rag_behavior": expected, "lever_id": "l", "lever_selected": "l", "original_query": "q",
            "original_answers": ["a"], "original_grounding": ["p"], "perturbed_query": "q", "grounding": ["p"],
            "signal_indices": [0],
        }
    )  # fmt: skip


def whole_release(sources: int = 20) -> list[ReleasedItem]:
    """Return one item of each stratum and one control of each source question."""
    return [
        one
        for source in map(str, range(sources))
        for one in (
            *(item(f"{source} {'/'.join(stratum)}", source, stratum) for stratum in STRATA),
            item(f"{source} control", source, None, kind="control"),
        )
    ]


@pytest.mark.parametrize("size", [19, 38, 95, 190])
def test_sample_has_each_stratum_in_proportion_and_many_source_questions(size: int) -> None:
    drawn = _stratified_order(whole_release(), seed=7)[:size]
    strata = Counter((one.kind, one.perturbation_class, one.intensity) for one in drawn)
    assert set(strata.values()) == {size // 19}
    assert len({one.source_id for one in drawn}) >= (13 if size == 19 else 17)


def test_sample_does_not_depend_on_the_order_of_the_release_but_on_its_seed() -> None:
    items = whole_release()
    drawn = [one.id for one in _stratified_order(items, seed=7)]
    assert drawn == [one.id for one in _stratified_order(items[::-1], seed=7)]
    assert sorted(drawn) == sorted(one.id for one in items)
    assert drawn[:40] != [one.id for one in _stratified_order(items, seed=8)][:40]


def test_sample_of_a_release_without_strata_is_spread_over_its_source_questions() -> None:
    items = [item(f"{source} {place}", str(source), None) for source in range(30) for place in range(10)]
    assert len({one.source_id for one in _stratified_order(items, seed=7)[:30]}) == 30


def context_of(released: Path, **sample: int) -> Any:
    home = Home(released)
    request = EvaluationRequest("embedded/1", ("always-refuses",), **sample)
    return evaluation_context(home, request, verified_release(home, request.release))


def test_larger_sample_contains_the_smaller_one_and_belongs_to_the_same_evaluation(released: Path) -> None:
    contexts = [context_of(released, items=number) for number in (5, 12, 20)]
    chosen = [{one.id for one in asked_items(context)} for context in contexts]
    assert chosen[0] < chosen[1] < chosen[2] and [len(ids) for ids in chosen] == [5, 12, 20]
    assert len({context.round_id for context in (*contexts, context_of(released))}) == 1
    items = len(asked_items(context_of(released)))
    assert [sample_in_words(context) for context in contexts] == [f"{n} of {items} items" for n in (5, 12, 20)]


def test_sample_of_source_questions_has_all_their_items(released: Path) -> None:
    everything = asked_items(context_of(released))
    drawn = asked_items(context_of(released, bases=2))
    sources = {one.source_id for one in drawn}
    assert len(sources) == 2 and drawn == [one for one in everything if one.source_id in sources]
    items = len(everything)
    assert sample_in_words(context_of(released, bases=2)) == f"2 of 3 source questions, {len(drawn)} of {items} items"
    assert asked_items(context_of(released, bases=3)) == everything
    assert sample_in_words(context_of(released, items=items)) is None


def test_two_sizes_of_a_sample_are_refused(released: Path, demur_home: Path) -> None:
    release = str(released / "releases" / "embedded" / "1")
    with pytest.raises(ConfigError, match="--items 5, --bases 2, --seed None: .*exactly one of items and bases"):
        check_evaluation(EvaluationRequest(release, ("always-refuses",), items=5, bases=2))


def test_sample_is_scored_as_such_on_a_board_of_its_own_and_a_larger_one_goes_on_from_it(
    released: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, release = demur_home, str(released / "releases" / "embedded" / "1")
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    boards = set()
    whole = len(asked_items(context_of(released)))
    with serve() as asked, serve() as judging:
        for size, sample in ((8, f"8 of {whole} items"), (None, None)):
            evaluation = evaluate(served_request(release, asked, judging, items=size))
            items = size or whole
            assert len(asked.asked) - 1 == items == number(home, "SELECT count(*) FROM live_responses")
            assert rows(home, "SELECT sample, state FROM leaderboard") == [(sample, "complete")]
            assert number(home, "SELECT sum(responses) FROM live_response_counts") == items
            [(round_id, board)] = rows(home, "SELECT round_id, board_id FROM evaluation_boards")
            assert round_id == evaluation
            boards.add(board)
    assert len(boards) == 2
    assert rows(home, "SELECT DISTINCT board_id FROM boards WHERE sample = 'all items'") == [(board,)]
