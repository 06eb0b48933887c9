"""The context of a round for every stage: configuration, id, seed, home, and its judge models."""

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from demur.configuration.corpus_section import DocumentsChoice
from demur.configuration.labels import labelled_judges
from demur.configuration.round_config import CORPORA, RECORDINGS, RoundConfig
from demur.engine.logs import observer
from demur.engine.round_lock import check_held
from demur.lanes.spec import ModelSpec
from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.policies import load_policy
from demur.levers.policy_models import Policy
from demur.programs.recording import SUFFIX
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import Release
from demur.warehouse.transactions import Connection

# The context of a round for every stage: configuration, id, seed and home.


LOADER_WAIT_SECONDS: Final = 900.0
"""Longest wait of a round while another process has the loader's file open."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file with lines that models grade or judge.

    Attributes:
        name: The name of the file.
        sha256: The SHA-256 of the file.
        stage: The name of the stage that asks models.
        lines: Rows of the table `file_lines`; empty in processes that do not plan the round.
    """

    name: str
    sha256: str
    stage: str
    lines: tuple[Mapping[str, object], ...]


@dataclass(frozen=True)
class RoundContext:
    """A running round. The context is small and picklable, so that shards can run in other processes.

    Attributes:
        home: The home of the round.
        config: The configuration.
        folder: The folder at which relative paths of the configuration start.
        round_id: The id of the round.
        seed: The seed of the round.
        release: The evaluated release, for an evaluation.
        notes: Notes that the user sees when the round starts.
        again: Whether unreadable judgements are asked for again.
        file_given: The file whose lines are graded or judged, for a round of a file.
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
        """Return the fields for another process, without the lines of a file."""
        given = self.file_given
        sent = {field.name: getattr(self, field.name) for field in fields(self)}
        return sent if given is None else {**sent, "file_given": replace(given, lines=())}

    def file(self, path: Path) -> Path:
        """Return the path of a file that the configuration names: the user's, or a shipped corpus or recording."""
        return self.own_or_ours(path, Path.is_file, CORPORA / f"{path.name}.jsonl", RECORDINGS / f"{path.name}{SUFFIX}")

    def own_or_ours(self, path: Path, is_there: Callable[[Path], bool], *ours: Path) -> Path:
        """Resolve a path from the configuration. A name without folder and suffix can mean a shipped path.

        Args:
            path: The path in the configuration, relative to its folder.
            is_there: Returns whether a path exists and is of the wanted kind, such as a file.
            ours: Shipped paths, tried if the user has no such path.
        """
        here = path if path.is_absolute() else (self.folder / path).resolve()
        if str(path) != path.stem or is_there(here):
            return here
        return next((one for one in ours if is_there(one)), here)

    def specs(self, names: tuple[str, ...]) -> tuple[ModelSpec, ...]:
        """Return the specs of models by name, with paths that can be opened."""
        found = (self.config.model_spec(name) for name in names)
        return tuple(self._with_files(spec) for spec in found)

    def _with_files(self, spec: ModelSpec) -> ModelSpec:
        update: dict[str, object] = {} if spec.file is None else {"file": self.file(spec.file)}
        if spec.fallback is not None:
            update["fallback"] = self._with_files(spec.fallback)
        return spec.model_copy(update=update) if update else spec

    @cached_property
    def catalogue(self) -> Catalogue:
        """The levers that the round may use."""
        levers = self._levers_of_files().of_origins(self.config.catalogue.origins)
        return levers.telling() if self.config.generation.levers == "telling" else levers

    def _levers_of_files(self) -> Catalogue:
        choice = self.config.catalogue
        ours: tuple[Path | None, ...] = (None,) if choice.ours else ()
        if not choice.paths:
            return load_catalogue(*ours)
        from demur.configuration.lever_checks import recipe_faults

        paths = (self.file(path) for path in choice.paths)
        return load_catalogue(*ours, *paths, check=recipe_faults)

    @cached_property
    def policies(self) -> tuple[Policy, ...]:
        """The policies that the round fits, in the order of `fit.policies`."""
        named = (self.file(Path(name)) if Path(name).suffix else name for name in self.config.fit.policies)
        return tuple(load_policy(name) for name in named)

    @property
    def documents(self) -> DocumentsChoice:
        """The choice of documents. Read it only in rounds from documents."""
        assert self.config.documents is not None
        return self.config.documents

    def policy(self, name: str) -> Policy:
        """Return a policy of the round by its name."""
        return next(policy for policy in self.policies if policy.name == name)

    def rng(self, *purpose: str) -> random.Random:
        """Return a random generator that is seeded by the round's seed and the purpose."""
        return random.Random("|".join((str(self.seed), *purpose)))

    def number(self, *purpose: str) -> int:
        """Return a 63-bit seed derived from the round's seed and the purpose."""
        return int(self.place(*purpose)[:16], 16) >> 1

    def place(self, *purpose: str) -> str:
        """Return a hash of the round's seed and the purpose, in hex digits.

        Sorting by this hash gives a seeded order.
        """
        return hashlib.sha256("|".join((str(self.seed), *purpose)).encode()).hexdigest()


def digest_of(*parts: object) -> str:
    """Return 32 hex digits of a hash of the parts, as the id of a unit, an item or a completion."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def home_reading(home: Home) -> AbstractContextManager[Connection]:
    """Open the loader's file, the unpublished warehouse of a home, for reading.

    If another process has the file open, the wait is reported as progress.
    """
    return reading(home, "loader", wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice, keep_open=True)


def home_writing(home: Home) -> AbstractContextManager[Connection]:
    """Open the loader's file, the unpublished warehouse of a home, for writing.

    If another process has the file open, the wait is reported as progress.
    """
    return writing(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice, keep_open=True)


def loader_reading(context: RoundContext) -> AbstractContextManager[Connection]:
    """Open the unpublished warehouse of a round's home for reading."""
    return home_reading(context.home)


def loader_writing(context: RoundContext) -> AbstractContextManager[Connection]:
    """Open the unpublished warehouse of a round's home for writing.

    Raises:
        TakenOverError: another process may have taken over the round.
    """
    check_held(context.home, context.round_id)
    return home_writing(context.home)


# The judge models of a round: language models, recordings, and fallbacks of recordings.


def judge_models(context: RoundContext) -> tuple[str, ...]:
    """Return the names of the models that judge at least one respondent."""
    return tuple(dict.fromkeys(labelled_judges(context.config).values()))


def judge_specs(context: RoundContext) -> dict[str, ModelSpec]:
    """Return the specs of the judge models, by name.

    The specs have no fallbacks: the judgements of a fallback would have the recorded judge's name.
    """
    specs = context.specs(judge_models(context))
    return {spec.name: spec.model_copy(update={"fallback": None}) for spec in specs}
