"""How often a landed row is kept: tables in the loader's file, or views over the Parquet files of the archive.

    python benchmarks/copies.py [--responses 1000000]

One round of respondents and a judge, in three forms of the loader's file: `responses` and `judgements` as tables; as
views over one file each (compacted at a stage's end); as views over the files of shards of 500 units. The table shows
wall seconds, the median of three: the gates of respond and judge, what is pending, whether a shard's units have landed
(asked for every shard that is loaded), and publishing one plain file; then megabytes. A second table shows what the
score stage takes to name all rows when it plans, and to read them when it works.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from demur_process import machine, show

from demur.flows.stages.responses.judge import JUDGE
from demur.flows.stages.responses.respond import RESPOND
from demur.flows.stages.responses.score import SCORE
from demur.warehouse.arrow_rows import write_table
from demur.warehouse.connection import reading, writing
from demur.warehouse.gates import GateBounds
from demur.warehouse.gates.results import judged
from demur.warehouse.home import Home
from demur.warehouse.statements import named_frame, relation, row_set, statement
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection

RESPONDENTS, SHARD = 25, 500
TABLES = (Table.RESPONSES, Table.JUDGEMENTS)
BOUNDS = GateBounds(acceptance=0, coverage=0, balance=0, screening=0, invalid=1)
FILL = """
INSERT INTO rounds
SELECT 'r', 'bench', 1, 'single', 100, [], ['g'], ['v'], list_transform(range(25), lambda m: 'model-' || m), ['judge'],
    '{"response_replicates": 1}', 'c', 'd', 'open', TIMESTAMP '2026-11-01', NULL, NULL;
