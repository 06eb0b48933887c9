"""Releases at addresses, and what a release may decide that this home did not freeze."""

import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from demur.configuration.round_config import RECORDINGS, RoundConfig
from demur.configuration.sections import EngineChoice
from demur.errors import ConfigError
from demur.lanes.registry import LANES
from demur.lanes.spec import ModelSpec
from demur.programs.recording import SUFFIX
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import MANIFEST, Release, is_own, note_own, read_manifest, sha256
from demur.warehouse.releases.verifying import unaltered_release, verify_release
from demur.warehouse.stores import STORES, store_at

# Releases at addresses. A release is downloaded into the home, and its files are compared with its manifest.


ADDRESSES: Final = ("hf://", "https://", "http://", *STORES)
LARGEST_MANIFEST: Final = 16 * 2**20


def verified_release(home: Home, place: str) -> Release:
    """Compare the files of a release with its manifest, and return the release.

    `place` is the name of a release, a folder or an address.

    Raises:
        WarehouseError: the release is missing or altered.
        ConfigError: an address cannot be read.
    """
    return unaltered_release(home, str(_fetched(home, place)) if place.startswith(ADDRESSES) else place, place)


def _fetched(home: Home, address: str) -> Path:
    """Download a release and return its folder in the home.

    If an earlier download has the same manifest and unaltered files, only the manifest is downloaded.
    """
    draft = home.fetched / f".draft-{uuid.uuid4().hex[:12]}"
    try:
        with disk_explained(home.fetched):
            draft.mkdir(parents=True)
        opened = _reader(address)
        _download(opened, address, MANIFEST, draft, LARGEST_MANIFEST)
        try:
            manifest = read_manifest(draft)
        except WarehouseError as exc:
            raise WarehouseError(str(exc).replace(str(draft), address)) from exc
        folder = home.fetched / sha256(draft / MANIFEST)
        if folder.is_dir() and not verify_release(home, str(folder)).problems:
            return folder
        for name, file in manifest.files.items():
            _download(opened, address, name, draft, file.bytes)
        unaltered_release(home, str(draft), address)
        with disk_explained(folder):
            shutil.rmtree(folder, ignore_errors=True)
            draft.rename(folder)
        return folder
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _download(opened: Callable[[str], Any], address: str, name: str, folder: Path, most_bytes: int) -> None:
    place = f"{address.partition('?')[0].rstrip('/')}/{name}"
    target = folder / name
    with disk_explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened(name) as source, target.open("wb") as copy:
            while block := source.read(2**20):
                most_bytes -= len(block)
                if most_bytes < 0:
                    raise ConfigError(f"{place}: is longer than the manifest says. Get the release from its source")
                copy.write(block)
    except (ConfigError, ModuleNotFoundError):
        raise
    except Exception as exc:  # every file system has errors of its own
        why = str(exc).strip().split("\n")[0] or type(exc).__name__
        raise ConfigError(
            f"{place}: cannot be read ({why}). Give the address of a release's folder, which contains {MANIFEST}; "
            "for a private address, set the credentials of its own tools (HF_TOKEN, AWS_PROFILE)"
        ) from exc


def _reader(address: str) -> Callable[[str], Any]:
    """Return a function that takes the name of a file and opens this file in the folder at `address`."""
    if address.startswith(STORES):

        def from_store(name: str) -> Any:
            store, root = store_at(address)
            return store.open_input_stream(f"{root}/{name}")

        return from_store
    import fsspec

    place = address.rstrip("/")
    if place.startswith("hf://") and not place.startswith(("hf://datasets/", "hf://models/", "hf://spaces/")):
        place = "hf://datasets/" + place.removeprefix("hf://")
    return lambda name: fsspec.open(f"{place}/{name}", "rb")


# What a release may decide that this home did not freeze: no address, no variable, no file, no code.
#
# A manifest of a stranger is data. Its models are asked only at their provider's own address, with the provider's own
# key. Everything else is refused, unless the user trusts the release by its digest.


CHOSEN_BY_NAME: Final = "litellm"
"""The lane that takes address and key from the model's name; some of its names are addresses."""


def is_trusted(home: Home, release: Release, given: str | None = None) -> bool:
    """Return whether the models that a release names may be asked as it says.

    Args:
        home: the home.
        release: the release.
        given: the digest of a manifest that the user trusts. It is noted in the home, so that it is given once.

    Raises:
        ConfigError: `given` is another digest than that of the release's manifest.
    """
    if given is not None and given != release.manifest_digest:
        raise ConfigError(
            f"--trust-release {given}: the manifest of {release.label} has the sha256 {release.manifest_digest}. "
            "Compare it with the digest that the release's owner gives; nothing was asked"
        )
    if given is not None and not is_own(home, given):
        note_own(home, given, f"{release.label}, trusted")
    return is_own(home, release.manifest_digest)


