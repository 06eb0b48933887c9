"""A round whose workers are hosts of their own, killed and cut off at seeded moments, beside a round of one machine.

    sudo python benchmarks/hosts.py [--bases 36] [--engine dask|ray] [--workers 3] [--seed 20261122]
                                    [--worker-kills 10] [--flow-kills 5] [--worker-cuts 0] [--flow-cuts 0]
    sudo python benchmarks/hosts.py --scaling           # requests a second with 1, 2 and 3 workers, 2 s each

Hosts are network namespaces (`cluster.py`), they share the home, a folder; their state is in PostgreSQL.

A moment is a number of requests that the provider has answered, drawn uniformly. A host is killed by kill -9 of all its
processes, then its link is cut, for two seconds. A host that is cut off alone loses its link for longer than its
holds last, and its processes go on. What has ended on a host is started anew with the same command.

The cap is at first less than the round costs. Where it stops the round, it is raised, and the command given again.

Afterwards the release is compared with that of a round in one process with its state in files, byte by byte, and so are
calls and units of every table. What was asked again must have been under way on a host when that was killed or cut off;
what was charged is compared with the cap at each stop, and what was asked in any minute with the limit of each model.
Any difference makes the exit status 1.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml
from cluster import ENGINES, Cluster, cluster
from demur_process import machine, show
from kills import ANSWERED, NAME, compare
from noted_provider import PORT, Asked, most_in_a_minute
from simulator_process import write_simulated

from demur.warehouse.connection import reading

CONCURRENCY = 12
LONGEST_SECONDS = 3_600.0
KILLED_SECONDS, CUT_SECONDS = 2.0, 45.0
"""How long a host has no link; one that is cut off alone longer than holds and the engine's patience last."""
STORED_SECONDS = 2.0
"""An answer is stored so soon after it was given, on a busy machine."""
FIRST_CAP, CAP_STEP = 0.5, 0.3
"""Shares of what the round costs on one machine."""
STOPPED_BY_CAP = 3
SCALING_LATENCY_SECONDS, SCALING_SHARD = 2.0, 12


def write_round(folder: Path, provider: str, bases: int, per_minute: int | None, concurrency: int, **more: Any) -> Path:
    """Write a round whose models are at the provider's host, under limits."""
    folder.mkdir(exist_ok=True)
    path = write_simulated(
        folder, PORT, bases=bases, name=NAME, round_id=NAME, **{"shard_size": 40, "shards_at_once": 4} | more
    )
    config = yaml.safe_load(path.read_text().replace("127.0.0.1", provider))
    config["generation"]["replicates"], config["items_per_stratum"] = 2, 8
    config["score_replicates"] = config["fit"]["bootstrap"] = 100
    for model in config["models"]:
        model["parameters"]["max_tokens"] = 2_000
        model["limits"] |= {"concurrency": concurrency, "requests_per_minute": per_minute}
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return path


@dataclass(slots=True)
class Disturbance:
    """A host that is killed or cut off, once the provider has given so many answers; `began`, `ended`: its absence."""

    at: int
    host: str
    is_kill: bool
    began: float = 0.0
    ended: float = float("inf")


@dataclass(frozen=True, slots=True)
class CapStop:
    """A stop of the round by its cap: what the provider had charged, and what the ledger counted."""

    cap_usd: float
    charged_usd: float
    counted_usd: float


def drawn(requests: int, workers: list[str], a: argparse.Namespace) -> list[Disturbance]:
    """Return seeded disturbances in their order."""
    rng = random.Random(a.seed)
    victims = [(rng.choice(workers), True) for _ in range(a.worker_kills)] + [("flow", True)] * a.flow_kills
    victims += [(rng.choice(workers), False) for _ in range(a.worker_cuts)] + [("flow", False)] * a.flow_cuts
    moments = [rng.randrange(1, max(2, int(requests * 0.95))) for _ in victims]
    return sorted(map(lambda at, victim: Disturbance(at, *victim), moments, victims), key=lambda one: one.at)


