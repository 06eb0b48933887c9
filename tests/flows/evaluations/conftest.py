"""A home with the release of a small round, made once for all test processes; nothing in it is changed."""

from pathlib import Path

import pytest

from tests.conftest import MadeOnce
from tests.flows.rounds import small, whole_round


@pytest.fixture(scope="session")
def released(made_once: MadeOnce, prefect_api: str) -> Path:
    """The home of a finished two-base round of the rules lane, whose release is embedded/1."""
    return made_once("released-small-round", lambda folder: whole_round(small(folder), folder / "home")) / "home"
