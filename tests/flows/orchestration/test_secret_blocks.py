"""Keys in Prefect's Secret blocks: what a missing one says is a command that saves it."""

import subprocess

import pytest

from demur.configuration.settings import secret_block
from demur.errors import ConfigError

KEY = "sk-planted-0123456789abcdef"


@pytest.mark.usefixtures("prefect_api")
def test_missing_block_names_the_command_that_asks_for_its_key_and_saves_it() -> None:
    with pytest.raises(ConfigError, match="api_key_block 'planted-key' cannot be read from Prefect") as caught:
        secret_block("planted-key")
    command = str(caught.value).rpartition("(this asks for the key): ")[2]
    done = subprocess.run(
        command, shell=True, input=f"{KEY}\n", capture_output=True, text=True, start_new_session=True
    )  # without a terminal the key is read from its input
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    assert secret_block("planted-key") == KEY
