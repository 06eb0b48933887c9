"""What a round says where its screeners solved nothing."""

from pathlib import Path

import pytest
import yaml

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.engine.stage import StageReport
from demur.errors import StageStopped
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.bases.screen import SCREEN
from demur.flows.stages.bases.screening_waves import _remedy
from demur.lanes.spec import Mode, ModelLimits, ModelSpec
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import first_stages, small


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (0, "A model that answers none of them cannot tell which can be answered: use other"),
        (69, "69 units ended without an answer: `demur sql"),
    ],
)
def test_screening_that_solved_nothing_tells_wrong_answers_from_none(failed: int, said: str) -> None:
    assert _remedy(StageReport("screen", 69, 69 - failed, failed)).startswith(said)


def test_screener_that_solves_nothing_ends_the_round_after_few_calls(tmp_path: Path, demur_home: Path) -> None:
    roles = yaml.safe_load((SHIPPED / "rules.yaml").read_text("utf-8"))["roles"]
    path = small(tmp_path, bases=5, roles=roles | {"screeners": ["always-refuses"]})
    with pytest.raises(StageStopped, match=r"none of 40 base instances .*always-refuses\. A model that answers none"):
        first_stages(path, demur_home)
    with reading(Home(demur_home), "loader") as con:
        assert con.execute("SELECT count(*) FROM live_screenings").fetchone() == (40,)


@pytest.mark.parametrize("mode", [Mode.LIVE, Mode.BATCH])
def test_screening_takes_its_size_from_the_judge_too(mode: Mode, tmp_path: Path) -> None:
    config = read_round_config(SHIPPED / "rules.yaml")
    limits, parameters = ModelLimits(concurrency=300), {"max_tokens": 10}
    judge = ModelSpec(name="judge", provider="openai", model="m", mode=mode, limits=limits, parameters=parameters)
    roles = config.roles.model_copy(update={"judges": ("judge",)})
    config = config.model_copy(update={"models": (*config.models, judge), "roles": roles})
    context = RoundContext(Home(tmp_path), config, SHIPPED, "r", 1)
    assert SCREEN.concurrency(context) >= 300
    assert (SCREEN.shard_size(context) == config.batch_shard_size) == (mode is Mode.BATCH)


def test_screening_fills_each_domain_with_more_bases_of_that_domain(tmp_path: Path, demur_home: Path) -> None:
    corpus = {"path": "single", "format": "demur", "domains": {"arts": 3, "science": 2}}
    roles = yaml.safe_load((SHIPPED / "rules.yaml").read_text("utf-8"))["roles"]
    path = small(tmp_path, bases=5, corpus=corpus, roles=roles | {"screeners": ["lexical-overlap"]})
    assert first_stages(path, demur_home) == 5
    with reading(Home(demur_home), "loader") as con:
        drawn = dict(con.execute("SELECT domain, count(*) FROM live_base_instances GROUP BY ALL").fetchall())
        taken = dict(con.execute("SELECT domain, count(*) FROM round_bases GROUP BY ALL").fetchall())
    assert taken == {"arts": 3, "science": 2}
    assert drawn.keys() == taken.keys()
    assert drawn != taken
