"""Hosts on one machine: network namespaces at one switch, each with an address and processes of its own.

Needs root and `ip`. Sockets reach from one host to another over the switch alone, and none without a link.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

LONGEST_SECONDS = 240


@dataclass(slots=True)
class Host:
    """One namespace, with an address."""

    network: str
    name: str
    address: str
    logs: Path
    _started: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """Its name for `ip netns`."""
        return f"{self.network}-{self.name}"

    def start(
        self, log: str, command: Sequence[str | Path], env: Mapping[str, str], user: str | None = None
    ) -> "subprocess.Popen[bytes]":
        """Start a command on the host; what it says goes to a file of that name."""
        as_user = ["setpriv", f"--reuid={user}", "--regid=" + user, "--clear-groups"] if user else []
        line = ["ip", "netns", "exec", self.namespace, *as_user, *map(str, command)]
        with (self.logs / f"{log}.log").open("ab") as said:
            process = subprocess.Popen(line, env=dict(env), stdout=said, stderr=said, start_new_session=True, cwd="/")
        self._started[log] = process
        return process

    def is_running(self, log: str) -> bool:
        """Return whether the command of that log has not ended."""
        return log in self._started and self._started[log].poll() is None

    def kill(self) -> None:
        """End all processes of the host at once (kill -9), then cut its link."""
        self.end_all()
        self.cut()
        for process in self._started.values():
            process.wait(timeout=30)
        self._started.clear()

    def end_all(self) -> None:
        """End all processes of the host at once (kill -9)."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def pids(self) -> list[int]:
        """Return the processes of the host."""
        return [int(pid) for pid in _ip("netns", "pids", self.namespace).split()]

    def cpu_seconds(self) -> float:
        """Return the CPU time of the processes that run on the host now."""
        found = 0.0
        for pid in self.pids():
            with suppress(psutil.Error):
                times = psutil.Process(pid).cpu_times()
                found += times.user + times.system
        return found

    def cut(self) -> None:
        """Take the host off the switch."""
        _ip("-n", self.namespace, "link", "set", "eth0", "down")

    def join(self) -> None:
        """Put the host at the switch again."""
        _ip("-n", self.namespace, "link", "set", "eth0", "up")


@contextmanager
def hosts(names: Sequence[str], logs: Path) -> Iterator[dict[str, Host]]:
    """Yield hosts at one switch, by name; all their processes are ended afterwards."""
    network = f"demur{os.getpid()}"
    switch = f"{network}-switch"
    logs.mkdir(parents=True, exist_ok=True)
    made: dict[str, Host] = {}
    with ExitStack() as stack:
        _ip("netns", "add", switch)
        stack.callback(_ip, "netns", "del", switch)
        _ip("-n", switch, "link", "add", "bridge0", "type", "bridge")
        _ip("-n", switch, "link", "set", "bridge0", "up")
        for number, name in enumerate(names, start=1):
            host = Host(network, name, f"10.77.0.{number}", logs)
            _ip("netns", "add", host.namespace)
            stack.callback(_ip, "netns", "del", host.namespace)
            stack.callback(host.end_all)
            _ip(
                "-n",
                host.namespace,
                "link",
                "add",
                "eth0",
                "type",
                "veth",
                "peer",
                "name",
                f"port{number}",
                "netns",
                switch,
            )
            _ip("-n", switch, "link", "set", f"port{number}", "master", "bridge0", "up")
            _ip("-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
            _ip("-n", host.namespace, "link", "set", "lo", "up")
            host.join()
            made[name] = host
        yield made


def wait_for(path: Path, words: str, seconds: float = LONGEST_SECONDS) -> None:
    """Wait until a file holds these words.

    Raises:
        TimeoutError: it does not after so long; the message ends with what it holds.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if path.exists() and words in path.read_text(errors="replace"):
            return
        time.sleep(0.2)
    held = path.read_text(errors="replace")[-1000:] if path.exists() else "nothing"
    raise TimeoutError(f"{path}: no '{words}' after {seconds:g} s; it ends with: {held}")


def _ip(*words: str) -> str:
    done = subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
    return done.stdout
