"""`demur config`: new round configurations, full configurations, and the schema."""

import json
import re
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_config
from demur.cli.printing import echo

app: Final = typer.Typer(
    help="Write a new round configuration, show one in full, print the schema.", no_args_is_help=True
)

NEW_EXAMPLES: Final = """
[bold]Examples[/bold]

demur config new my-round.yaml                     four API models in every role, with comments on every field

demur config new mine.yaml --from rules            the rules lane, no keys needed
"""


@app.command("new", epilog=NEW_EXAMPLES)
def new(
    file: Annotated[Path, typer.Argument(help="File to write; its name becomes the round's.", metavar="FILE.yaml")],
    base: Annotated[
        str,
        typer.Option("--from", help="Configuration to copy: one of ours, or a file.", autocompletion=complete_config),
    ] = "frontier",
) -> None:
    """Write a copy of a round configuration, with its comments, under a new name."""
    from demur.configuration.round_config import FRESH, NAME
    from demur.errors import ConfigError
    from demur.flows.rounds.config_files import find_round_config, read_round_config

    source = find_round_config(base)
    old = read_round_config(source)
    if not re.fullmatch(NAME, file.stem):
        raise ConfigError(f"{file}: '{file.stem}' is not a valid name for a round ({NAME}). Rename the file")
    text = source.read_text(encoding="utf-8")
    for field, value in {"name": file.stem, "round_id": file.stem + (f"-{FRESH}" if old.fresh else "")}.items():
        text = re.sub(rf"^{field}: .*$", f"{field}: {value}", text, count=1, flags=re.M)
    text = re.sub(rf"^(# .*demur \w+ ){re.escape(old.name)}\b", lambda found: f"{found[1]}{file}", text, flags=re.M)
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError as exc:
        raise ConfigError(f"{file}: already exists. Name another file, or move the existing file away") from exc
    echo(f"{file}: a copy of {base}\n")
    echo(f"Next\n  demur doctor {file}\n  demur plan {file}\n  demur round {file}")


@app.command("show", epilog="Example: demur config show embedded")
def show(
    config: Annotated[
        str, typer.Argument(help="A YAML file, or the name of one of ours.", autocompletion=complete_config)
    ],
) -> None:
    """Print a configuration in full, with every default filled in, as YAML that `demur round` reads."""
    import yaml

    from demur.flows.rounds.config_files import find_round_config, read_round_config

    whole = read_round_config(find_round_config(config)).model_dump(mode="json")
    echo(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=120).rstrip())


@app.command("schema", epilog="Example: demur config schema > round.schema.json")
def schema() -> None:
    """Print the JSON Schema of a round configuration. With the schema, editors check the file while you type."""
    from demur.configuration.round_config import round_config_schema

    echo(json.dumps(round_config_schema(), indent=2))
