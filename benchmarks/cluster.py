"""Hosts of a cluster: servers, a flow's host, workers of Dask or Ray. They share the home, a folder.

One host has PostgreSQL, Prefect's server and the engine's scheduler, one the provider.
"""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demur_process import command, environment
from namespaces import Host, hosts, wait_for
from noted_provider import Log

from demur.warehouse.home import Home

PREFECT, SCHEDULER, POSTGRES = 4200, 8786, 5432
RAY_CLIENTS = 10001
ENGINES = ("dask", "ray")


def script(name: str) -> Path:
    """Return a command that is installed beside this Python."""
    return Path(sys.executable).with_name(name)


@dataclass(slots=True)
class Cluster:
    """The hosts of a round and what runs on them."""

    folder: Path
    hosts: dict[str, Host]
    workers: list[str]
    engine: str
    log: Log
    token: str = field(default_factory=lambda: secrets.token_hex(32))
    """What Ray's processes know each other by, of this cluster alone."""

    def environment(self, home: str) -> dict[str, str]:
        """Return a command's environment on a host: the home, Prefect's server and the database."""
        server = self.hosts["server"].address
        address = f"tcp://{server}:{SCHEDULER}" if self.engine == "dask" else f"ray://{server}:{RAY_CLIENTS}"
        return self.alone(home) | {
            "DEMUR_STATE": f"postgresql://demur@{server}:{POSTGRES}/postgres",
            "DEMUR_ENGINE": f"{self.engine}:{address}",
            "PREFECT_API_URL": f"http://{server}:{PREFECT}/api",
        }  # fmt: skip

    def alone(self, home: str) -> dict[str, str]:
        """Return the environment of a round of one machine: a home in a folder, its state in files, threads."""
        return environment(self.folder / home) | {
            "OPENAI_API_KEY": "simulated", "ANTHROPIC_API_KEY": "simulated", "PREFECT_LOGGING_TO_API_ENABLED": "false",
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100",
            "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self.token,
            "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "240",
        }  # fmt: skip

    def home(self, name: str) -> Home:
        """Return a home by its name."""
        return Home(self.folder / name / "demur")

    def said(self, log: str) -> str:
        """Return the end of what a command said."""
        return (self.folder / "logs" / f"{log}.log").read_text(errors="replace")[-3000:]

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes that run on hosts now."""
        return sum(host.cpu_seconds() for host in self.hosts.values())

    def start_worker(self, name: str) -> None:
        """Start a worker on its host."""
        server, host = self.hosts["server"].address, self.hosts[name]
        if self.engine == "dask":
            line = [script("dask"), "worker", f"tcp://{server}:{SCHEDULER}", "--nthreads", "1", "--no-nanny",
                    "--no-dashboard", "--host", host.address, "--local-directory", self.folder / name]  # fmt: skip
        else:
            line = [*self._ray(name), "--address", f"{server}:{SCHEDULER}", "--num-cpus", "1"]
        host.start(name, line, self.environment("many"))

    def start_scheduler(self) -> None:
        """Start the scheduler of the engine."""
        if self.engine == "dask":
            line = [script("dask"), "scheduler", "--no-dashboard", "--port", str(SCHEDULER)]
        else:
            line = [*self._ray("server"), "--head", "--port", str(SCHEDULER), "--num-cpus", "0",
                    "--ray-client-server-port", str(RAY_CLIENTS), "--include-dashboard", "false"]  # fmt: skip
        self.hosts["server"].start("scheduler", line, self.environment("many"))

    def start_flow(self, name: str, config: Path, *options: str) -> "subprocess.Popen[bytes]":
        """Start the round's command on the flow's host, alone there or over all hosts."""
        env = self.alone(name) if name == "alone" else self.environment(name)
        line = command("round", str(config), "--no-probe", *options)
        return self.hosts["flow"].start(f"flow-{name}", line, env)

    def _ray(self, name: str) -> list[str | Path]:
        """Return the start of Ray's command on a host, which has a folder for temporary files of its own there."""
        own = self.folder / "ray" / name
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir(parents=True)
        Path("/tmp/ray").mkdir(exist_ok=True)
        return ["sh", "-c", 'mount --bind "$0" /tmp/ray && exec "$@"', own, script("ray"), "start", "--block",
                "--disable-usage-stats", "--object-store-memory", "100000000",
                "--node-ip-address", self.hosts[name].address]  # fmt: skip


@contextmanager
def cluster(folder: Path, workers: int, latency_seconds: float, engine: str) -> Iterator[Cluster]:
    """Yield hosts whose servers answer, with so many workers."""
    named = [f"worker{number}" for number in range(1, workers + 1)]
    with hosts(["server", "provider", "flow", *named], folder / "logs") as made:
        log = folder / "asked.jsonl"
        ours = Cluster(folder, made, named, engine, Log(log))
        provider = [sys.executable, Path(__file__).with_name("noted_provider.py"), made["provider"].address, log]
        made["provider"].start("provider", [*provider, str(latency_seconds)], ours.alone("provider"))
        start_database(made["server"], folder / "database")
        prefect = {
            **ours.environment("server"),
            "PREFECT_API_DATABASE_CONNECTION_URL": f"postgresql+asyncpg://demur@127.0.0.1:{POSTGRES}/prefect",
        }
        made["server"].start(
            "prefect", [script("prefect"), "server", "start", "--host", "0.0.0.0", "--port", str(PREFECT)], prefect
        )
        ours.start_scheduler()
        wait_for(folder / "logs" / "scheduler.log", "Scheduler at" if engine == "dask" else "--block")
        for name in named:
            ours.start_worker(name)
        wait_for(folder / "logs" / "prefect.log", "Check out the dashboard")
        for name in named:
            wait_for(folder / "logs" / f"{name}.log", "Registered to" if engine == "dask" else "--block")
        yield ours


def start_database(host: Host, folder: Path) -> None:
    """Start a PostgreSQL server of our own, which takes connections of all hosts."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    folder.mkdir()
    shutil.chown(folder, "postgres")
    initdb = [binaries / "initdb", "-D", folder / "data", "-U", "demur", "-A", "trust"]
    subprocess.run(initdb, user="postgres", check=True, capture_output=True, cwd="/")
    with (folder / "data" / "pg_hba.conf").open("a") as rules:
        rules.write("host all all 10.77.0.0/24 trust\n")
    options = ["-c", "listen_addresses=*", "-c", f"port={POSTGRES}", "-k", str(folder), "-c", "max_connections=200"]
    host.start("database", [binaries / "postgres", "-D", folder / "data", *options], dict(os.environ), user="postgres")
    wait_for(host.logs / "database.log", "ready to accept connections")
    psql = [binaries / "psql", "-h", folder, "-U", "demur", "postgres", "-c", "CREATE DATABASE prefect"]
    subprocess.run(psql, user="postgres", check=True, capture_output=True, cwd="/")
