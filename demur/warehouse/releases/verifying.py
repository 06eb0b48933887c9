"""Verification and signing of frozen releases.

The manifest has the checksums of all other files. The manifest itself is verified by the digest in the warehouse, by a
digest that the caller gives, or by a signature.
"""

import shutil
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.levers.durable import write_once
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError, WarehouseMissingError, disk_explained
from demur.warehouse.home import Home, plain_file
from demur.warehouse.releases.manifest import (
    MANIFEST,
    SIGNATURE,
    Release,
    files_below,
    identity_digest,
    read_manifest,
    release_at,
    sha256,
)
from demur.warehouse.statements import records

NAMESPACE: Final = "demur-release"
"""Namespace of signatures for ssh-keygen: signatures for other purposes, such as commits, are not valid here."""


def sign(file: Path, key: Path) -> bytes:
    """Return the SSH signature of a file.

    Args:
        file: the file to sign.
        key: file of a private key, or file of the public key if ssh-agent has the private key. ssh-keygen asks for a
            passphrase on the terminal.

    Raises:
        WarehouseError: ssh-keygen is not installed, or could not sign.
    """
    ended = _ssh_keygen(file, "-q", "-Y", "sign", "-f", str(key.resolve()), "-n", NAMESPACE, stderr=None)
    if ended.returncode != 0:
        raise WarehouseError(
            f"ssh-keygen could not sign with {key} (see its message above). Give a private key, or the public half "
            "of a key in ssh-agent"
        )
    return ended.stdout


def signer(file: Path, signature: Path, allowed_signers: Path) -> str | None:
    """Return the allowed signer whose signature is valid for a file's content; None if there is no such signer.

    Raises:
        WarehouseError: ssh-keygen is not installed, or the file of allowed signers cannot be read.
    """
    try:
        allowed_signers.read_bytes()
    except OSError as exc:
        raise WarehouseError(
            f"{allowed_signers}: {exc.strerror}. Give a file with a line for each signer: WHO, then the public key"
        ) from exc
    given = ("-s", str(signature.resolve()), "-f", str(allowed_signers.resolve()))
    found = _ssh_keygen(file, "-Y", "find-principals", *given)
    for who in found.stdout.decode(errors="replace").splitlines():
        if _ssh_keygen(file, "-Y", "verify", *given, "-I", who, "-n", NAMESPACE).returncode == 0:
            return who
    return None


def _ssh_keygen(
    file: Path, *arguments: str, stderr: int | None = subprocess.DEVNULL
) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise WarehouseError("ssh-keygen is not installed; install OpenSSH's client (apt-get install openssh-client)")
    with file.open("rb") as content:
        return subprocess.run([program, *arguments], stdin=content, stdout=subprocess.PIPE, stderr=stderr, check=False)


_SHOWN_PROBLEMS: Final = 5


@dataclass(frozen=True, slots=True)
class Verified:
    """Result of a verification.

    `problems` are messages about the faults that were found. `held_against` lists what the manifest was compared with:
    the warehouse, the caller's digest, a valid signature.
    """

    label: str
    manifest_digest: str
    problems: tuple[str, ...]
    held_against: tuple[str, ...]
    signed: bool


