"""What all tests share: loopback only, a home of their own, one temporary Prefect API for those that need it."""

import fcntl
import ipaddress
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # test processes share the cores

import certifi
import pytest
from hypothesis import HealthCheck, settings

import demur.flows  # noqa: F401  (switches off what libraries send home, before they are imported)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a job in the background: Ctrl-C is tested all the same
    signal.signal(signal.SIGINT, signal.default_int_handler)

IDLE_SERVICES = (
    "CANCELLATION_CLEANUP", "CLEANUP_RECONCILER", "EVENT_PERSISTER", "FOREMAN", "LATE_RUNS", "PAUSE_EXPIRATIONS",
    "REPOSSESSOR", "SCHEDULER", "TASK_RUN_RECORDER", "TRIGGERS",
)  # fmt: skip
if TYPE_CHECKING:
    from tests.flows.finished_rounds import FinishedRound
MadeOnce = Callable[[str, Callable[[Path], object]], Path]

settings.register_profile(
    "shared-machine", deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shared-machine")


@contextmanager
def locked(path: Path, kind: int = fcntl.LOCK_EX) -> Iterator[IO[str]]:
    """Hold a lock between the processes of the tests inside the block."""
    with path.open("a") as file:
        fcntl.flock(file, kind)
        yield file


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes golden masters."""
    parser.addoption("--write-masters", action="store_true", help="write the golden masters of rounds anew")


def pytest_configure(config: pytest.Config) -> None:
    """Tell the golden masters whether they are written."""
    from tests.flows import masters

    masters.writes = bool(config.getoption("--write-masters"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first: one that starts last keeps one process busy and the others idle."""
    seconds = dict.fromkeys((item.path for item in items), 0.0)
    for item in items:
        for mark in item.iter_markers("slow"):
            seconds[item.path] = max(seconds[item.path], mark.kwargs.get("seconds", 10))
    items.sort(key=lambda item: -seconds[item.path])


def _is_local(host: str | None) -> bool:
    try:
        return host is not None and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """Refuse every connection that leaves this machine; object stores, whose client opens its own, by their address."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise AssertionError(f"a test tried to connect to {address[0]}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Trust one authority: each of the thousands of HTTP clients would read all of them, in 15 ms."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    file = tmp_path_factory.mktemp("trusted") / "authorities.pem"
    file.write_text(first + end, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of this run of the tests have in common."""
    mine = tmp_path_factory.getbasetemp()
    return mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine


@pytest.fixture(scope="session")
def made_once(shared_folder: Path) -> MadeOnce:
    """Return the folder of a name, filled by the first test that asks for it. Whoever changes something copies it."""

    def made(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = shared_folder / name, shared_folder / f"{name}.made"
        with locked(shared_folder / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def prefect_api(shared_folder: Path) -> Iterator[str]:
    """A temporary Prefect API for all test processes; its URL is in the environment, for child processes too.

    Who starts it ends it, when the others have left. It runs none of the services that deployments need. Flows send no
    logs and no heartbeats, for which each would end up to a second later.
    """
    from prefect.context import _temporary_global_settings_context, get_settings_context
    from prefect.settings import (
        PREFECT_API_TLS_INSECURE_SKIP_VERIFY,
        PREFECT_API_URL,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        PREFECT_LOGGING_TO_API_ENABLED,
        temporary_settings,
    )
    from prefect.testing.utilities import prefect_test_harness

    address = shared_folder / "prefect_api"
    with ExitStack() as stack, locked(shared_folder / "prefect_users.lock", fcntl.LOCK_SH) as users:
        with locked(shared_folder / "prefect_start.lock"):
            if starts := not address.exists():
                with pytest.MonkeyPatch.context() as patch:
                    for service in IDLE_SERVICES:
                        patch.setenv(f"PREFECT_SERVER_SERVICES_{service}_ENABLED", "false")
                    stack.enter_context(prefect_test_harness(server_startup_timeout=600))
                address.write_text(str(PREFECT_API_URL.value()), encoding="utf-8")
        url = address.read_text(encoding="utf-8")
        quiet = {PREFECT_LOGGING_TO_API_ENABLED: False, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
        quiet[PREFECT_API_TLS_INSECURE_SKIP_VERIFY] = True  # else each client of the API reads all certificates
        stack.enter_context(temporary_settings({PREFECT_API_URL: url, **quiet}))
        stack.enter_context(_temporary_global_settings_context(get_settings_context()))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PREFECT_API_URL", url)
            patch.setenv("PREFECT_API_TLS_INSECURE_SKIP_VERIFY", "true")
            yield url
        if starts:
            fcntl.flock(users, fcntl.LOCK_EX)
            address.unlink()


@pytest.fixture(scope="session")
def rules_round(made_once: MadeOnce, prefect_api: str) -> "FinishedRound":
    """The finished round of the rules lane in all strata, over hostile passages, to look at; `copy` it to change it."""
    from tests.flows.finished_rounds import FinishedRound, make_rules_round

    return FinishedRound(made_once("rules_round", make_rules_round), "embedded")


@pytest.fixture(scope="session")
def simulated_round(made_once: MadeOnce, prefect_api: str) -> "FinishedRound":
    """The finished round over HTTP of `simulated`, undisturbed, with a recording of it, to look at."""
    from tests.flows.finished_rounds import FinishedRound, make_simulated_round

    return FinishedRound(made_once("simulated_round", make_simulated_round), "simulated")


@pytest.fixture(scope="session")
def several_round(made_once: MadeOnce, prefect_api: str) -> "FinishedRound":
    """The finished round of several documents that comes with demur, to look at."""
    from tests.flows.finished_rounds import FinishedRound, make_several_round

    return FinishedRound(made_once("several_round", make_several_round), "embedded-several")


@pytest.fixture
def demur_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty DEMUR_HOME."""
    home = tmp_path / "home"
    monkeypatch.setenv("DEMUR_HOME", str(home))
    return home
