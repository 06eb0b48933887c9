"""A private PostgreSQL server for tests, in a folder of its own; tests skip where it is not installed."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


class Server:
    """A PostgreSQL server that can be stopped and started again."""

    def __init__(self, folder: Path, user: str | None, role: str = "demur") -> None:
        self.folder = folder
        self._user = user
        self._bin = SERVERS[-1].parent
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"postgresql://{role}@127.0.0.1:{self.port}/postgres"
        initdb = [self._bin / "initdb", "-D", folder / "data", "-U", role, "-A", "trust", "--no-sync", "-N"]
        subprocess.run(initdb, user=user, check=True, capture_output=True, cwd=folder)
        self.start()

    def start(self) -> None:
        self._control("start", "-o", f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off")

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def create(self, database: str, options: str = "") -> None:
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as con:
            con.execute(f"CREATE DATABASE {database} {options}")

    def _control(self, *words: str) -> None:
        command = [self._bin / "pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", *words]
        subprocess.run(command, user=self._user, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)


@contextmanager
def started(role: str = "demur") -> Iterator[Server]:
    if not SERVERS:
        pytest.skip("PostgreSQL's server is not installed")
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="demur-postgres-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        server = Server(folder, user, role)
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
