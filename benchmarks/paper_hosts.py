"""A round of the published benchmark's kind over hosts: requests to the store, the store's bytes, both by kind.

    sudo python benchmarks/paper_hosts.py CORPUS [--share 0.3] [--replicates 1] [--workers 3]

The round is that of `paper.py`, and CORPUS too. Hosts are those of `hosts.py`: network namespaces, the home in a store,
the state in PostgreSQL, shards on workers of Dask. Nobody is killed.

Requests are those of the store's log, by kind of object; a POST deletes several. Bytes are those of the objects that
the store holds at the end.
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from cluster import BUCKET, STORE, Cluster, cluster
from demur_process import machine, show
from hosts import machine_seconds
from noted_provider import PORT
from paper import BY_STAGE, LONGEST_SECONDS, write_paper

from demur.warehouse.query import query

HOME = "many"
"""The home's name in the bucket."""
_REQUEST = re.compile(rf'"(GET|PUT|POST|HEAD|DELETE) /{BUCKET}/?(\S*) HTTP')
LISTING = """
import sys, boto3
pages = boto3.client("s3", endpoint_url=sys.argv[1]).get_paginator("list_objects_v2").paginate(Bucket=sys.argv[2])
for page in pages:
    for one in page.get("Contents", []):
        print(one["Size"], one["Key"])
"""
METHODS = ("PUT", "POST", "LIST", "GET", "HEAD", "DELETE")


def kind_of(key: str) -> str:
    """Return the folder of a home that an object is of, of the archive also the one below its round."""
    first, *more = key.removeprefix(f"{HOME}/").split("/")
    return f"{first}/{more[1]}" if first == "archive" and len(more) > 1 else first or "bucket"


def requests(log: str) -> Counter[tuple[str, str]]:
    """Return the requests of a store's log by kind of object and method; lists are a method of their own."""
    found: Counter[tuple[str, str]] = Counter()
    for method, path in _REQUEST.findall(log):
        key, _, options = unquote(path).partition("?")
        prefix = re.search(r"prefix=([^&]*)", options)
        if "list-type" in options:
            found[kind_of(unquote(prefix[1]) if prefix else ""), "LIST"] += 1
        else:
            found[kind_of(key), method] += 1
    return found


def kept(ours: Cluster) -> Counter[str]:
    """Return the bytes that the store holds by kind of object."""
    endpoint = f"http://{ours.hosts['provider'].address}:{STORE}"
    line = [sys.executable, "-c", LISTING, endpoint, BUCKET]
    if ours.hosts["flow"].start("listing", line, ours.environment(HOME, "flow")).wait(120):
        raise RuntimeError(ours.said("listing"))
    found: Counter[str] = Counter()
    for text in (ours.folder / "logs" / "listing.log").read_text().splitlines():
        size, _, key = text.partition(" ")
        found[kind_of(key)] += int(size)
    return found


def run(folder: Path, a: argparse.Namespace) -> None:
    """Run the round over hosts and print its tables."""
    with cluster(folder, a.workers, a.latency, "dask") as ours:
        config = write_paper(folder, PORT, a.share, a.concurrency, a.replicates)
        config.write_text(config.read_text().replace("127.0.0.1", ours.hosts["provider"].address))
        reached = ["curl", "--silent", "--fail", "--retry", "60", "--retry-all-errors", "--retry-delay", "2"]
        api = ours.environment(HOME, "flow")["PREFECT_API_URL"]
        ours.hosts["flow"].start("health", [*reached, f"{api}/health"], dict(os.environ)).wait(240)
        busy, own, began = machine_seconds(), ours.cpu_seconds(), time.monotonic()
        flow = ours.start_flow(HOME, config, "--corpus", a.corpus)
        if flow.wait(timeout=LONGEST_SECONDS):
            raise RuntimeError(ours.said(f"flow-{HOME}"))
        took, busy, own = time.monotonic() - began, machine_seconds() - busy, ours.cpu_seconds() - own
        bytes_kept, asked = kept(ours), len(ours.log.read())
        sent = requests((folder / "logs" / "store.log").read_text(errors="replace"))
        found = query(ours.loaded(), BY_STAGE, limit=None).rows
        units = {str(stage): int(str(number)) for stage, number in found}
    print(machine())
    kinds = sorted({kind for kind, _ in sent} | set(bytes_kept))
    rows = [
        [kind, *(sent[kind, method] or "" for method in METHODS), f"{bytes_kept[kind] / 1e6:.2f}"] for kind in kinds
    ]
    totals = [sum(sent[kind, method] for kind in kinds) for method in METHODS]
    show("The store", ["kind", *METHODS, "MB at the end"], [*rows, ["all", *totals, f"{bytes_kept.total() / 1e6:.2f}"]])
    summary: list[list[object]] = [
        ["wall, s", f"{took:.0f}"],
        ["cores busy on the machine", f"{busy / took:.2f}"],
        ["CPU of hosts' processes that still ran at the end, s", f"{own:.0f}"],
        ["units", sum(units.values())],
        ["requests to models", asked],
    ]
    show("The whole round", ["", ""], summary)
    print(json.dumps(units))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="as demur round takes it: FILE or FORMAT:FILE")
    parser.add_argument("--share", type=float, default=0.3, help="of the paper's bases and items")
    parser.add_argument("--replicates", type=int, default=1, help="responses to each item")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds of an answer")
    parser.add_argument("--concurrency", type=int, default=64, help="of each model")
    a = parser.parse_args()
    a.corpus = str(Path(a.corpus).resolve())
    if os.geteuid() or not shutil.which("ip"):
        raise SystemExit("paper_hosts.py makes network namespaces: it needs root and `ip` (Debian: iproute2)")
    with tempfile.TemporaryDirectory(prefix="demur-paper-hosts-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        folder.chmod(0o755)
        run(folder, a)


if __name__ == "__main__":
    main()
