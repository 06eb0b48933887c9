"""Time of every view of results over a million responses.

    python benchmarks/views.py [--responses 1000000]

Fills a warehouse of its own with rounds of 1,600 items and 30 respondents each: items, responses and judgements as
rows made in SQL, and what the score stage lands (scores, counts, pairs, bins) by that stage's own code for the first
round, copied to the others. Each view is then read whole, three times, in a fresh read-only connection; the table shows
the rows and the medians.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from simulated_respondents import Respondent, simulate

from demur.scoring.table_rows import Bootstrap, scored_rows
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection

RESPONDENTS, SOURCES, PER_SOURCE, SEED, BOUND_SECONDS = 30, 100, 16, 20_261_121, 1.0
DOMAINS, LEVERS = 5, 10
PER_ROUND = RESPONDENTS * SOURCES * PER_SOURCE

ROUND = """
INSERT INTO rounds
SELECT $round, 'bench', 1, 'single', 100, ['s'], ['g'], ['v'], $models, ['judge'],
    json_object('models', list_transform($models, lambda m: json_object('name', m, 'tags', json_object(
        'family', m[:5], 'parameters_billion', 7))), 'response_replicates', 1),
    'c', 'd', 'finished', TIMESTAMP '2026-11-01', NULL
"""
ITEMS = """
INSERT INTO items
SELECT $round, $round || item_id, $round || item_id, 'perturbed', source_id, item_id, class, intensity, lever_id,
    lever_id, 'g', expected, 'q', ['a'], []
FROM judged WHERE model = $models[1]
"""
RESPONSES = """
INSERT INTO responses
SELECT $round, $round || model || item_id, NULL, $round || model || item_id, $round || item_id, source_id, class,
    intensity, model, 0, 'some text', confidence
FROM judged
"""
JUDGEMENTS = """
INSERT INTO judgements
SELECT $round, $round || 'j' || model || item_id, NULL, $round || model || item_id, $round || item_id, class, intensity,
    model, 'judge', predicted, false, NULL, NULL, NULL, NULL, correct, NULL, NULL
FROM judged
"""
REWARDS = """
INSERT INTO rewards
SELECT $round, $round || 'w' || model || item_id, 'selective_refusal', 'answer', $round || model || item_id, 0.5, model
FROM judged
"""
UNITS = """
INSERT INTO units
SELECT $round, 'assemble', unit_id, 0 FROM items WHERE round_id = $round
UNION ALL SELECT $round, 'respond', unit_id, 0 FROM responses WHERE round_id = $round
UNION ALL SELECT $round, 'judge', unit_id, 0 FROM judgements WHERE round_id = $round
UNION ALL SELECT $round, 'reward', unit_id, 0 FROM rewards WHERE round_id = $round
UNION ALL SELECT $round, 'score', $round || 'score', 0
"""


def judged_responses() -> pd.DataFrame:
    """One round's responses by all respondents to the same items."""
    frames = []
    for at in range(RESPONDENTS):
        respondent = Respondent(f"model-{at:02}", 0.05 + 0.01 * at, 0.4 - 0.01 * at, 0.6, 0.7, 0.01, 0.2)
        frames.append(simulate(respondent, SOURCES, PER_SOURCE, SEED + at))
    items = frames[0][["class", "intensity", "expected"]]
    everything = pd.concat([frame.assign(**{name: items[name] for name in items}) for frame in frames])
    number = everything["item_id"].str[1:].astype(int)
    everything["domain"] = ("domain-" + (everything["source_id"].str[1:].astype(int) % DOMAINS).astype(str)).to_numpy()
    lever = everything["class"] + "." + everything["intensity"] + "." + (number % LEVERS).astype(str)
    return everything.assign(
        lever_id=lever, judge="judge", replicate=0, layout="single", kind="perturbed", language=None, eligible=None,
        supported_all=None, supported_relevant=None,
    ).reset_index(drop=True)  # fmt: skip


def fill(con: Connection, rounds: int) -> None:
    judged = judged_responses()
    tables = scored_rows(judged, Bootstrap(100, SEED), {})
    landed = {
        Table(name): to_arrow(
            Table(name), [{"round_id": "first", "unit_id": "firstscore", **row} for row in rows], name
        )
        for name, rows in tables.items()
        if rows
    }
    con.register("judged", judged.astype({"correct": "boolean"}))
    models = sorted(judged["model"].unique())
    for at in range(rounds):
        name = f"round-{at:03}"
        both = {"round": name, "models": models}
        con.execute(ROUND, both)
        con.execute(ITEMS, both)
        for text in (RESPONSES, JUDGEMENTS, REWARDS, UNITS):
            con.execute(text, {"round": name})
        for table, rows in landed.items():
            con.register("landed", rows)
            con.execute(
                f"INSERT INTO {table.value} BY NAME "
                "SELECT * REPLACE ($round AS round_id, $round || 'score' AS unit_id) FROM landed",
                {"round": name},
            )

    for name in ("judged", "landed"):
        con.unregister(name)


def timed(home: Home, view: str) -> tuple[int, float, float]:
    """Return the rows of a view, and the medians of wall and CPU seconds of reading all of them into Arrow."""
    wall, busy, rows = [], [], 0
    for _ in range(3):
        with reading(home) as con:
            started, worked = time.perf_counter(), time.process_time()
            rows = con.sql(f'SELECT * FROM "{view}"').to_arrow_table().num_rows
            wall.append(time.perf_counter() - started)
            busy.append(time.process_time() - worked)
    return rows, statistics.median(wall), statistics.median(busy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--view", help="only this one")
    arguments = parser.parse_args()
    rounds = max(1, int(np.ceil(arguments.responses / PER_ROUND)))
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        with writing(home, wait_seconds=0) as con:
            fill(con, rounds)
            found = con.execute(
                "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main' ORDER BY ALL"
            ).fetchall()
            counts = con.execute("SELECT count(*) FROM responses UNION ALL SELECT count(*) FROM scores").fetchall()
        publish(home)
        print(f"{counts[0][0]:,} responses in {rounds} rounds, {counts[1][0]:,} scores\n")
        print("| view | rows | seconds | CPU seconds |\n|---|---:|---:|---:|")
        slow = []
        for (view,) in found:
            if arguments.view in (None, view):
                rows, seconds, busy = timed(home, view)
                print(f"| `{view}` | {rows:,} | {seconds:.2f} | {busy:.2f} |", flush=True)
                slow += [view] if seconds > BOUND_SECONDS else []
        print(f"\nover {BOUND_SECONDS:g} s: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
