"""Repeats the round of a release with recorded replies, in a temporary home, and compares the two releases."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from demur.configuration.settings import other_home
from demur.errors import FlowError
from demur.flows.evaluations.release_sources import is_trusted
from demur.flows.rounds.request import RoundRequest, find_round_config, read_round_config
from demur.reports.audits.page import AUDITS
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import File, Manifest, read_manifest, release_at, sha256
from demur.warehouse.round_rows import insert_before, rows_before

MADE_BY = ("programs", "models", "policies", "catalogue", "packages")
"""Parts of a manifest that can explain differences between releases."""


@dataclass(frozen=True, slots=True)
class Rederived:
    """The comparison of a release with the release of its repeated round.

    Attributes:
        label: The name and version of both releases.
        same: Names of the data files that are identical.
        differences: The differences, one line each.
    """

    label: str
    same: tuple[str, ...]
    differences: tuple[str, ...]


def rederive(
    home: Home,
    label: str,
    replay: Path,
    config: str | None,
    corpus: str | None,
    reading: Mapping[str, Any] = MappingProxyType({}),
    trust_release: str | None = None,
) -> Rederived:
    """Repeat the round of a release with recorded replies alone, and compare the data files of the two releases.

    Data files are compared byte for byte. The file with the findings of people who read items is not compared.

    Args:
        home: The home with the release.
        label: The release's name and version.
        replay: The recording.
        config: The configuration of the release's round, as a file or a name. It is needed if the configuration names
            files of the user. Default: the configuration in the release's manifest.
        corpus: A corpus in place of the configuration's.
        reading: How the corpus is read: `mapping`, `answers` and `bad_rows` of a `RoundRequest`.
        trust_release: The SHA-256 of the manifest of a release that was not frozen in this home.

    Raises:
        FlowError: there is no such release, `config` is the configuration of another round, or a release of another
            home is not trusted and no `config` is given.
        ConfigError, ProgramError, StageStopped: the round cannot be repeated with this recording.
    """
    release = release_at(home, label)
    frozen = read_manifest(release.path)
    if not is_trusted(home, release, trust_release) and config is None:
        raise FlowError(
            f"release {release.label} was not frozen in this home, and its configuration could name files, code and "
            "clusters. Name the configuration that made it (--config), or, if you know who made it, take what it "
            f"names: --trust-release {release.manifest_digest}"
        )
    with _new_home(home, frozen.round_id) as scratch:
        path = _configuration(frozen, config, scratch.root)
        from demur.flows.round import round_flow

        asked = RoundRequest(str(path), frozen.round_id, corpus, probe=False, replay=str(replay))
        asked = replace(asked, **reading)
        again: Any = round_flow(**asdict(asked))
        made = release_at(scratch, again)
        return _compared(release.label, frozen, read_manifest(made.path), made.path)


@contextmanager
def _new_home(home: Home, round_id: str) -> Iterator[Home]:
    """Yield a temporary home. In the `with` block, all code works in this home.

    The home has a copy of those rows of earlier rounds that affect the round.
    """
    with tempfile.TemporaryDirectory(prefix="demur-rederive-") as folder:
        scratch = Home(Path(folder))
        if home.loader.is_file():
            with reading(home, "loader") as con:
                before = rows_before(con, round_id)
            with writing(scratch, wait_seconds=0) as con:
                insert_before(con, before)
        with other_home(scratch):
            yield scratch


def _configuration(frozen: Manifest, named: str | None, folder: Path) -> Path:
    """Return the path of a file with the configuration of a release's round.

    If `named` is None, the configuration in the manifest is written into `folder`.

    Raises:
        FlowError: `named` is the configuration of another round.
    """
    described: Mapping[str, Any] = frozen.model_dump()
    if named is None:
        path = folder / "round.yaml"
        path.write_text(json.dumps(described["configuration"]), encoding="utf-8")
        return path
    path = find_round_config(named)
    digest = read_round_config(path).digest
    if digest != described["configuration_digest"]:
        raise FlowError(
            f"{path}: is not the configuration of {frozen.name}/{frozen.version}: its digest is {digest}, but the "
            f"manifest has {described['configuration_digest']}. Name the configuration that made the release"
        )
    return path


def _compared(label: str, frozen: Manifest, made: Manifest, folder: Path) -> Rederived:
    before, after = (_data_files(manifest) for manifest in (frozen, made))
    differences = [f"{name}: is not in the new release" for name in sorted(before.keys() - after.keys())]
    differences += [f"{name}: is only in the new release" for name in sorted(after.keys() - before.keys())]
    same = []
    for name in sorted(before.keys() & after.keys()):
        if sha256(folder / name) == before[name].sha256:
            same.append(name)
        else:
            differences.append(f"{name}: differs; frozen {_size(before[name])}, made again {_size(after[name])}")
    if differences:
        differences += _changes(frozen.model_dump(), made.model_dump())
    return Rederived(label, tuple(same), tuple(differences))


def _data_files(manifest: Manifest) -> dict[str, File]:
    return {name: file for name, file in manifest.files.items() if file.identity and name != AUDITS}


def _size(file: File) -> str:
    rows = "" if file.rows is None else f"{file.rows} rows, "
    return f"{rows}{file.bytes} bytes"


def _changes(frozen: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each program, model, policy, catalogue and package that changed between two manifests."""
    for part in MADE_BY:
        before = frozen.get(part, {})
        after = made.get(part, {})
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                yield f"{part} {name}: was {before.get(name)} when it was frozen, is {after.get(name)} now"
