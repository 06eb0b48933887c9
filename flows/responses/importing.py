"""Responses made elsewhere as a round of the warehouse: landed, scored and shown by every view of results.

An imported round has responses and scores and nothing else: no bases, items or calls. Importing a file again changes
nothing; a response that another file of the round gives otherwise is replaced by the newer one.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from flows.context import LOADER_WAIT_SECONDS, digest_of
from flows.errors import FlowError
from flows.opening import round_lock
from flows.progress import observer
from flows.responses.file import ResponseFile, read_response_file
from flows.scored import Bootstrap, scored_rows
from scoring.responses import read_responses
from warehouse.connection import Connection, writing
from warehouse.home import Home, segment
from warehouse.landing import land
from warehouse.load import load_landed
from warehouse.plans import PlanWriter, register_plan
from warehouse.publish import publish
from warehouse.records import frame, records
from warehouse.rounds import RoundRow, finish_round, open_round

IMPORT: Final = "import"
SCORE: Final = "score"
_KEY: Final = ("source_id", "item_id", "respondent", "language", "replicate", "judge")

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Import:
    """What became of a file: `new` and `replaced` responses among those imported, and the round's total."""

    file: ResponseFile
    imported: int
    new: int
    replaced: int
    total: int
    respondents: tuple[str, ...]


def import_responses(
    home: Home, path: Path, round_id: str, *, judge: str, strict: bool = False, replicates: int = 1_000
) -> Import:
    """Put the responses of a file into an imported round, score the round again, and publish.

    Raises:
        FlowError: the file cannot be read or holds nothing that can be imported, with `strict` at its first malformed
            row; or the round is not an imported one.
        RoundBusyError: another process works on this round.
    """
    segment("round", round_id)
    found = read_response_file(path, strict=strict, one_stratum=True)
    if not found.rows:
        raise FlowError(f"{path}: {found.malformed[0]}; none of {found.lines} rows can be imported")
    rows = [_row(round_id, judge, row) for row in found.rows]
    with round_lock(home, round_id):
        with writing(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().waiting) as con:
            files = _files(con, round_id, path)
            before = {str(row["response_id"]): row for row in records(con, "live_imported_responses", [round_id])}
            _load_responses(con, home, round_id, rows, before)
            live = frame(con, "live_imported_responses", [round_id])
            open_round(con, _round(round_id, live, files, replicates))
            _load_scores(con, home, round_id, live, replicates)
            finish_round(con, round_id)
        publish(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().waiting)
    kept = [before[str(row["response_id"])] for row in rows if row["response_id"] in before]
    units = {str(row["unit_id"]) for row in rows}
    return Import(
        file=found,
        imported=len(rows),
        new=len(rows) - len(kept),
        replaced=sum(row["unit_id"] not in units for row in kept),
        total=len(live),
        respondents=tuple(sorted(live["respondent"].unique())),
    )


def _row(round_id: str, judge: str, given: Row) -> dict[str, object]:
    row = {name: value for name, value in given.items() if name != "model"}
    row |= {"round_id": round_id, "respondent": given["model"], "judge": judge}
    row["response_id"] = digest_of(round_id, IMPORT, *(row[name] for name in _KEY))
    return {**row, "unit_id": digest_of(row)}


def _files(con: Connection, round_id: str, path: Path) -> dict[str, str]:
    """Return the digests of the files that the round came from, this one included, by name."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for round_ in records(con, "round_origin", [round_id]):
        if not round_["imported"]:
            raise FlowError(
                f"--round {round_id}: a round of that name was run here, and its responses stay what they are. "
                "Import into another round"
            )
        return {**json.loads(round_["files"]), path.name: digest}
    return {path.name: digest}


def _load_responses(
    con: Connection, home: Home, round_id: str, rows: list[dict[str, object]], before: Mapping[str, Row]
) -> None:
    """Make the round's responses those that it had and those of the file; of two to one item the file's counts."""
    given = {str(row["response_id"]) for row in rows}
    kept = [str(row["unit_id"]) for response_id, row in before.items() if response_id not in given]
    units = [*kept, *(str(row["unit_id"]) for row in rows)]
    with PlanWriter(home, round_id, IMPORT) as writer:
        for unit_id in units:
            writer.add(unit_id, "")
    register_plan(con, writer.plan)
    shard = digest_of(sorted(units))
    land(home, round_id, IMPORT, shard, {"imported_responses": rows})
    load_landed(con, home, round_id, IMPORT)


def _load_scores(con: Connection, home: Home, round_id: str, live: pd.DataFrame, replicates: int) -> None:
    unit_id = digest_of(round_id, SCORE, sorted(live["unit_id"]), replicates)
    with PlanWriter(home, round_id, SCORE) as writer:
        writer.add(unit_id, "")
    register_plan(con, writer.plan)
    judged = live.rename(columns={"respondent": "model"}).assign(domain=None, lever_id=None)
    tables = scored_rows(judged, Bootstrap(replicates, _seed(round_id)), {})
    key = {"round_id": round_id, "unit_id": unit_id}
    land(home, round_id, SCORE, unit_id, {name: [{**key, **row} for row in rows] for name, rows in tables.items()})
    load_landed(con, home, round_id, SCORE)


def _seed(round_id: str) -> int:
    return int(digest_of("seed", round_id)[:15], 16)


def _round(round_id: str, live: pd.DataFrame, files: Mapping[str, str], replicates: int) -> RoundRow:
    several = read_responses(live.rename(columns={"respondent": "model"})).several_documents.any()
    config = {"imported": dict(files), "score_replicates": replicates}
    return RoundRow(
        round_id=round_id,
        name=round_id,
        seed=_seed(round_id),
        layout="multi" if several else "single",
        bases_wanted=0,
        screeners=(),
        generators=(),
        verifiers=(),
        respondents=sorted(live["respondent"].unique()),
        judges=sorted(live["judge"].unique()),
        config=config,
        config_digest=digest_of(config)[:16],
        catalogue_digest="",
    )
