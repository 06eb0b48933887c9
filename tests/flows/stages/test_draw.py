"""The draw: seeded, without replacement, and none of the bases that must rest."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from demur.errors import ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round, round_session
from demur.flows.stages.bases.draw import Draw, draw_order, each_language_first
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from tests.flows.rounds import write_config

CORPUS = {"path": "single", "format": "demur"}

pytestmark = pytest.mark.usefixtures("demur_home")


def drawn(folder: Path, home: Path, **changes: Any) -> Draw:
    context = check_round(RoundRequest(str(write_config(folder, **changes))))
    with writing(Home(home), wait_seconds=1):
        pass
    with reading(Home(home), "loader") as con:
        return draw_order(context, con)


def pretend_round(home: Path, folder: Path, name: str, bases: Sequence[str]) -> None:
    """Leave a round behind that works on the given bases."""
    config = write_config(folder, name=name, round_id=name, bases=len(bases))
    with round_session(RoundRequest(str(config))):
        pass
    with writing(Home(home), wait_seconds=1) as con:
        con.execute("UPDATE rounds SET screeners = [] WHERE round_id = ?", [name])
        for number, base in enumerate(bases):
            con.execute(
                "INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, 'ingest', ?, ?)",
                [name, f"{name}-{base}", number],
            )
            con.execute(
                "INSERT INTO base_instances "
                "(round_id, unit_id, base_id, source_id, draw, layout, question, answers, passages) "
                "VALUES (?, ?, ?, ?, ?, 'single', 'q', ['a'], "
                "[{'index': 0, 'text': 'a', 'relevant': true, 'title': NULL}])",
                [name, f"{name}-{base}", base, base, number],
            )


def test_draw_is_the_same_for_a_seed_and_another_for_another(tmp_path: Path, demur_home: Path) -> None:
    first = drawn(tmp_path, demur_home, seed=1)
    assert drawn(tmp_path, demur_home, seed=1).order == first.order
    other = drawn(tmp_path, demur_home, seed=2)
    assert other.order != first.order
    assert set(other.order) == set(first.order)


def test_draw_never_reuse_leaves_out_what_any_round_used(tmp_path: Path, demur_home: Path) -> None:
    used = drawn(tmp_path, demur_home).order[:5]
    pretend_round(demur_home, tmp_path, "earlier", used)
    draw = drawn(tmp_path, demur_home, base_reuse={"policy": "never"})
    assert draw.resting == 5
    assert not set(used) & set(draw.order)
    assert draw.fresh_rounds == 2


def test_draw_after_n_rounds_gives_bases_back(tmp_path: Path, demur_home: Path) -> None:
    order = drawn(tmp_path, demur_home).order
    pretend_round(demur_home, tmp_path, "oldest", order[:3])
    pretend_round(demur_home, tmp_path, "newest", order[3:6])
    draw = drawn(tmp_path, demur_home, base_reuse={"policy": "after_n_rounds", "rounds": 1})
    assert draw.resting == 3
    assert set(order[:3]) <= set(draw.order)


def test_draw_exhausted_corpus_says_how_many_rest(tmp_path: Path, demur_home: Path) -> None:
    pretend_round(demur_home, tmp_path, "earlier", drawn(tmp_path, demur_home).order[:60])
    with pytest.raises(ConfigError, match=r"has 9 base instances to give, 60 rest \(base_reuse: never\)"):
        drawn(tmp_path, demur_home, base_reuse={"policy": "never"})


def test_draw_quotas_of_domains_take_so_many_of_each_and_of_no_other(tmp_path: Path, demur_home: Path) -> None:
    draw = drawn(tmp_path, demur_home, bases=5, corpus=CORPUS | {"domains": {"law and government": 3, "science": 2}})
    places = draw.first(draw.wanted)
    domains = dict(zip(draw.order, draw.domains, strict=True))
    assert Counter(domains[base] for base in places) == {"law and government": 3, "science": 2}
    assert set(draw.domains) == {"law and government", "science"}
    assert draw.fresh_rounds == 2
    assert [draw.order[place] for place in places.values()] == list(places)


def test_draw_quota_beyond_its_domain_is_refused_with_domain_and_numbers(tmp_path: Path, demur_home: Path) -> None:
    said = r"has 7 base instances of domain 'science' to give; domains.science: 8 are wanted"
    with pytest.raises(ConfigError, match=said):
        drawn(tmp_path, demur_home, bases=8, corpus=CORPUS | {"domains": {"science": 8}})


def test_draw_quotas_that_do_not_add_up_to_bases_are_refused(tmp_path: Path) -> None:
    config = write_config(tmp_path, bases=24, corpus=CORPUS | {"domains": {"science": 5}})
    with pytest.raises(ConfigError, match=r"corpus.domains add up to 5, but bases is 24"):
        check_round(RoundRequest(str(config)))


def test_draw_mixed_layouts_are_refused(tmp_path: Path, demur_home: Path) -> None:
    corpora = Path(__file__).parents[3] / "deployments" / "corpora"
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_bytes((corpora / "single.jsonl").read_bytes() + (corpora / "multi.jsonl").read_bytes())
    with pytest.raises(ConfigError, match="a round has one layout"):
        drawn(tmp_path, demur_home, corpus={"path": str(mixed), "format": "demur"})


def test_draw_of_documents_has_one_base_of_each_language_before_a_second_of_any() -> None:
    languages = {"a": "en", "b": "en", "c": "zh", "d": "en", "e": "es", "f": "zh"}
    assert each_language_first(list(languages), languages) == ("a", "c", "e", "b", "d", "f")