INSERT INTO items BY NAME
SELECT 'r' AS round_id, md5('i' || i) AS unit_id, md5('i' || i) AS item_id, 'perturbed' AS kind,
    md5('b' || i // 16) AS base_id, 'P-Ambiguity' AS class, 'LOW' AS intensity, 'ANSWER_CORRECTLY' AS expected,
    'q' AS question, ['a'] AS answers, [] AS passages
FROM range($items) t(i);
CREATE TEMP TABLE asked AS
SELECT item_id, base_id, class, intensity, 'model-' || m AS respondent, md5(item_id || m) AS response_id,
    repeat(md5(item_id || m), 12) AS response
FROM items, range(25) t(m);
INSERT INTO responses BY NAME
SELECT 'r' AS round_id, response_id AS unit_id, md5('c' || response_id) AS call_id, response_id, item_id, base_id,
    class, intensity, respondent, 0 AS replicate, response
FROM asked;
INSERT INTO judgements BY NAME
SELECT 'r' AS round_id, md5('j' || response_id) AS unit_id, md5('d' || response_id) AS call_id, response_id, item_id,
    class, intensity, respondent, 'judge' AS judge, 'ANSWER_ATTEMPT' AS predicted, false AS several_codes,
    5 AS quality, true AS correct, repeat('because ', 20) AS explanation, [] AS other_codes
FROM asked;
INSERT INTO units SELECT 'r', 'assemble', unit_id, row_number() OVER () FROM items;
INSERT INTO units SELECT 'r', 'respond', unit_id, row_number() OVER () FROM responses;
INSERT INTO units SELECT 'r', 'judge', unit_id, row_number() OVER () FROM judgements;
"""


def filled(home: Home, responses: int) -> None:
    """Make the round, its archive by shards and compacted, and a plan of the judge."""
    archive = home.root / "shards"
    with writing(home, wait_seconds=0) as con:
        for text in FILL.split(";\n")[:-1]:
            con.execute(text, {"items": responses // RESPONDENTS} if "$items" in text else None)
        con.execute("DROP TABLE asked")
        for table in TABLES:
            rows = con.sql(f"FROM {table}").to_arrow_table()
            for at in range(0, rows.num_rows, SHARD):
                folder = archive / str(at // SHARD)
                folder.mkdir(parents=True, exist_ok=True)
                write_once(rows.slice(at, SHARD), folder / f"{table}.parquet")
            write_table(rows, home.root / f"{table}.parquet")
        path = home.plan("r", "judge")
        path.parent.mkdir(parents=True)
        plan = "SELECT unit_id, ordinal, repeat('x', 2000) AS payload FROM units WHERE stage = 'judge' ORDER BY ordinal"
        con.execute(f"COPY ({plan}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
        con.execute("CHECKPOINT")


def write_once(rows: pa.Table, path: Path) -> None:
    """Write a shard's file without waiting for the disk."""
    pq.write_table(rows, path, compression="zstd", compression_level=3)


def as_views(home: Home, made: Home, files: Callable[[Table], str]) -> None:
    """Make a home whose loader's file has views in the place of the two tables."""
    made.root.mkdir()
    with writing(made, wait_seconds=0) as con:
        con.execute(f"ATTACH '{home.loader}' AS old (READ_ONLY)")
        for table in (Table.ROUNDS, Table.ITEMS, Table.UNITS):
            con.execute(f"INSERT INTO {table} BY NAME FROM old.main.{table}")
        con.execute("DETACH old")
        for table in TABLES:
            con.execute(f"DROP TABLE {table}")
            con.execute(f"CREATE VIEW {table} AS FROM read_parquet('{files(table)}')")
        con.execute("CHECKPOINT")


def seconds(work: Callable[[], object]) -> float:
    """Return the median of three times."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def gates(home: Home) -> None:
    """Hold both stages against their gates, as a round does."""
    with reading(home, "loader", memory_limit="256MB") as con:
        con.execute("SET threads = 2")
        for stage in (RESPOND, JUDGE):
            failed = [found for found in judged(con, stage.gate, "r", BOUNDS) if not found.success]
            assert not failed, failed


def ask(home: Home, work: Callable[[Connection], object]) -> None:
    """Ask the loader's file."""
    with reading(home, "loader") as con:
        work(con)


def known_units(con: Connection, shard: str) -> None:
    """Find the units of a shard that the table has already."""
    with relation(con, f"landed_{Table.JUDGEMENTS}", pq.read_table(shard)):
        con.execute(statement("repeated_units", Table.JUDGEMENTS)).fetchall()


def published(home: Home, views: bool) -> None:
    """Make one plain file: a copy, and where there are views, tables in their place."""
    draft = home.root / "draft.duckdb"
    draft.unlink(missing_ok=True)
    shutil.copyfile(home.loader, draft)
    if views:
        import duckdb

        with duckdb.connect(str(draft), config={"memory_limit": "1GB"}) as con:
            for table in TABLES:
                con.execute(f"CREATE TABLE made AS FROM {table}; DROP VIEW {table}; ALTER TABLE made RENAME TO {table}")
    with draft.open("rb") as file:
        os.fsync(file.fileno())


def row(home: Home, label: str, kept: int, views: bool) -> list[object]:
    """Return what a form of the loader's file takes."""
    plan, shard = str(home.plan("r", "judge")), str(home.root / "shards" / "0" / "judgements.parquet")
    pending = lambda con: con.execute(statement("pending_units", Table.JUDGEMENTS), {"plan": plan}).fetchnumpy()  # noqa: E731
    known = lambda con: known_units(con, shard)  # noqa: E731
    found = [
        seconds(lambda: gates(home)),
        seconds(lambda: ask(home, pending)),
        seconds(lambda: ask(home, known)),
        seconds(lambda: published(home, views)),
    ]
    return [label, *(f"{one:.2f}" for one in found), f"{(home.loader.stat().st_size + kept) / 1e6:,.0f}"]


def named(home: Home) -> list[object]:
    """Return the seconds in which all judged responses are named, and named again and read, and megabytes of them."""
    rows = SCORE.folder / "plan.sql"
    values = ["r", None, None]
    with reading(home, "loader") as con:
        started = time.perf_counter()
        found = row_set(con, rows, values)
        planned = time.perf_counter()
        frame = named_frame(con, rows, values, found)
        ended = time.perf_counter()
    megabytes = frame.memory_usage(deep=True).sum() / 1e6
    return [f"{found.rows:,}", f"{planned - started:.1f}", f"{ended - planned:.1f}", f"{megabytes:,.0f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = Home(Path(folder) / "tables")
        base.root.mkdir()
        filled(base, arguments.responses)
        shards = sum(path.stat().st_size for path in (base.root / "shards").rglob("*.parquet"))
        compacted = sum((base.root / f"{table}.parquet").stat().st_size for table in TABLES)
        rows = [row(base, "tables", shards, views=False)]
        score = named(base)
        for label, kept, files in (
            ("views, one file", compacted, lambda table: base.root / f"{table}.parquet"),
            ("views, files of shards", shards, lambda table: base.root / "shards" / "*" / f"{table}.parquet"),
        ):
            made = Home(Path(folder) / label.replace(" ", "-").replace(",", ""))
            as_views(base, made, files)
            for name in ("shards", "plans"):
                (made.root / name).symlink_to(base.root / name)
            rows.append(row(made, label, kept, views=True))
        columns = ("form", "gates", "pending", "one shard's units", "publishing", "MB with the archive")
        show(f"{arguments.responses:,} responses and as many judgements; {machine()}", columns, rows)
        show("score", ("judged responses", "named, s", "named and read, s", "MB of the frame"), [score])


if __name__ == "__main__":
    main()
