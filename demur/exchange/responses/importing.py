"""Import of responses as a round of the warehouse. The round is scored, and appears in every view of results.

An imported round has only responses and scores: no base instances, items or calls. Importing a file again changes
nothing. A changed response of a newer file replaces the earlier one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from demur.configuration.settings import check_writable, started_by
from demur.engine.context import digest_of
from demur.engine.loading import published_change
from demur.engine.round_lock import round_lock
from demur.errors import FlowError
from demur.exchange.responses.response_file import ResponseFile, read_response_file
from demur.exchange.responses.tool_logs import LogSource, log_records
from demur.programs.installation import scoring_version
from demur.scoring import SEED
from demur.scoring.responses import read_responses
from demur.scoring.table_rows import Bootstrap, scored_rows
from demur.warehouse.home import Home, segment
from demur.warehouse.landing import ShardRows, load_shard
from demur.warehouse.plans import PlanWriter, register_plan
from demur.warehouse.releases.manifest import sha256
from demur.warehouse.round_rows import RoundRow, finish_round, open_round
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

IMPORT: Final = "import"
SCORE: Final = "score"
_KEY: Final = ("source_id", "item_id", "respondent", "language", "replicate", "judge")

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Import:
    """Result of an import: the number of `imported`, `new` and `replaced` responses, and the round's `total`."""

    file: ResponseFile
    imported: int
    new: int
    replaced: int
    total: int
    respondents: tuple[str, ...]


def import_responses(
    home: Home,
    path: Path,
    round_id: str,
    *,
    judge: str,
    strict: bool = False,
    replicates: int = 1_000,
    log: LogSource | None = None,
) -> Import:
    """Import the responses of a file into a round, score the round again, and publish it.

    Args:
        home: the home of the round.
        path: a JSONL file of responses, or another tool's log if `log` is given.
        round_id: a new round, or an imported round to extend.
        judge: the name of the judge that classified the responses.
        strict: stop at the first malformed row.
        replicates: bootstrap replicates of the scores.
        log: tool, release and model of a log.

    Raises:
        FlowError: the file cannot be read, has no valid row, or has a malformed row under `strict`; or demur itself ran
            the round.
        RoundBusyError: another process works on this round.
    """
    check_writable(home.root)
    segment("round", round_id)
    logged = None if log is None else log_records(home, path, log)
    found = read_response_file(path, strict=strict, one_stratum=True, records=logged)
    if not found.rows:
        raise FlowError(f"{path}: {found.malformed[0]}; none of {found.lines} rows can be imported")
    rows = [_row(round_id, judge, row) for row in found.rows]
    with round_lock(home, round_id), published_change(home) as con:
        files = _files(con, round_id, path)
        before = {str(row["response_id"]): row for row in records(con, "live_imported_responses", [round_id])}
        after = {**before, **{str(row["response_id"]): row for row in rows}}
        live = pd.DataFrame([after[response_id] for response_id in sorted(after)])
        _check_strata(live, path, round_id)
        score_unit, scores = _scores(round_id, live, replicates)
        _load(con, round_id, {"imported_responses": rows, **scores})
        _register(con, home, round_id, {IMPORT: sorted(live["unit_id"]), SCORE: [score_unit]})
        open_round(con, _round(round_id, live, files, replicates))
        finish_round(con, round_id)
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
    row = {name: value for name, value in given.items() if name not in ("model", "probability")}
    row |= {"round_id": round_id, "respondent": given["model"], "judge": judge}
    row["response_id"] = digest_of(round_id, IMPORT, *(row[name] for name in _KEY))
    return {**row, "unit_id": digest_of(row)}


def _files(con: Connection, round_id: str, path: Path) -> dict[str, str]:
    """Return the SHA-256 of each file imported into the round, by name. The new file `path` is included."""
    digest = sha256(path)
    for round_ in records(con, "round_origin", [round_id]):
        if not round_["imported"]:
            raise FlowError(
                f"--round {round_id}: is a round that was run here, so its responses cannot change. "
                "Import into another round"
            )
        return {**json.loads(round_["files"]), path.name: digest}
    return {path.name: digest}


def _check_strata(live: pd.DataFrame, path: Path, round_id: str) -> None:
    """Raise FlowError if the file gives an item another stratum than an earlier file of the round."""
    item = ["source_id", "item_id"]
    stratum = ["kind", "class", "intensity"]
    described = live[[*item, *stratum]].drop_duplicates()
    twice = described[described.duplicated(item)]
    if len(twice):
        raise FlowError(
            f"{path}: item_id {twice.iloc[0]['item_id']!r} has another stratum in round {round_id} "
            f"({len(twice)} such items). Repair the file, or import it into another round"
        )


def _scores(round_id: str, live: pd.DataFrame, replicates: int) -> tuple[str, dict[str, list[dict[str, object]]]]:
    """Return the id of the scoring unit, and the score rows by table."""
    unit_id = digest_of(round_id, SCORE, sorted(live["unit_id"]), replicates, scoring_version())
    judged = live.rename(columns={"respondent": "model"}).assign(domain=None, lever_id=None)
    tables = scored_rows(judged, Bootstrap(replicates, SEED), {})
    key = {"round_id": round_id, "unit_id": unit_id}
    return unit_id, {name: [{**key, **row} for row in rows] for name, rows in tables.items()}


def _load(con: Connection, round_id: str, tables: Mapping[str, list[dict[str, object]]]) -> None:
    """Load the rows of all tables into the warehouse in one transaction."""
    shard = digest_of(sorted({str(row["unit_id"]) for rows in tables.values() for row in rows}))
    load_shard(con, ShardRows.of(round_id, IMPORT, shard, tables))


def _register(con: Connection, home: Home, round_id: str, units: Mapping[str, list[str]]) -> None:
    """Register the units of each stage (`units`) as the whole plan of the stage."""
    for stage, planned in units.items():
        with PlanWriter(home, round_id, stage) as writer:
            for unit_id in planned:
                writer.add(unit_id, "")
        register_plan(con, writer.plan)


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
        respondents=sorted(live["respondent"].unique()),
        judges=sorted(live["judge"].unique()),
        config=config,
        config_digest=digest_of(config)[:16],
        started_by=started_by(),
    )
