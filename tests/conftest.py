"""What all tests share: loopback only, a home of their own, one temporary Prefect API for those that need it."""

import ipaddress
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two test processes share two cores

import pytest
from hypothesis import HealthCheck, settings

import demur.flows  # noqa: F401  (switches off what libraries send home, before they are imported)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a job in the background: Ctrl-C is tested all the same
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("shared-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared-machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first: one that starts last keeps one process busy and the others idle."""
    seconds = dict.fromkeys((item.path for item in items), 0.0)
    for item in items:
        for mark in item.iter_markers("slow"):
            seconds[item.path] = max(seconds[item.path], mark.kwargs.get("seconds", 10))
    items.sort(key=lambda item: -seconds[item.path])


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0]
            try:
                local = ipaddress.ip_address(host).is_loopback
            except ValueError:
                local = host == "localhost"
            if not local:
                raise AssertionError(f"a test tried to connect to {host}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def prefect_api() -> Iterator[str]:
    """A temporary Prefect API for the whole session; its URL is in the environment, for child processes too."""
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
        url = str(PREFECT_API_URL.value())
        os.environ["PREFECT_API_URL"] = url
        yield url
        del os.environ["PREFECT_API_URL"]


@pytest.fixture
def demur_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty DEMUR_HOME."""
    home = tmp_path / "home"
    monkeypatch.setenv("DEMUR_HOME", str(home))
    return home
