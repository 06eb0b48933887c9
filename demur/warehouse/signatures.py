"""Signatures of files by SSH keys, made and checked by OpenSSH's ssh-keygen; nothing here sees a private key.

The signature of FILE is checked without demur by

    ssh-keygen -Y verify -f ALLOWED_SIGNERS -I WHO -n demur-release -s FILE.sig < FILE
"""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from demur.warehouse.errors import WarehouseError

NAMESPACE: Final = "demur-release"
"""What ssh-keygen keeps apart by: a signature made for something else, such as a commit, does not count here."""


def sign(file: Path, key: Path) -> bytes:
    """Return the signature of a file by a private key, or by the agent's key whose public half is given.

    ssh-keygen asks for the key's passphrase on the terminal, and writes there what is wrong.

    Raises:
        WarehouseError: ssh-keygen is not installed, or it could not sign.
    """
    ended = _ssh_keygen(file, "-q", "-Y", "sign", "-f", str(key.resolve()), "-n", NAMESPACE, stderr=None)
    if ended.returncode != 0:
        raise WarehouseError(
            f"ssh-keygen could not sign with {key} (its message stands above). Give a private key, or the public half "
            "of a key in ssh-agent"
        )
    return ended.stdout


def signer(file: Path, signature: Path, allowed_signers: Path) -> str | None:
    """Return who signed a file as it is now, by the file of allowed signers; None if nobody in it did.

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
