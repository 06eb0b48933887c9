"""A home with a release to evaluate, made once for all test processes; nothing in it is changed."""

from pathlib import Path

import pytest

from tests.flows.finished_rounds import FinishedRound


@pytest.fixture(scope="session")
def released(rules_round: FinishedRound) -> Path:
    """The home of the rules round, whose release is embedded/1."""
    return rules_round.home.root
