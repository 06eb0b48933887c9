"""What runs log of an error: one message where it is ours, a traceback where it is a bug."""

import logging
from collections.abc import Iterator

import pytest
from prefect import flow, task

from demur.engine.logs import LOGGERS
from demur.errors import ConfigError
from demur.warehouse.errors import LandingError


class Kept(logging.Handler):
    """Keeps the errors that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def kept(prefect_api: str) -> Iterator[Kept]:
    handler = Kept()
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)
    yield handler
    for name in LOGGERS:
        logging.getLogger(name).removeHandler(handler)


@task
def full(path: str) -> None:
    raise LandingError(f"{path}: no space left")


@flow
def outer(path: str) -> None:
    inner(path)


@flow
def inner(path: str) -> None:
    raise ConfigError(f"{path}: 3 % is no share")


@flow
def landing(path: str) -> None:
    full(path)


def test_error_of_ours_is_its_message_once_a_run_without_traceback(kept: Kept) -> None:
    with pytest.raises(ConfigError):
        outer("weekly.yaml")
    assert [record.getMessage() for record in kept.records] == ["weekly.yaml: 3 % is no share"] * 2
    assert not any(record.exc_info or record.exc_text for record in kept.records)
    kept.records.clear()
    with pytest.raises(LandingError):
        landing("/srv")
    assert {record.getMessage() for record in kept.records} == {
        "/srv: no space left",
        "Finished in state Failed('Task run encountered an exception LandingError: /srv: no space left')",
    }
    assert not any(record.exc_info for record in kept.records)


def test_bug_keeps_its_traceback(kept: Kept) -> None:
    @flow
    def broken() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        broken()
    assert [record.exc_info[1].args for record in kept.records if record.exc_info] == [("a bug",)]  # type: ignore[union-attr]
