"""Base instances drawn by what probes know without passages: who is asked, which are drawn, what is scored apart."""

from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import RoundConfig
from demur.errors import ConfigError
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.bases.draw import Draw
from demur.levers.vocabulary import Layout
from demur.rules.roles.judge import knows
from tests.flows.rounds import write_config


@pytest.mark.parametrize(
    ("response", "answers", "known"),
    [
        ("1904", ["1904"], True),
        ("It was opened in 1904.", ["1904"], True),
        ("I do not know.", ["1904"], False),
        ("1904 or 1905", ["1904"], False),
        ("1905", ["1904"], False),
        ("Yes", ["yes"], False),
        ("", ["1904"], False),
    ],
)
def test_answer_is_known_where_a_response_gives_it_plainly(response: str, answers: list[str], known: bool) -> None:
    assert knows(response, answers) is known


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 1.0])
def test_draw_with_known_holds_their_share_at_every_place_and_keeps_the_order(share: float) -> None:
    order = tuple(f"b{number:02}" for number in range(40))
    known = frozenset(one for one in order if int(one[1:]) % 4 == 3)
    domains = tuple("a" if number % 2 else "z" for number in range(40))
    draw = Draw(order, 0, Layout.SINGLE, {"a": 5, "z": 5}, domains).with_known(known, share)
    assert sorted(draw.order) == list(order)
    for domain in ("a", "z"):
        drawn = [one for one, of in zip(draw.order, draw.domains, strict=True) if of == domain]
        there = [one for one in order if domains[int(one[1:])] == domain]
        left = len(known & set(there))
        for place in range(1, len(drawn) + 1):
            assert len(known & set(drawn[:place])) >= min(left, share * place - 1e-6)
        assert [one for one in drawn if one in known] == [one for one in there if one in known]
        assert [one for one in drawn if one not in known] == [one for one in there if one not in known]
    assert draw.known_left({"a": 40, "z": 40}) == set()
    assert draw.known_left({"a": 0, "z": 0}) == {"a"}


def test_probe_of_known_answers_is_no_respondent_and_is_refused_where_it_is_one(tmp_path: Path) -> None:
    def read(probe: str, **known: Any) -> RoundConfig:
        generation = {"lever_choice": "assigned", "replicates": 1}
        generation["known"] = {"probe": [probe], "min_share": 0.5, "asked": 20} | known
        return read_round_config(write_config(tmp_path, generation=generation))

    for probe, said in (
        ("lexical-overlap", r"generation.known.probe\[0\] 'lexical-overlap' is the respondent 'lexical-overlap'"),
        ("nobody", "generation.known.probe.0. 'nobody' is not one of the models"),
        ("rules-judge", "rules are for another role than recall"),
    ):
        with pytest.raises(ConfigError, match=said):
            read(probe)
    with pytest.raises(ConfigError, match="generation.known.min_share 0"):
        read("lexical-overlap", min_share=0)
