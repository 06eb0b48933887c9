"""Files of round configurations: finding and reading them."""

from pathlib import Path

from demur.configuration.round_config import SHIPPED, RoundConfig
from demur.errors import ConfigError
from demur.levers.errors import LeverError
from demur.levers.yaml_file import read_yaml


def find_round_config(name_or_path: str) -> Path:
    """Return the path of a round configuration: a file, or a shipped configuration by name, such as "embedded".

    Raises:
        ConfigError: there is no such file and no such name.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    ours = SHIPPED / f"{name_or_path}.yaml"
    if path.name == name_or_path and ours.is_file():
        return ours
    if "://" in name_or_path:
        raise ConfigError(
            f"round configuration '{name_or_path}' is an address. A configuration names addresses, keys and code, so "
            "it is read from this machine only: download it, look at it, and name the file"
        )
    names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.yaml")))
    raise ConfigError(
        f"round configuration '{name_or_path}' is neither a file nor one of ours ({names}). Name one of these, or a "
        "file"
    )


def read_round_config(path: Path) -> RoundConfig:
    """Return the round configuration in a file. Relative paths in it are relative to the folder of the file.

    Raises:
        ConfigError: the file is invalid; the message has one line for every problem.
    """
    try:
        return read_yaml(path, RoundConfig, "demur config schema", context={"paid_stages": _paid_stages})
    except LeverError as exc:
        raise ConfigError(str(exc)) from exc


def _paid_stages() -> tuple[str, ...]:
    """Return the names of the stages that may have a cap.

    This imports all stages, which takes a second. It is therefore called only for configurations with caps.
    """
    from demur.flows.stages.registry import PAID_STAGES

    return PAID_STAGES