def verify_release(
    home: Home, label: str, manifest_digest: str | None = None, allowed_signers: Path | None = None
) -> Verified:
    """Verify a release's files by its manifest, and the manifest by independent records.

    Args:
        home: the home with the release, or whose warehouse recorded the release.
        label: label or folder of the release, as for `release_at`.
        manifest_digest: the expected SHA-256 of the manifest, if known.
        allowed_signers: file of allowed signers; if given, the release must have a signature by one of them.

    Raises:
        WarehouseError: there is no such release, its manifest is invalid, or the signature cannot be checked.
    """
    release = release_at(home, label)
    path = release.path / MANIFEST
    recorded = _recorded(home, release)
    known = {f"the warehouse {home.published}": recorded, "the digest given": manifest_digest}
    problems = list(_altered(release))
    held = []
    for where, digest in known.items():
        if digest is None:
            continue
        held.append(where)
        if digest != release.manifest_digest:
            problems.append(f"{path}: sha256 is {release.manifest_digest}; {where} says {digest}")
    signature = release.path / SIGNATURE
    signed = signature.is_file()
    if allowed_signers is not None:
        who = signer(path, signature, allowed_signers) if signed else None
        if who is not None:
            held.append(f"a signature by {who}")
        elif signed:
            problems.append(f"{signature}: is not a signature of this manifest by anybody in {allowed_signers}")
        else:
            problems.append(f"{signature}: is missing; the manifest must be signed by somebody in {allowed_signers}")
    return Verified(release.label, release.manifest_digest, tuple(problems), tuple(held), signed)


def unaltered_release(home: Home, label: str, place: str | None = None) -> Release:
    """Return a release after a verification of its files.

    Args:
        home: the home with the release, or whose warehouse recorded the release.
        label: label or folder of the release, as for `release_at`.
        place: the user's name for the release in messages; None for the label.

    Raises:
        WarehouseError: there is no such release, or its files were altered.
    """
    release = release_at(home, label)
    place = place or label
    if problems := verify_release(home, label).problems:
        more = f"\n... and {len(problems) - _SHOWN_PROBLEMS} more" if len(problems) > _SHOWN_PROBLEMS else ""
        raise WarehouseError(
            "\n".join(problems[:_SHOWN_PROBLEMS]).replace(label, place)
            + f"{more}\nrelease '{place}' does not match its manifest, and nothing was done. "
            "Get the release again from its source"
        )
    return release


def sign_release(home: Home, label: str, key: Path) -> Path:
    """Sign a release's manifest with an SSH key and return the path of the signature beside it.

    Raises:
        WarehouseError: there is no such release, it is signed already or was altered, or signing failed.
    """
    signature = release_at(home, label).path / SIGNATURE
    if signature.exists():
        raise WarehouseError(f"{signature}: already exists; a release is signed once. Delete this file to sign again")
    release = unaltered_release(home, label)
    draft = release.path.parent / f".signature-{uuid.uuid4().hex[:12]}"
    made = sign(release.path / MANIFEST, key)
    mode = release.path.stat().st_mode
    with disk_explained(signature):
        try:
            write_once(draft, made)
            draft.chmod(0o444)
            release.path.chmod(mode | 0o200)
            draft.rename(signature)
        finally:
            release.path.chmod(mode)
            draft.unlink(missing_ok=True)
    return signature


def _altered(release: Release) -> Iterator[str]:
    """Yield a message for each missing, altered or unlisted file, each link, and a wrong digest in the manifest."""
    content = read_manifest(release.path)
    below = files_below(release.path)
    for name in dict.fromkeys((*content.files, *(own for own in (MANIFEST, SIGNATURE) if own in below))):
        try:
            path = plain_file(release.path, name)
        except WarehouseError as exc:
            yield str(exc)
            continue
        if name in content.files and (actual := sha256(path)) != content.files[name].sha256:
            yield f"{path}: sha256 is {actual}, the manifest says {content.files[name].sha256}"
    known = {*content.files, MANIFEST, SIGNATURE}
    yield from (f"{release.path / name}: not in the manifest" for name in below if name not in known)
    if identity_digest(content.files) != content.digest:
        yield f"{release.path / MANIFEST}: its digest does not belong to its files"


def _recorded(home: Home, release: Release) -> str | None:
    """Return the manifest's digest that the warehouse recorded at freezing; None if nothing was recorded."""
    if release.path.parent.parent != home.releases:
        return None
    try:
        with reading(home) as con:
            found = next(records(con, "recorded_release", [release.name, release.version]), None)
    except WarehouseMissingError:
        return None
    return None if found is None else str(found["manifest_digest"])
