"""Settings from environment variables and Prefect Secret blocks, and checks of requests to demur's local servers."""

import asyncio
import contextvars
import hmac
import inspect
import json
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from demur.errors import ConfigError
from demur.lanes.spec import ModelSpec
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home

# Keys in Prefect Secret blocks, read once in a process and kept in memory only.


@cache
def secret_block(name: str) -> str:
    """Return the value of a Prefect Secret block.

    Raises:
        ConfigError: there is no such block, it is empty, or Prefect's API does not answer.
    """
    with ThreadPoolExecutor(1) as thread:  # a shard's event loop is running where keys are needed
        try:
            value = thread.submit(contextvars.copy_context().run, _load, name).result()
        except Exception as exc:  # Prefect raises ValueError, its client whatever goes wrong on the way
            raise ConfigError(
                f"api_key_block '{name}' cannot be read from Prefect: {type(exc).__name__}: {exc}. Save it (this asks "
                f"for the key): {save_command(name)}"
            ) from None
    if not value:
        raise ConfigError(
            f"api_key_block '{name}' is empty. Save it again (this asks for the key): {save_command(name)}"
        )
    return value


def save_command(name: str) -> str:
    """Return the command that asks for a key and saves it as a Secret block."""
    saved = f"Secret(value=getpass()).save({json.dumps(name)}, overwrite=True)"
    code = f"from getpass import getpass; from prefect.blocks.system import Secret; {saved}"
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def _load(name: str) -> str:
    """Return a block's value. The calling thread must have no running event loop."""
    from prefect.blocks.system import Secret

    async def load() -> str:
        found = Secret.load(name)
        block = await found if inspect.isawaitable(found) else found
        return str(block.get())

    return asyncio.run(load())


# Settings from environment variables: places of files, keys, and settings of libraries.
#
# Other modules do not read environment variables.


_CALLED_SECRET = re.compile(r"(_|^)(KEY|TOKEN|SECRET|PASSWORD|KEY_ID|TOKEN_BEDROCK)$", re.IGNORECASE)
TEMPORARY_API = "DEMUR_TEMPORARY_API"
"""Environment variable for the address of the temporary Prefect API that this process has started."""
_TRIED_BYTES = 2**20
LEAST_SECRET = 8
"""The shortest secret in characters; ordinary words contain shorter ones."""
LONGEST_NAME = 100
"""The longest name of a person who starts rounds, in characters."""
PATIENT = {"PREFECT_CLIENT_MAX_RETRIES": "7", "PREFECT_CLIENT_RETRY_EXTRA_CODES": "500"}
"""Prefect settings that let a round wait four minutes for a busy API (503) or its database (500)."""


def wait_for_prefect() -> None:
    """Let Prefect retry requests to its API for minutes, unless the user has set Prefect's retries."""
    for name, value in PATIENT.items():
        os.environ.setdefault(name, value)
    reread_prefect_settings()  # a worker's process has read its settings before it loads the flow


def reread_prefect_settings() -> None:
    """If Prefect is already imported, let Prefect read its settings from the environment again."""
    if "prefect.context" in sys.modules:
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()


def silence_prefect_log() -> None:
    """Silence Prefect's log unless the user has set a level; demur shows progress and errors itself.

    Prefect's handler of the root logger also gets the records of other libraries, such as those of an evaluated system.
    Of these, it then shows warnings and errors alone, as Python does without a handler.
    """
    if "PREFECT_LOGGING_LEVEL" not in os.environ:
        os.environ["PREFECT_LOGGING_LEVEL"] = "CRITICAL"
        os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "WARNING")


def demur_home() -> Home:
    """Return the home that DEMUR_HOME names; if the variable is not set, `.demur` in the working directory.

    Raises:
        ConfigError: DEMUR_HOME is no folder. In a Prefect worker, a relative path is an error too, since Prefect
            deletes the folder of a worker.
    """
    return home_at(os.environ.get("DEMUR_HOME", ".demur"))


def home_at(named: str) -> Home:
    """Return the home in a folder.

    Raises:
        ConfigError: as `demur_home`.
    """
    if "://" in named:
        raise ConfigError(
            f"DEMUR_HOME '{named.partition('://')[0]}://...' is no folder. Name a folder; releases and backups can be "
            "sent to an object store (demur release push, demur home backup)"
        )
    home = Path(named)
    if not home.is_absolute() and os.environ.get("PREFECT__FLOW_RUN_ID"):
        raise ConfigError(
            f"DEMUR_HOME '{home}' is not an absolute path, and a worker deletes the directory that a flow runs in. "
            'Start the worker with an absolute path: DEMUR_HOME="$PWD/.demur" prefect worker start --pool demur'
        )
    return Home(_as_duckdb_takes_it("DEMUR_HOME", home.resolve()))


def _as_duckdb_takes_it(variable: str, folder: Path) -> Path:
    """Return a folder whose path DuckDB can open.

    Raises:
        ConfigError: DuckDB would open another path, or the locale's encoding cannot express the path.
    """
    shown = ascii(str(folder))
    if found := next((character for character in "?\\" if character in str(folder)), None):
        raise ConfigError(
            f"{variable} {shown}: DuckDB cannot open a path with '{found}': rename the folder, or set {variable} to "
            "another folder"
        )
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError(
            f"{variable} {shown}: this locale's encoding {sys.getfilesystemencoding()} cannot express this path: "
            f"set LC_ALL=C.UTF-8 or PYTHONUTF8=1, or {variable} to another folder"
        ) from None
    return folder


