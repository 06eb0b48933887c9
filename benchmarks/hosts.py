"""A round whose workers are hosts of their own, killed and cut off at seeded moments, beside a round of one machine.

    sudo python benchmarks/hosts.py [--bases 14] [--workers 3] [--worker-kills 10] [--flow-kills 5] [--seed 20261122]
    sudo python benchmarks/hosts.py --store ...         # the home is in S3 (moto's server), and no folder is shared
    sudo python benchmarks/hosts.py --scaling           # requests a second with 1, 2 and 3 workers, 2 s each

Hosts are network namespaces: one with PostgreSQL, Prefect's server and Dask's scheduler, one with the provider (the
simulator, which writes down every request) and the store, one for the flow, and one for each worker, which runs the
command of a Dask worker. DEMUR_HOME is a folder that all see, or in the store, and then no host looks into another's
folders. Journals, budgets, holds and limits are in PostgreSQL (DEMUR_STATE).

A moment is a number of requests that the provider was sent, drawn uniformly. A host is killed by kill -9 of all its
processes, then its link is cut; two seconds later the link is there again, and the same command is started anew.

Afterwards the release is compared with that of a round in one process with its state in files, byte by byte, and so are
calls and units of every table. What the provider answered and no ledger holds is what was under way at a kill; what
it charged is compared with the cap, and what it was sent in any minute with the limit of each model. Any difference
makes the exit status 1.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from demur_process import command, environment, machine, show
from kills import ANSWERED, NAME, compare
from namespaces import Host, hosts, wait_for
from simulator_process import write_simulated

from demur.warehouse.connection import reading
from demur.warehouse.home import Home

PORT, PREFECT, SCHEDULER, POSTGRES, STORE = 8765, 4200, 8786, 5432, 9000
MAX_USD = 20.0
CONCURRENCY = 12
LONGEST_SECONDS = 3_600.0
SCALING_LATENCY_SECONDS, SCALING_SHARD = 2.0, 12
USD_PER_MILLION = {
    "prompt_tokens": 2.0, "completion_tokens": 8.0,
    "input_tokens": 3.0, "cache_creation_input_tokens": 3.75, "cache_read_input_tokens": 0.3, "output_tokens": 15.0,
}  # fmt: skip
"""What the provider charges: the prices of the rehearsal's models, by the names that each provider's usage has."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that the provider was sent: when, of which model, which, and what it charges for it."""

    at: float
    model: str
    digest: str
    usd: float


def provide(address: str, log: Path, latency_seconds: float) -> None:
    """Serve the simulator at an address until the process ends, and write down what it is asked."""
    from aiohttp import web

    from demur.programs.simulator.engine import SimulatorConfig
    from demur.programs.simulator.faults import scripted
    from demur.programs.simulator.server import Simulator

    simulator = Simulator(scripted(), SimulatorConfig(latency_seconds=latency_seconds, keep_requests=False))
    outcome = simulator.engine.outcome
    sink = log.open("a", buffering=1)

    def noted(wire: Any, raw: bytes, key: str, **named: Any) -> Any:
        found, seconds = outcome(wire, raw, key, **named)
        usage = found.body.get("usage", {}) if found.answered else {}
        usd = sum(usage.get(name, 0) * price for name, price in USD_PER_MILLION.items()) / 1e6
        model, digest = json.loads(raw).get("model"), hashlib.sha256(raw).hexdigest()[:16]
        sink.write(json.dumps([time.time(), model, digest, usd]) + "\n")
        return found, seconds

    simulator.engine.outcome = noted  # type: ignore[method-assign]
    web.run_app(simulator.app(), host=address, port=PORT, print=None, handler_cancellation=True)


