"""Ports are given out again, so no test may find the limits that another one left behind."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("demur.lanes.throttle.shared._known", {})
    yield
