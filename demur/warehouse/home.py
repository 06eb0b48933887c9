"""Paths under DEMUR_HOME; nothing here reads or writes a file."""

import re
from dataclasses import dataclass
from pathlib import Path

from demur.warehouse.errors import WarehouseError
from demur.warehouse.store import ObjectStore

QUARANTINE = "quarantine"
JOURNAL_SUFFIX = ".jsonl.gz"
_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def segment(kind: str, value: str) -> str:
    """Return `value` if it is safe as the name of one directory on every system.

    Raises:
        WarehouseError: it is empty, longer than 100 characters, reserved, or has other characters than
            letters, digits, '.', '_' and '-' (the first one a letter or digit).
    """
    if not _SEGMENT.fullmatch(value) or value.endswith(".") or value == QUARANTINE or _DEVICES.fullmatch(value):
        raise WarehouseError(
            f"{kind} {value!r} cannot name a directory: use 1 to 100 letters, digits, '.', '_' or '-', "
            f"a letter or digit first, no '.' last, and not '{QUARANTINE}' or a device name"
        )
    return value


@dataclass(frozen=True, slots=True)
class Home:
    """The directory of warehouse, landing zone, journals, orders and releases.

    With a store, files that must outlive the machine are kept in the store, with their paths here as keys. This
    directory then holds working files only, which can be made again from the store.
    """

    root: Path
    store: ObjectStore | None = None

    @property
    def address(self) -> str:
        """Address named by DEMUR_HOME: the directory, or the store."""
        return str(self.root) if self.store is None else self.store.url

    def key(self, path: Path) -> str:
        """Return the key in the store of what has a path here."""
        return path.relative_to(self.root).as_posix()

    @property
    def published(self) -> Path:
        """The copy that people read."""
        return self.root / "warehouse.duckdb"

    @property
    def loader(self) -> Path:
        """The file that only the loader opens for writing."""
        return self.root / "loader.duckdb"

    @property
    def releases(self) -> Path:
        """Frozen releases, `<name>/<version>/`."""
        return self.root / "releases"

    @property
    def fetched(self) -> Path:
        """Releases copied from addresses, each in a folder named by its manifest's digest."""
        return self.root / "fetched"

    @property
    def data_docs(self) -> Path:
        """Pages that show the results of the gates."""
        return self.root / "data_docs"

    @property
    def locks(self) -> Path:
        """Files that keep two runs of one round apart."""
        return self.root / "locks"

    @property
    def state(self) -> Path:
        """Journals, holds, budgets, batches, limits, progress of the rounds that go on, unless DEMUR_STATE has them."""
        return self.root / "state.db"

    @property
    def state_id(self) -> Path:
        """Identifier of this home among others in the same database."""
        return self.root / "state-id"

    @property
    def spill(self) -> Path:
        """Folder for data that DuckDB spills to disk."""
        return self.root / "tmp"

    def landing(self, round_id: str) -> Path:
        """Landed shards of a round, `<stage>/<shard>/<table>.parquet`."""
        return self.root / "landing" / segment("round", round_id)

    def landed_stage(self, round_id: str, stage: str) -> Path:
        """Landed shards of one stage."""
        return self.landing(round_id) / segment("stage", stage)

    def landed_shard(self, round_id: str, stage: str, shard: str) -> Path:
        """Landing folder of one shard."""
        return self.landed_stage(round_id, stage) / segment("shard", shard)

    @property
    def archive(self) -> Path:
        """Data that the loader took in, as `<round>/`; the source for making the loader's file again."""
        return self.root / "archive"

    def archived_plan(self, round_id: str, stage: str) -> Path:
        """The plan of a stage in a store, where orders are no part of the home."""
        return self.archive / segment("round", round_id) / "plans" / f"{segment('stage', stage)}.parquet"

    def archived_tables(self, round_id: str) -> Path:
        """A round's rows of tables in which no units land, `<table>.parquet`."""
        return self.archive / segment("round", round_id) / "tables"

    def archived_shards(self, round_id: str, stage: str) -> Path:
        """Loaded shards of a stage, `<shard>.<landing id>/<table>.parquet`."""
        return self.archive / segment("round", round_id) / "shards" / segment("stage", stage)

    def stored_shard(self, round_id: str, stage: str, shard: str, landing_id: str) -> Path:
        """Landing place of a shard in a store, `<table>.parquet`; one request lists the landed files."""
        return self.archived_shards(round_id, stage) / segment("shard", shard) / landing_id

    def archived_journals(self, round_id: str, stage: str) -> Path:
        """Folded journals of a stage, `<journal>.jsonl.gz`."""
        return self.archive / segment("round", round_id) / "journals" / segment("stage", stage)

    def archived_journal(self, round_id: str, stage: str, journal: str) -> Path:
        """A folded journal, named as in `calls.journal`."""
        return self.archived_journals(round_id, stage) / f"{journal}{JOURNAL_SUFFIX}"

    def journals(self, round_id: str, stage: str) -> Path:
        """Journals of a stage's shards, `<shard>.jsonl` or `<shard>.<anything>.jsonl`."""
        return self.root / "journals" / segment("round", round_id) / segment("stage", stage)

    def orders(self, round_id: str, stage: str) -> Path:
        """The plan of a stage and the orders cut from it, `plan.parquet` and `<shard>.parquet`."""
        return self.root / "orders" / segment("round", round_id) / segment("stage", stage)