def asked(log: Path) -> list[Asked]:
    """Return what the provider was asked."""
    return [Asked(*json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []


@dataclass(slots=True)
class Cluster:
    """The hosts of a round and what runs on them."""

    folder: Path
    hosts: dict[str, Host]
    workers: list[str]
    stored: bool = False

    @property
    def log(self) -> Path:
        """What the provider writes down."""
        return self.folder / "asked.jsonl"

    def environment(self, home: str, host: str, *, shared: bool = True) -> dict[str, str]:
        """Return a command's environment on a host: a home, and, where `shared`, Prefect's server and the database."""
        server = self.hosts["server"].address
        named = {
            **environment(self.folder / home),
            "OPENAI_API_KEY": "simulated", "ANTHROPIC_API_KEY": "simulated",
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100",
        }  # fmt: skip
        if not shared:
            return named
        if self.stored:
            named |= {
                "DEMUR_HOME": f"s3://{NAME}/{home}", "DEMUR_CACHE": str(self.cache(host)),
                "AWS_ENDPOINT_URL": f"http://{self.hosts['provider'].address}:{STORE}", "AWS_ALLOW_HTTP": "true",
                "AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIATESTONLY",
                "AWS_SECRET_ACCESS_KEY": "store-secret",
            }  # fmt: skip
        return named | {
            "PREFECT_API_URL": f"http://{server}:{PREFECT}/api",
            "DEMUR_STATE": f"postgresql://demur@{server}:{POSTGRES}/postgres",
            "DEMUR_ENGINE": f"dask:tcp://{server}:{SCHEDULER}",
        }

    def cache(self, host: str) -> Path:
        """Return where a host keeps what it works with of a home in a store: no other host looks there."""
        return self.folder / "disks" / host

    def home(self, name: str) -> Home:
        """Return where the loader's file and releases of a home are."""
        if not self.stored or name == "alone":
            return Home(self.folder / name / "demur")
        [found] = [path.parent for path in self.cache("flow").glob("*/loader.duckdb")]
        return Home(found)

    def start_worker(self, name: str) -> None:
        """Start a worker on its host."""
        scheduler = f"tcp://{self.hosts['server'].address}:{SCHEDULER}"
        line = [script("dask"), "worker", scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                "--host", self.hosts[name].address, "--local-directory", self.folder / name]  # fmt: skip
        self.hosts[name].start(name, line, self.environment("many", name))

    def start_flow(self, home: str, config: Path, *, shared: bool = True) -> "subprocess.Popen[bytes]":
        """Start the round's command on the flow's host."""
        line = command("round", str(config), "--no-probe")
        return self.hosts["flow"].start(f"flow-{home}", line, self.environment(home, "flow", shared=shared))


def script(name: str) -> Path:
    """Return a command that is installed beside this Python."""
    return Path(sys.executable).with_name(name)


@contextmanager
def cluster(folder: Path, workers: int, latency_seconds: float, stored: bool = False) -> Iterator[Cluster]:
    """Yield hosts whose servers answer, with so many workers."""
    named = [f"worker{number}" for number in range(1, workers + 1)]
    with hosts(["server", "provider", "flow", *named], folder / "logs") as made:
        ours = Cluster(folder, made, named, stored)
        provider = [sys.executable, __file__, "--provide", made["provider"].address, "--log", ours.log,
                    "--latency", str(latency_seconds)]  # fmt: skip
        made["provider"].start("provider", provider, ours.environment("provider", "provider", shared=False))
        start_database(made["server"], folder / "database")
        if stored:
            start_store(made["provider"])
        env = ours.environment("server", "server")
        prefect = {
            **env,
            "PREFECT_API_DATABASE_CONNECTION_URL": f"postgresql+asyncpg://demur@127.0.0.1:{POSTGRES}/prefect",
        }
        made["server"].start(
            "prefect", [script("prefect"), "server", "start", "--host", "0.0.0.0", "--port", str(PREFECT)], prefect
        )
        made["server"].start(
            "scheduler", [script("dask"), "scheduler", "--no-dashboard", "--port", str(SCHEDULER)], env
        )
        wait_for(folder / "logs" / "scheduler.log", "Scheduler at")
        for name in named:
            ours.start_worker(name)
        wait_for(folder / "logs" / "prefect.log", "Check out the dashboard")
        for name in named:
            wait_for(folder / "logs" / f"{name}.log", "Registered to")
        yield ours


def start_store(host: Host) -> None:
    """Start moto's server of S3, with one bucket."""
    host.start("store", [script("moto_server"), "-H", "0.0.0.0", "-p", str(STORE)], dict(os.environ))
    wait_for(host.logs / "store.log", "Running on")
    made = ["curl", "--silent", "--fail", "--request", "PUT", f"http://{host.address}:{STORE}/{NAME}"]
    if host.start("bucket", made, dict(os.environ)).wait(30):
        raise RuntimeError("the store makes no bucket")


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


def write_round(folder: Path, provider: Host, bases: int, per_minute: int | None, **changes: Any) -> Path:
    """Write a round whose models are at the provider's host, under a cap and limits."""
    path = write_simulated(
        folder, PORT, bases=bases, name=NAME, round_id=NAME, **{"shard_size": 40, "shards_at_once": 4} | changes
    )
    config = yaml.safe_load(path.read_text().replace("127.0.0.1", provider.address))
    config["budget"] = {"max_usd": MAX_USD}
    for model in config["models"]:
        model["limits"] |= {"concurrency": CONCURRENCY, "requests_per_minute": per_minute}
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return path


@dataclass(slots=True)
class Disturbance:
    """Which hosts are killed, and at which request."""

    moments: list[tuple[int, str]]
    done: list[list[object]]

    @classmethod
    def drawn(cls, requests: int, workers: list[str], worker_kills: int, flow_kills: int, seed: int) -> "Disturbance":
        """Return seeded moments, in their order."""
        rng = random.Random(seed)
        victims = [rng.choice(workers) for _ in range(worker_kills)] + ["flow"] * flow_kills
        return cls(sorted((rng.randrange(1, max(2, int(requests * 0.95))), victim) for victim in victims), [])


def disturbed(ours: Cluster, config: Path, planned: Disturbance) -> int:
    """Run the round to its end, killing hosts on the way; return how often its command was started."""
    starts, deadline = 1, time.monotonic() + LONGEST_SECONDS
    before = len(asked(ours.log))
    flow = ours.start_flow("many", config)
    waiting = list(planned.moments)
    while time.monotonic() < deadline:
        sent = len(asked(ours.log)) - before
        if waiting and sent >= waiting[0][0]:
            at, victim = waiting.pop(0)
            ours.hosts[victim].kill()
            planned.done.append([len(planned.done) + 1, victim, at, sent])
            print(
                f"{len(planned.done)} of {len(planned.moments)}: {victim} at {sent} requests",
                file=sys.stderr,
                flush=True,
            )
            time.sleep(2)
            ours.hosts[victim].join()
            if victim == "flow":
                flow, starts = ours.start_flow("many", config), starts + 1
            else:
                ours.start_worker(victim)
        elif flow.poll() is not None:
            said = (ours.folder / "logs" / "flow-many.log").read_text()[-3000:]
            if flow.returncode:
                raise RuntimeError(f"the round ended with status {flow.returncode}:\n{said}")
            return starts
        time.sleep(0.1)
    raise TimeoutError("the round did not end")


def most_in_a_minute(requests: list[Asked]) -> dict[str, int]:
    """Return, by model, the most requests in any 60 seconds."""
    times: dict[str, list[float]] = defaultdict(list)
    for one in requests:
        times[one.model].append(one.at)
    found: dict[str, int] = {}
    for model, at in times.items():
        first = 0
        for last, moment in enumerate(at):
            while moment - at[first] > 60:
                first += 1
            found[model] = max(found.get(model, 0), last - first + 1)
    return found


def check(ours: Cluster, alone: list[Asked], many: list[Asked], kills: int, per_minute: int) -> bool:
    """Print what the provider saw, and return whether nothing was bought beyond what was under way at the kills."""
    [(kept, counted)] = _ledger(ours.home("many"))
    twice = sum((Counter(one.digest for one in many) - Counter(one.digest for one in alone)).values())
    most = max(most_in_a_minute(many).values())
    models = len({one.model for one in many})
    allowed = kills * CONCURRENCY * models
    limit = per_minute * 61 / 60
    charged = sum(one.usd for one in many)
    rows: list[tuple[str, object, object, bool]] = [
        ("requests of the one-machine round", len(alone), "", True),
        ("requests with hosts killed", len(many), "", True),
        ("of these beyond those of one machine", twice, f"{allowed}: under way at {kills} kills", twice <= allowed),
        ("answers that the ledger holds", kept, "", True),
        ("charged by the provider, USD", f"{charged:.4f}", MAX_USD, charged <= MAX_USD),
        ("counted against the cap, USD", f"{counted:.4f}", MAX_USD, counted <= MAX_USD),
        ("most requests of a model in any minute", most, f"{limit:.0f}", most <= limit),
    ]
    shown = [[*row[:3], "yes" if row[3] else "**no**"] for row in rows]
    show("What the provider saw", ["what", "found", "allowed", "holds"], shown)
    return all(row[3] for row in rows)


def _ledger(home: Home) -> list[tuple[int, float]]:
    with reading(home, "loader", wait_seconds=30) as con:
        [(kept,)] = con.execute(ANSWERED).fetchall()
        [(counted,)] = con.execute("SELECT coalesce(sum(counted_usd), 0) FROM spending").fetchall()
    return [(int(kept), float(counted))]


def prove(folder: Path, a: argparse.Namespace) -> bool:
    """Run both rounds and return whether all that is to hold does."""
    with cluster(folder, a.workers, a.latency, a.store) as ours:
        config = write_round(folder, ours.hosts["provider"], a.bases, a.per_minute)
        began = time.monotonic()
        flow = ours.start_flow("alone", config, shared=False)
        if flow.wait(timeout=LONGEST_SECONDS):
            raise RuntimeError((folder / "logs" / "flow-alone.log").read_text()[-3000:])
        alone, took = asked(ours.log), time.monotonic() - began
        planned = Disturbance.drawn(len(alone), ours.workers, a.worker_kills, a.flow_kills, a.seed)
        began = time.monotonic()
        starts = disturbed(ours, config, planned)
        many, took_many = asked(ours.log)[len(alone) :], time.monotonic() - began
        print(f"{machine()}; {a.bases} bases, {a.workers} workers, seed {a.seed}; alone {took:.0f} s, over hosts "
              f"{took_many:.0f} s with {starts} starts of the command")  # fmt: skip
        show("Hosts killed", ["kill", "host", "planned at request", "at request"], planned.done)
        same = compare(ours.home("alone"), ours.home("many"))
        return check(ours, alone, many, len(planned.done), a.per_minute) and same


def scaling(folder: Path, workers: int) -> None:
    """Print how many requests a second workers make together, as ever fewer of them work on the same stage.

    Each has one shard of so many units at a time, which are all under way at once.
    """
    with cluster(folder, workers, SCALING_LATENCY_SECONDS) as ours:
        config = write_round(folder, ours.hosts["provider"], 12, None, shard_size=SCALING_SHARD)
        written = yaml.safe_load(config.read_text())
        for model in written["models"]:
            model["limits"]["concurrency"] = 200
        config.write_text(yaml.safe_dump(written, sort_keys=False))
        rows: list[list[object]] = []
        for number in range(workers, 0, -1):
            before = len(asked(ours.log))
            ours.start_flow("many", config)
            made = _generated(ours, before)
            seconds = made[-1].at - made[0].at + SCALING_LATENCY_SECONDS
            rows.append([number, len(made), f"{seconds:.1f}", f"{len(made) / seconds:.2f}"])
            ours.hosts["flow"].kill()
            ours.hosts[ours.workers[number - 1]].kill()
            time.sleep(15)  # what the dead held is free again
            ours.hosts["flow"].join()
            shutil.rmtree(folder / "many", ignore_errors=True)
        print(machine())
        show("Requests of generators", ["workers", "requests", "s", "requests a second"], rows)


def _generated(ours: Cluster, before: int) -> list[Asked]:
    """Return the requests to generators, once verifiers are asked."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < deadline:
        sent = asked(ours.log)[before:]
        models = [one.model.partition("/")[0] for one in sent]
        first = models.index("recipes") if "recipes" in models else len(models)  # a worker may end a shard of before
        if "verifier" in models[first:]:
            return [one for one, model in zip(sent, models, strict=True) if model == "recipes"]
        time.sleep(0.5)
    raise TimeoutError("generators were not done")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bases", type=int, default=14)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--worker-kills", type=int, default=10)
    parser.add_argument("--flow-kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--per-minute", type=int, default=300, help="requests that each model takes")
    parser.add_argument("--store", action="store_true", help="keep the home in S3")
    parser.add_argument("--scaling", action="store_true", help="measure throughput instead")
    parser.add_argument("--keep", type=Path, help="a folder that keeps homes and logs")
    parser.add_argument("--provide", help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.provide:
        provide(a.provide, a.log, a.latency)
        return
    if os.geteuid() or not shutil.which("ip"):
        raise SystemExit("hosts.py makes network namespaces: it needs root and `ip` (Debian: iproute2)")
    with tempfile.TemporaryDirectory(prefix="demur-hosts-", ignore_cleanup_errors=True) as made:
        folder = a.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        if a.scaling:
            scaling(folder, a.workers)
            return
        holds = prove(folder, a)
    print("\nThe same, within cap and limits." if holds else "\nNOT the same.")
    raise SystemExit(0 if holds else 1)


if __name__ == "__main__":
    main()
