"""Ports are given out again, so no test may find the limits that another one left behind."""

from collections.abc import Iterator

import pytest

from demur.lanes.throttle import shared


@pytest.fixture(autouse=True)
def _limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(shared, "_throttles", shared._Throttles())
    yield
