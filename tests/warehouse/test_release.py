"""Releases are held to what was frozen, manifest and all: by the warehouse, by a known digest, by signatures."""

import hashlib
import json
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.releases.freezing import freeze, record_release
from demur.warehouse.releases.manifest import SIGNATURE, Release, is_own, manifest, release_at, releases
from demur.warehouse.releases.verifying import sign_release, verify_release
from tests.flows.rounds import demur_here
from tests.warehouse.gate_round import ROUND, whole_round

MADE = {"seed": 7, "models": {"gpt": "a1b2"}, "configuration": {"bases": 2}}


def pages(label: str) -> dict[str, str]:
    return {"report.html": f"<p>scores of {label}</p>", "README.md": "# Card"}


needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="OpenSSH's ssh-keygen is not installed (apt-get install openssh-client)"
)


@pytest.fixture(scope="module")
def frozen_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a frozen release that the published warehouse has recorded; nobody changes it."""
    home = Home(tmp_path_factory.mktemp("frozen"))
    whole_round(home)
    with writing(home, wait_seconds=1) as con:
        record_release(con, freeze(con, home, "small", ROUND, MADE, pages))
    publish(home)
    return home.root


@pytest.fixture
def release(home: Home, frozen_home: Path) -> Release:
    shutil.copytree(frozen_home, home.root)
    return release_at(home, "small")


def rewritten(path: Path, content: bytes) -> None:
    """Write over a read-only file, as whoever owns it can."""
    path.chmod(0o644)
    path.write_bytes(content)


def altered(release: Release, change: Callable[[dict[str, Any]], object]) -> None:
    """Alter the manifest, and leave it in the form in which it was written."""
    path = release.path / "manifest.json"
    content = json.loads(path.read_bytes())
    change(content)
    rewritten(path, (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())


def test_release_as_it_was_frozen_is_held_against_the_warehouse(home: Home, release: Release) -> None:
    found = verify_release(home, "small/1")
    assert (release.path / "report.html").read_text() == "<p>scores of small/1</p>"
    assert found.problems == () and found.held_against == (f"the warehouse {home.published}",)
    assert found.manifest_digest == release.manifest_digest
    assert found.manifest_digest == hashlib.sha256((release.path / "manifest.json").read_bytes()).hexdigest()
    assert [known.manifest_digest for known in releases(home)] == [release.manifest_digest]


def test_altered_manifest_is_found(home: Home, release: Release) -> None:
    path = release.path / "manifest.json"
    sound = path.read_bytes()
    changes: tuple[Callable[[dict[str, Any]], object], ...] = (
        lambda content: content.update(seed=8),
        lambda content: content["models"].update(gpt="c3d4"),
        lambda content: content["files"]["items.parquet"].update(rows=99),
        lambda content: content.pop("configuration"),
        lambda content: content.update(added=True),
        lambda content: content.update(version="2"),
    )
    for change in changes:
        rewritten(path, sound)
        altered(release, change)
        [problem] = verify_release(home, "small/1").problems
        assert problem.startswith(f"{path}: sha256 is ")
        assert problem.endswith(f"the warehouse {home.published} says {release.manifest_digest}")


def test_release_recorded_again_keeps_the_digest_of_the_first_time(home: Home, release: Release) -> None:
    altered(release, lambda content: content.update(seed=8))
    with writing(home, wait_seconds=1) as con:
        again = freeze(con, home, "small", ROUND, MADE, pages)
        record_release(con, again)
    publish(home)
    assert (again.label, again.created) == ("small/1", False)
    assert len(verify_release(home, "small").problems) == 1


def test_frozen_release_is_on_the_list_of_its_home_and_an_altered_one_is_not(home: Home, release: Release) -> None:
    assert is_own(home, release.manifest_digest) and not is_own(home, release.digest)
    assert [path.name for path in home.own_releases.iterdir()] == [release.manifest_digest]
    altered(release, lambda content: content.update(seed=8))
    with writing(home, wait_seconds=1) as con:  # finds the release by its data, which nobody changed
        again = freeze(con, home, "small", ROUND, MADE, pages)
    assert again.manifest_digest != release.manifest_digest and not is_own(home, again.manifest_digest)


def test_copy_elsewhere_is_verified_by_the_digest_that_somebody_knows(
    home: Home, release: Release, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(release.path, copy)
    found = verify_release(home, str(copy))
    assert (found.label, found.problems, found.held_against) == ("small/1", (), ())
    known = verify_release(home, str(copy), release.manifest_digest)
    assert (known.problems, known.held_against) == ((), ("the digest given",))
    [problem] = verify_release(home, str(copy), "0" * 64).problems
    assert problem.endswith("the digest given says " + "0" * 64)


def test_manifest_that_is_none_is_one_error_with_its_remedy(home: Home, release: Release) -> None:
    for content in (b"", b"[]", b"{", b'{"name": "small"}', b"\xff"):
        rewritten(release.path / "manifest.json", content)
        for ask in (lambda: verify_release(home, "small"), lambda: releases(home), lambda: manifest(home, "small/1")):
            with pytest.raises(
                WarehouseError, match=r"small/1/manifest\.json: is not a manifest .*restore it from a copy"
            ):
                ask()


def key_of(folder: Path, who: str) -> Path:
    """Make a key pair, and write who it belongs to into the file of allowed signers."""
    key = folder / who.partition("@")[0]
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", who, "-f", str(key)], check=True)
    with (folder / "signers").open("a") as signers:
        signers.write(f"{who} {key.with_suffix('.pub').read_text()}")
    return key


@needs_ssh_keygen
def test_signature_by_an_allowed_signer_holds_the_release_and_its_copies(
    home: Home, release: Release, tmp_path: Path
) -> None:
    key = key_of(tmp_path, "ada@example.org")
    before = stat.S_IMODE(release.path.stat().st_mode)
    assert sign_release(home, "small/1", key) == release.path / SIGNATURE
    assert stat.S_IMODE(release.path.stat().st_mode) == before
    assert not stat.S_IMODE((release.path / SIGNATURE).stat().st_mode) & 0o222
    found = verify_release(home, "small/1", allowed_signers=tmp_path / "signers")
    assert found.problems == ()
    assert found.held_against == (f"the warehouse {home.published}", "a signature by ada@example.org")
    copy = tmp_path / "copy"
    shutil.copytree(release.path, copy)
    assert verify_release(home, str(copy), allowed_signers=tmp_path / "signers").held_against == (
        "a signature by ada@example.org",
    )
    by_hand = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "signers"), "-I", "ada@example.org"]
    with (copy / "manifest.json").open("rb") as content:
        subprocess.run([*by_hand, "-n", "demur-release", "-s", str(copy / SIGNATURE)], stdin=content, check=True)


@needs_ssh_keygen
def test_signature_does_not_fit_an_altered_manifest_or_another_signer(
    home: Home, release: Release, tmp_path: Path
) -> None:
    sign_release(home, "small", key_of(tmp_path, "ada@example.org"))
    strangers = tmp_path / "strangers"
    strangers.mkdir()
    key_of(strangers, "eve@example.org")
    [problem] = verify_release(home, "small", allowed_signers=strangers / "signers").problems
    assert (
        problem
        == f"{release.path / SIGNATURE}: is not a signature of this manifest by anybody in {strangers / 'signers'}"
    )
    copy = tmp_path / "copy"
    shutil.copytree(release.path, copy)
    rewritten(copy / "manifest.json", (copy / "manifest.json").read_bytes().replace(b'"seed": 7', b'"seed": 8'))
    [problem] = verify_release(home, str(copy), allowed_signers=tmp_path / "signers").problems
    assert "is not a signature of this manifest" in problem


@needs_ssh_keygen
def test_signature_made_for_something_else_does_not_count(home: Home, release: Release, tmp_path: Path) -> None:
    key = key_of(tmp_path, "ada@example.org")
    content = (release.path / "manifest.json").read_bytes()
    made = subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "git"],
        input=content,
        stdout=subprocess.PIPE,
        check=True,
    )
    release.path.chmod(0o755)
    (release.path / SIGNATURE).write_bytes(made.stdout)
    assert len(verify_release(home, "small", allowed_signers=tmp_path / "signers").problems) == 1


@needs_ssh_keygen
def test_unsigned_release_fails_where_a_signer_is_demanded(home: Home, release: Release, tmp_path: Path) -> None:
    key_of(tmp_path, "ada@example.org")
    [problem] = verify_release(home, "small", allowed_signers=tmp_path / "signers").problems
    assert (
        problem
        == f"{release.path / SIGNATURE}: is missing; the manifest must be signed by somebody in {tmp_path / 'signers'}"
    )


@needs_ssh_keygen
def test_signing_refuses_what_is_altered_signed_already_or_without_a_key(
    home: Home, release: Release, tmp_path: Path
) -> None:
    key = key_of(tmp_path, "ada@example.org")
    with pytest.raises(WarehouseError, match="ssh-keygen could not sign with .*nowhere"):
        sign_release(home, "small", tmp_path / "nowhere")
    assert not (release.path / SIGNATURE).exists()
    sign_release(home, "small", key)
    with pytest.raises(WarehouseError, match=r"manifest\.json\.sig: already exists"):
        sign_release(home, "small", key)
    release.path.chmod(0o755)
    (release.path / SIGNATURE).unlink()
    altered(release, lambda content: content.update(seed=8))
    with pytest.raises(
        WarehouseError, match=r"(?s)sha256 is .*'small' does not match its manifest, and nothing was done"
    ):
        sign_release(home, "small", key)
    assert not (release.path / SIGNATURE).exists()


def test_allowed_signers_that_cannot_be_read_are_named(home: Home, release: Release, tmp_path: Path) -> None:
    release.path.chmod(0o755)
    (release.path / SIGNATURE).write_text("no signature")
    with pytest.raises(WarehouseError, match="signers: No such file or directory. Give a file with a line for each"):
        verify_release(home, "small", allowed_signers=tmp_path / "signers")


def test_missing_ssh_keygen_says_what_to_install(
    home: Home, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WarehouseError, match="ssh-keygen is not installed; install OpenSSH's client"):
        sign_release(home, "small", tmp_path / "key")


def test_commands_list_verify_and_explain(home: Home, release: Release) -> None:
    listed = demur_here("release", "list", "--format", "json", home=home.root)
    assert json.loads(listed.stdout)[0]["manifest"] == release.manifest_digest
    assert release.manifest_digest[:12] in demur_here("release", "list", home=home.root).stdout
    good = demur_here("release", "verify", "small", home=home.root)
    assert good.returncode == 0 and f"That is the manifest of the warehouse {home.published}" in good.stdout
    altered(release, lambda content: content.update(seed=8))
    short = demur_here("release", "verify", "small", "--manifest", release.manifest_digest[:12], home=home.root)
    assert short.returncode == 2 and "is not a SHA-256: give 64 digits" in short.stderr
    bad = demur_here("release", "verify", "small", "--format", "json", home=home.root)
    assert bad.returncode == 1 and "the warehouse" in json.loads(bad.stdout)["problems"][0]


@needs_ssh_keygen
def test_command_signs_and_says_by_whom(home: Home, release: Release, tmp_path: Path) -> None:
    key = key_of(tmp_path, "ada@example.org")
    signed = demur_here("release", "sign", "small", "--key", str(key), home=home.root)
    assert signed.returncode == 0 and str(release.path / SIGNATURE) in signed.stdout
    unverified = demur_here("release", "verify", "small", home=home.root)
    assert "verify the signer with --allowed-signers FILE" in unverified.stdout
    verified = demur_here("release", "verify", "small", "--allowed-signers", str(tmp_path / "signers"), home=home.root)
    assert verified.returncode == 0 and "a signature by ada@example.org" in verified.stdout
    again = demur_here("release", "sign", "small", "--key", str(key), home=home.root)
    assert again.returncode == 2 and "already exists" in again.stderr
