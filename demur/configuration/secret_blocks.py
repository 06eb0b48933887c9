"""Keys in Prefect Secret blocks, read once in a process and kept in memory only."""

import asyncio
import contextvars
import inspect
import json
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from demur.errors import ConfigError


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
