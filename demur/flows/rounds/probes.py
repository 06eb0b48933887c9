"""The probes of a release: models used to draw its base instances, whose own scores on it are meaningless."""

from collections.abc import Sequence
from typing import Any

from demur.errors import ConfigError
from demur.lanes.spec import ModelSpec
from demur.warehouse.release import Release, read_manifest


def probes_of(release: Release) -> dict[str, str]:
    """Return the names of the models that a release's base instances were drawn by, by fingerprint."""
    manifest = read_manifest(release.path).model_dump()
    configuration: dict[str, Any] = manifest.get("configuration") or {}
    known = (configuration.get("generation") or {}).get("known") or {}
    return {manifest["models"][name]: name for name in known.get("probe", ())}


def check_not_probes(release: Release, specs: Sequence[ModelSpec], place: str) -> None:
    """Return if none of these models is a probe of the release.

    Raises:
        ConfigError: one is; `place` says where it was named.
    """
    probes = probes_of(release)
    for spec in specs:
        if spec.fingerprint in probes:
            raise ConfigError(
                f"{place} '{spec.name}' is the probe '{probes[spec.fingerprint]}' of {release.label} (the same model "
                "and parameters): base instances were drawn by what it knows, so its score would say nothing. Leave it "
                "out, or evaluate it on another release"
            )
