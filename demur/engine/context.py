"""The context of a round, for every stage: its configuration, id, seed and home."""

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from demur.configuration.corpus import DocumentsChoice
from demur.configuration.round_config import CORPORA, RECORDINGS, RoundConfig
from demur.engine.progress import observer
from demur.engine.round_lock import check_held
from demur.lanes.spec import ModelSpec
from demur.levers.catalogue import Catalogue
from demur.levers.load import load_catalogue
from demur.levers.policies import Policy, load_policy
from demur.programs.recording import SUFFIX
from demur.warehouse.connection import Connection, reading, writing
from demur.warehouse.home import Home
from demur.warehouse.release import Release

LOADER_WAIT_SECONDS: Final = 900.0
"""Time that a round waits while another process has the loader's file open."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file whose lines models grade or judge: its name, its SHA-256, and the stage in which they do.

    `lines` are rows of the table `file_lines`. Only the process that plans the round has them.
    """

    name: str
    sha256: str
    stage: str
    lines: tuple[Mapping[str, object], ...]


@dataclass(frozen=True)
class RoundContext:
    """One round being worked on; small and picklable, so that shards can run elsewhere.

    `folder` is where the configuration's relative paths start; `release` what models are evaluated on, where nothing is
    generated; `file_given` the file whose lines are graded or judged, where nothing else is done; `notes` what whoever
    starts it has to know; `again` says that judgements that could not be read are asked for anew.
    """

    home: Home
    config: RoundConfig
    folder: Path
    round_id: str
    seed: int
    release: Release | None = None
    notes: tuple[str, ...] = ()
    again: bool = False
    file_given: GivenFile | None = None

    def __getstate__(self) -> dict[str, object]:
        """Return what goes to another process: nothing that can be loaded there."""
        given = self.file_given
        sent = {field.name: getattr(self, field.name) for field in fields(self)}
        return sent if given is None else {**sent, "file_given": replace(given, lines=())}

    def file(self, path: Path) -> Path:
        """Return a path of the configuration as one that can be opened: a file from its folder on, or one of ours."""
        return self.own_or_ours(path, Path.is_file, CORPORA / f"{path.name}.jsonl", RECORDINGS / f"{path.name}{SUFFIX}")

    def own_or_ours(self, path: Path, is_there: Callable[[Path], bool], *ours: Path) -> Path:
        """Return where a path of the configuration leads: from its folder on, or, of a bare name, to one of ours."""
        here = path if path.is_absolute() else (self.folder / path).resolve()
        if str(path) != path.stem or is_there(here):
            return here
        return next((one for one in ours if is_there(one)), here)

    def specs(self, names: tuple[str, ...]) -> tuple[ModelSpec, ...]:
        """Return the specs of named models, with files that can be opened."""
        found = (self.config.model_spec(name) for name in names)
        return tuple(self._with_files(spec) for spec in found)

    def _with_files(self, spec: ModelSpec) -> ModelSpec:
        update: dict[str, object] = {} if spec.file is None else {"file": self.file(spec.file)}
        if spec.fallback is not None:
            update["fallback"] = self._with_files(spec.fallback)
        return spec.model_copy(update=update) if update else spec

    @cached_property
    def catalogue(self) -> Catalogue:
        """The levers on offer."""
        choice = self.config.catalogue
        ours: tuple[Path | None, ...] = (None,) if choice.ours else ()
        if not choice.paths:
            return load_catalogue(*ours).of_origins(choice.origins)
        from demur.configuration.lever_checks import recipe_faults

        paths = (self.file(path) for path in choice.paths)
        return load_catalogue(*ours, *paths, check=recipe_faults).of_origins(choice.origins)

    @cached_property
    def policies(self) -> tuple[Policy, ...]:
        """The policies that the round fits, in the order of `fit.policies`."""
        named = (self.file(Path(name)) if Path(name).suffix else name for name in self.config.fit.policies)
        return tuple(load_policy(name) for name in named)

    @property
    def documents(self) -> DocumentsChoice:
        """The documents of a round from documents."""
        assert self.config.documents is not None
        return self.config.documents

    def policy(self, name: str) -> Policy:
        """Return one of them."""
        return next(policy for policy in self.policies if policy.name == name)

    def rng(self, *purpose: str) -> random.Random:
        """Return the round's random numbers for one purpose, the same ones every time."""
        return random.Random("|".join((str(self.seed), *purpose)))

    def number(self, *purpose: str) -> int:
        """Return the round's 63-bit seed for one purpose."""
        digest = hashlib.sha256("|".join((str(self.seed), *purpose)).encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1


def digest_of(*parts: object) -> str:
    """Return 32 hex digits that identify the parts: the id of a unit, an item, a completion."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def loader_reading(context: RoundContext) -> AbstractContextManager[Connection]:
    """Open the loader's file to read; a wait for another process is reported as progress."""
    return reading(context.home, "loader", wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)


def loader_writing(context: RoundContext) -> AbstractContextManager[Connection]:
    """Open the loader's file to write; a wait for another process is reported as progress.

    Raises:
        TakenOverError: another process may work on the round.
    """
    check_held(context.home, context.round_id)
    return writing(context.home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