@dataclass(slots=True)
class DisturbedRound:
    """A round over hosts: what is still to happen to it, and what did."""

    ours: Cluster
    config: Path
    planned: list[Disturbance]
    cost_usd: float
    before: int
    cap_usd: float = 0.0
    done: list[Disturbance] = field(default_factory=list)
    stops: list[CapStop] = field(default_factory=list)
    starts: int = 0
    _flow: "subprocess.Popen[bytes]" = field(init=False)
    _disturbed: bool = False
    _away: dict[str, tuple[Disturbance, float]] = field(default_factory=dict)

    def asked(self) -> list[Asked]:
        """Return what the provider was asked by this round so far."""
        return self.ours.log.read()[self.before :]

    def run(self) -> None:
        """Run the round to its end, disturbing hosts on the way."""
        deadline = time.monotonic() + LONGEST_SECONDS
        self.cap_usd = FIRST_CAP * self.cost_usd
        self._start()
        while not self._has_ended():
            if time.monotonic() > deadline:
                raise TimeoutError("the round did not end")
            self._disturb()
            self._restore()
            time.sleep(0.1)
        for name in list(self._away):
            self._rejoin(name)

    def _start(self) -> None:
        self.starts += 1
        self._flow = self.ours.start_flow("many", self.config, "--max-usd", f"{self.cap_usd:.6f}")
        self._disturbed = False

    def _disturb(self) -> None:
        sent = len(self.asked())
        if not self.planned or sent < self.planned[0].at or self.planned[0].host in self._away:
            return
        one = self.planned.pop(0)
        host = self.ours.hosts[one.host]
        one.began = time.time()
        if one.is_kill:
            host.kill()
        else:
            host.cut()
        self._disturbed |= one.host == "flow" or not one.is_kill
        self.done.append(one)
        self._away[one.host] = one, time.monotonic() + (KILLED_SECONDS if one.is_kill else CUT_SECONDS)
        self._say(f"{'kill' if one.is_kill else 'cut'} {one.host}, planned at {one.at}")

    def _restore(self) -> None:
        """Give links back, and start anew what has ended."""
        for name, (_, back_at) in list(self._away.items()):
            if time.monotonic() > back_at:
                self._rejoin(name)
        for name in self.ours.workers:
            if name not in self._away and not self.ours.hosts[name].is_running(name):
                self._say(f"start {name}")
                self.ours.start_worker(name)

    def _rejoin(self, name: str) -> None:
        one, _ = self._away.pop(name)
        self.ours.hosts[name].join()
        one.ended = time.time()

    def _has_ended(self) -> bool:
        """Return whether the round's command is done; one that was stopped is given again."""
        status = self._flow.poll()
        if status is None or "flow" in self._away:
            return False
        if status == 0:
            return True
        if status == STOPPED_BY_CAP:
            charged = sum(one.usd for one in self.asked())
            _, counted = ledger(self.ours)
            self.stops.append(CapStop(self.cap_usd, charged, counted))
            self.cap_usd += CAP_STEP * self.cost_usd
            self._say(f"cap {self.stops[-1]}")
        elif not self._disturbed:
            raise RuntimeError(f"the round ended with status {status}:\n{self.ours.said('flow-many')}")
        else:
            self._say(f"status {status}: {self.ours.said('flow-many')[-600:]}")
        self._start()
        return False

    def _say(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {len(self.asked())}: {text}", file=sys.stderr, flush=True)


def ledger(ours: Cluster) -> tuple[int, float]:
    """Return how many answers the warehouse holds, and what counts against the cap."""
    with reading(ours.home("many"), "loader", wait_seconds=30) as con:
        [(kept,)] = con.execute(ANSWERED).fetchall()
        [(counted,)] = con.execute("SELECT coalesce(sum(counted_usd), 0) FROM spending").fetchall()
    return int(kept), float(counted)


def asked_again(alone: Sequence[Asked], many: Sequence[Asked]) -> list[list[Asked]]:
    """Return the requests that hosts made more often than one machine: of each all that were made."""
    usual = Counter(one.digest for one in alone)
    made: dict[str, list[Asked]] = defaultdict(list)
    for one in many:
        made[one.digest].append(one)
    return [requests for digest, requests in made.items() if len(requests) > usual[digest]]


def was_under_way(one: Asked, addresses: dict[str, str], done: Sequence[Disturbance]) -> bool:
    """Return whether a request's host was killed or cut off before its answer can have been stored."""
    return any(
        addresses[event.host] == one.host and one.at <= event.ended and one.answered_at >= event.began - STORED_SECONDS
        for event in done
    )


def check(ran: DisturbedRound, alone: list[Asked], per_minute: int) -> bool:
    """Print what the provider saw, and return whether nothing was bought beyond what was under way."""
    many, done = ran.asked(), ran.done
    addresses = {name: host.address for name, host in ran.ours.hosts.items()}
    again = asked_again(alone, many)
    unexplained = [one for one in again if not any(was_under_way(each, addresses, done) for each in one[:-1])]
    more, bound = len(many) - len(alone), len(done) * CONCURRENCY * 2
    most = most_in_a_minute(many)
    charged, (kept, counted) = sum(one.usd for one in many), ledger(ran.ours)
    rows: list[tuple[str, object, object, bool]] = [
        ("requests of the one-machine round", len(alone), "", True),
        ("requests over hosts", len(many), "", True),
        ("more than on one machine", more, f"{bound}: {CONCURRENCY} of two models at each", more <= bound),
        ("of these not under way on a disturbed host", len(unexplained), 0, not unexplained),
        ("answers that the ledger holds", kept, "", True),
        ("most requests of a model in any minute", max(most.values()), per_minute, max(most.values()) <= per_minute),
        ("charged by the provider at the end, USD", f"{charged:.2f}", f"{ran.cap_usd:.2f}", charged <= ran.cap_usd),
        ("counted against the cap at the end, USD", f"{counted:.2f}", f"{ran.cap_usd:.2f}", counted <= ran.cap_usd),
    ]
    for number, stop in enumerate(ran.stops, start=1):
        found = f"{stop.charged_usd:.2f} / {stop.counted_usd:.2f}"
        held = max(stop.charged_usd, stop.counted_usd) <= stop.cap_usd
        rows.append((f"stop {number} by the cap: charged / counted, USD", found, f"{stop.cap_usd:.2f}", held))
    shown = [[*row[:3], "yes" if row[3] else "**no**"] for row in rows]
    show("What the provider saw", ["what", "found", "allowed", "holds"], shown)
    for requests in unexplained[:5]:
        print("asked again:", *requests, sep="\n  ")
    return all(row[3] for row in rows)


def prove(folder: Path, a: argparse.Namespace) -> bool:
    """Run both rounds and return whether all that is to hold does."""
    with cluster(folder, a.workers, a.latency, a.engine) as ours:
        provider = ours.hosts["provider"].address
        began = time.monotonic()
        flow = ours.start_flow("alone", write_round(folder / "alone", provider, a.bases, None, 32))
        if flow.wait(timeout=LONGEST_SECONDS):
            raise RuntimeError(ours.said("flow-alone"))
        alone, took = list(ours.log.read()), time.monotonic() - began
        print(f"alone: {took:.0f} s, {len(alone)} requests", file=sys.stderr, flush=True)
        config = write_round(folder / "many", provider, a.bases, a.per_minute, CONCURRENCY)
        ran = DisturbedRound(
            ours, config, drawn(len(alone), ours.workers, a), sum(one.usd for one in alone), len(alone)
        )
        began = time.monotonic()
        ran.run()
        print(f"{machine()}; {a.engine}, {a.bases} bases, {a.workers} workers, seed {a.seed}; alone {took:.0f} s, over "
              f"hosts {time.monotonic() - began:.0f} s with {ran.starts} starts of the command")  # fmt: skip
        rows = [
            [number, "killed" if one.is_kill else "cut off", one.host, one.at] for number, one in enumerate(ran.done, 1)
        ]
        show("Hosts disturbed", ["", "how", "host", "after answers"], rows)
        if ran.planned:
            print(f"{len(ran.planned)} moments did not come")
        same = compare(ours.home("alone"), ours.home("many"))
        return check(ran, alone, a.per_minute) and same and not ran.planned


def scaling(folder: Path, workers: int, engine: str) -> None:
    """Print how many requests a second workers make together, as ever fewer of them work on the same stage.

    Each has one shard of so many units at a time, which are all under way at once.
    """
    with cluster(folder, workers, SCALING_LATENCY_SECONDS, engine) as ours:
        provider = ours.hosts["provider"].address
        config = write_round(folder / "many", provider, 12, None, 200, shard_size=SCALING_SHARD)
        rows: list[list[object]] = []
        for number in (workers, *range(workers, 0, -1)):  # the first run lets the provider work its answers out
            before = len(ours.log.read())
            ours.start_flow(f"many{len(rows)}", config)
            made, busy, own = generated(ours, before)
            seconds = max(one.answered_at for one in made) - min(one.at for one in made)
            rows.append(
                [number, len(made), f"{seconds:.1f}", f"{len(made) / seconds:.2f}", f"{busy:.2f}", f"{own:.2f}"]
            )
            ours.hosts["flow"].kill()
            if len(rows) > 1:
                ours.hosts[ours.workers[number - 1]].kill()
            time.sleep(15)  # what the dead held is free again
            ours.hosts["flow"].join()
        print(machine())
        columns = ["workers", "requests", "s", "requests a second", "cores busy on the machine", "of these by hosts"]
        show("Requests of generators", columns, rows)


def generated(ours: Cluster, before: int) -> tuple[list[Asked], float, float]:
    """Return the requests to generators, once verifiers are asked, and how many cores were busy meanwhile."""
    deadline = time.monotonic() + LONGEST_SECONDS
    began = None
    while time.monotonic() < deadline:
        sent = sorted(ours.log.read()[before:], key=lambda one: one.at)
        models = [one.model.partition("/")[0] for one in sent]
        first = models.index("recipes") if "recipes" in models else len(models)  # a worker may end a shard of before
        if "recipes" in models and began is None:
            began = time.monotonic(), machine_seconds(), ours.cpu_seconds()
        if began is not None and "verifier" in models[first:]:
            seconds = time.monotonic() - began[0]
            busy, own = machine_seconds() - began[1], ours.cpu_seconds() - began[2]
            made = [one for one, model in zip(sent, models, strict=True) if model == "recipes"]
            return made, busy / seconds, own / seconds
        time.sleep(0.5)
    raise TimeoutError("generators were not done")


def machine_seconds() -> float:
    """Return for how many seconds cores of the machine were busy since it started."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - times.iowait - times.guest - times.guest_nice)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bases", type=int, default=36)
    parser.add_argument("--engine", choices=ENGINES, default="dask")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--worker-kills", type=int, default=10)
    parser.add_argument("--flow-kills", type=int, default=5)
    parser.add_argument("--worker-cuts", type=int, default=0)
    parser.add_argument("--flow-cuts", type=int, default=0)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--per-minute", type=int, default=200, help="requests that each model takes")
    parser.add_argument("--scaling", action="store_true", help="measure throughput instead")
    parser.add_argument("--keep", type=Path, help="a folder that keeps homes and logs")
    a = parser.parse_args()
    if os.geteuid() or not shutil.which("ip"):
        raise SystemExit("hosts.py makes network namespaces: it needs root and `ip` (Debian: iproute2)")
    with tempfile.TemporaryDirectory(prefix="demur-hosts-", ignore_cleanup_errors=True) as made:
        folder = a.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        if a.scaling:
            scaling(folder, a.workers, a.engine)
            return
        holds = prove(folder, a)
    print("\nThe same, within cap and limits." if holds else "\nNOT the same.")
    raise SystemExit(0 if holds else 1)


if __name__ == "__main__":
    main()