def engine_named() -> str | None:
    """Return DEMUR_ENGINE, the engine to use in place of the engine in a round's configuration; None if unset."""
    return os.environ.get("DEMUR_ENGINE") or None


def state_named() -> str | None:
    """Return DEMUR_STATE, the address of a database for the state; None if unset."""
    return os.environ.get("DEMUR_STATE") or None


def logs_json() -> bool:
    """Return whether DEMUR_LOG asks for a log in lines of JSON.

    Raises:
        ConfigError: DEMUR_LOG is neither text nor json.
    """
    named = os.environ.get("DEMUR_LOG", "text") or "text"
    if named not in ("text", "json"):
        raise ConfigError(f"DEMUR_LOG '{named}' is not one of text, json")
    return named == "json"


def explorer_token() -> str | None:
    """Return DEMUR_EXPLORER_TOKEN, the token that browsers need to open the explorer; None if unset."""
    return os.environ.get("DEMUR_EXPLORER_TOKEN") or None


def started_by() -> str | None:
    """Return DEMUR_STARTED_BY, the name of the person who starts rounds; None if unset.

    Raises:
        ConfigError: the name is not one line of 1 to 100 printable characters.
    """
    named = os.environ.get("DEMUR_STARTED_BY")
    if not named:
        return None
    if not named.isprintable() or not named.strip() or len(named) > LONGEST_NAME:
        raise ConfigError(
            f"DEMUR_STARTED_BY {ascii(named[:LONGEST_NAME])} is not a name: give one line of 1 to {LONGEST_NAME} "
            "printable characters, or unset it"
        )
    return named.strip()


@contextmanager
def other_home(home: Home) -> Iterator[None]:
    """Set DEMUR_HOME to `home` inside the block, also for processes that start inside the block."""
    before = os.environ.get("DEMUR_HOME")
    os.environ["DEMUR_HOME"] = str(home.root)
    try:
        yield
    finally:
        if before is None:
            del os.environ["DEMUR_HOME"]
        else:
            os.environ["DEMUR_HOME"] = before


def temporary_api_home() -> Path | None:
    """Return Prefect's folder if demur has to start a Prefect API of its own; None if the user has named an API.

    To avoid a warning about an unwritable folder, Prefect is imported only if the folder has a `profiles.toml`, which
    may name an API.
    """
    home = Path(os.environ.get("PREFECT_HOME", "~/.prefect")).expanduser()
    named = os.environ.get("PREFECT_API_URL") or ((home / "profiles.toml").is_file() and prefect_api_url())
    return None if named else home


def check_writable(folder: Path) -> None:
    """Check that a folder can be written: write, sync and delete a file. A missing folder is created.

    Raises:
        WarehouseError: the folder cannot be written; the message gives cause and remedy.
    """
    with disk_explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".writable-") as file:
            file.write(bytes(_TRIED_BYTES))
            file.flush()
            os.fsync(file.fileno())


def keys_of(specs: Iterable[ModelSpec]) -> dict[str, str]:
    """Return secrets by environment variable or `block:NAME`, so that lanes can remove them from error messages.

    The secrets are the keys of `specs`, and all variables named key, token, secret or password, which SDKs may read.
    Unset variables are left out.

    Raises:
        ConfigError: a block cannot be read.
    """
    named = [one for spec in specs for one in (spec, spec.fallback) if one is not None]
    variables = {variable for spec in named for variable in spec.variables}
    keys = {
        name: value
        for name, value in os.environ.items()
        if value and (name in variables or (_CALLED_SECRET.search(name) and len(value) >= LEAST_SECRET))
    }
    for spec in named:
        if spec.api_key_block is not None and spec.key_source is not None:
            keys[spec.key_source] = secret_block(spec.api_key_block)
    return keys


def secret_of(variable: str) -> str:
    """Return a secret from its environment variable.

    Raises:
        ConfigError: the variable is not set.
    """
    found = os.environ.get(variable, "").strip()
    if not found:
        raise ConfigError(
            f"environment variable {variable}: is not set. Set it to the secret, or name another variable"
        )
    return found


def missing_keys(specs: Iterable[ModelSpec]) -> list[tuple[str, str]]:
    """Return (model name, environment variable) for each unset key."""
    return [(spec.name, variable) for spec in specs for variable in spec.variables if not os.environ.get(variable)]


def prefect_api_url() -> str | None:
    """Return the address of the user's Prefect API, from the environment or a profile; None if there is no such API."""
    if named := os.environ.get("PREFECT_API_URL"):
        return None if named == os.environ.get(TEMPORARY_API) else named
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a home that takes no file: `check_writable` says so
        from prefect.settings import PREFECT_API_URL

    return cast("str | None", PREFECT_API_URL.value())


# Checks of requests to demur's local servers, so that foreign web pages cannot use these servers.


def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address, which only this machine can reach."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def names_this_machine(host_header: str | None) -> bool:
    """Return whether a request's Host header is `localhost` or a loopback address.

    Other names give False even if they resolve to this machine, since an attacker can arrange that (DNS rebinding).
    """
    try:
        return is_loopback(urlsplit(f"//{host_header or ''}").hostname or "")
    except ValueError:
        return False


def is_same_origin(origin: str, host_header: str | None) -> bool:
    """Return whether a browser sent a request from a page of the same server."""
    try:
        return urlsplit(origin).netloc == host_header
    except ValueError:
        return False


def is_secret(given: bytes, secret: str) -> bool:
    """Return whether the bytes that a request gives are a secret; the time of the comparison tells nothing.

    Bytes are compared, since a header may have bytes that are no UTF-8.
    """
    return hmac.compare_digest(given, secret.encode())