def check_code(release: Release, configuration: object) -> None:
    """Check that reading the configuration of a stranger's release imports no code.

    Raises:
        ConfigError: the configuration names lanes or metrics of other packages.
    """
    given: Mapping[str, Any] = configuration if isinstance(configuration, Mapping) else {}
    found = [f"the lane {name!r}" for name in _providers(given.get("models")) if name not in LANES]
    found += [f"the metric {name!r}" for name in _list(given.get("metrics"))]
    if found:
        raise _refusal(release, list(dict.fromkeys(found)), "--round-config FILE")


def _providers(models: object) -> Iterator[str]:
    """Yield the providers in a list of models that was not validated yet, and those of their fallbacks."""
    for one in _list(models):
        if isinstance(one, Mapping) and "provider" in one:
            yield str(one["provider"])
            yield from _providers([one.get("fallback")])


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def of_a_stranger(config: RoundConfig) -> RoundConfig:
    """Return the configuration of a stranger's release without its cluster and prices.

    Shards would be sent to the cluster. With prices of 0, a cap of the user's would not hold.
    """
    models = tuple(_unpriced(spec) for spec in config.models)
    return config.model_copy(update={"models": models, "engine": EngineChoice()})


def _unpriced(spec: ModelSpec) -> ModelSpec:
    fallback = None if spec.fallback is None else _unpriced(spec.fallback)
    return spec.model_copy(update={"prices": None, "fallback": fallback})


def check_asked(release: Release, config: RoundConfig, asked: Sequence[ModelSpec]) -> tuple[str, ...]:
    """Check the models of an evaluation that come from a stranger's release, and return notes for the user.

    Args:
        release: the release.
        config: the release's configuration. A model that is one of its objects comes from the release, also if the user
            gave its name.
        asked: the models that would be asked.

    Raises:
        ConfigError: a model names an address, a variable, a file or code.
    """
    theirs = {id(one) for spec in config.models for one in _with_fallbacks(spec)}
    specs = {id(one): one for spec in asked for one in _with_fallbacks(spec) if id(one) in theirs}
    if found := [f"for model '{spec.name}' {one}" for spec in specs.values() for one in _named_by(spec)]:
        raise _refusal(release, found, "--judge SPEC or --round-config FILE")
    keyed = [f"{one.name} ({one.model}, {one.key_variable})" for one in specs.values() if one.key_variable]
    if not keyed:
        return ()
    return (
        f"release {release.label} was not frozen in this home, and chooses {', '.join(keyed)}: asked at the provider's "
        "own address with that variable. --judge names another judge",
    )


def _with_fallbacks(spec: ModelSpec | None) -> Iterator[ModelSpec]:
    while spec is not None:
        yield spec
        spec = spec.fallback


def _named_by(spec: ModelSpec) -> Iterator[str]:
    """Yield what the spec of a stranger's model names besides a provider and its model."""
    if spec.lane.system:
        yield f"the system {spec.model}"
    if spec.base_url is not None:
        yield f"the address {spec.base_url}"
    if spec.via is not None:
        place = " ".join(f"{name} {value}" for name in ("region", "project") if (value := getattr(spec, name)))
        yield f"the platform {spec.via} ({place})"
    for variable in (spec.api_key_env, *spec.headers.values()):
        if variable is not None and (variable != spec.lane.key_variable or spec.headers):
            yield f"the variable {variable}"
    if spec.api_key_block is not None:
        yield f"the Prefect block {spec.api_key_block}"
    if spec.file is not None and not _is_shipped(spec.file):
        yield f"the file {spec.file}"
    if spec.provider == CHOSEN_BY_NAME:
        yield f"{spec.model} of provider {spec.provider}, which takes address and key from the model's name"
    elif spec.parameters and (unknown := sorted(spec.parameters.keys() - spec.lane.known_parameters())):
        yield f"the parameters {', '.join(unknown)}, which provider {spec.provider} does not know"


def _is_shipped(file: Path) -> bool:
    """Return whether a name is that of a recording of demur, and of no file of the user's."""
    return str(file) == file.stem and not file.exists() and (RECORDINGS / f"{file}{SUFFIX}").is_file()


def _refusal(release: Release, named: Sequence[str], ways: str) -> ConfigError:
    return ConfigError(
        f"release {release.label} was not frozen in this home, and names {', '.join(named)}. Nothing was asked. Name "
        f"what to ask yourself ({ways}), or, if you know who made this release, take what it names: --trust-release "
        f"{release.manifest_digest}"
    )
