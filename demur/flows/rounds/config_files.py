"""Files of round configurations: ours by name, and the content of a file."""

from pathlib import Path

from demur.configuration.round_config import SHIPPED, RoundConfig
from demur.errors import ConfigError
from demur.levers.errors import LeverError
from demur.levers.yaml_file import read_yaml


def find_round_config(name_or_path: str) -> Path:
    """Return the path of a round configuration: a file, or one of ours by its name ('embedded').

    Raises:
        ConfigError: there is neither.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    ours = SHIPPED / f"{name_or_path}.yaml"
    if path.name == name_or_path and ours.is_file():
        return ours
    names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.yaml")))
    raise ConfigError(f"round configuration '{name_or_path}' is no file, and none of ours ({names}). Give either")


def read_round_config(path: Path) -> RoundConfig:
    """Return a round's configuration as written in its file; relative paths start at the file's folder.

    Raises:
        ConfigError: one line for every problem found.
    """
    try:
        return read_yaml(path, RoundConfig, "demur config schema", context={"paid_stages": _paid_stages})
    except LeverError as exc:
        raise ConfigError(str(exc)) from exc


def _paid_stages() -> tuple[str, ...]:
    """Return the stages allowed in caps; the import takes a second and is only for configurations with stage caps."""
    from demur.flows.stages.registry import PAID_STAGES

    return PAID_STAGES
