"""The command line `demur`: each command parses its options, calls another package and prints the result.

Commands, their options, tables and progress bars belong here. The work of a command lies in the package that it calls;
pages and shared tables lie in `reports`. Heavy libraries are imported when a command runs, so `--help` stays quick.
"""

import inspect
import traceback
from contextlib import suppress
from typing import Annotated, Final

import typer
from typer.exceptions import TyperException

from demur.cli import (
    audit,
    doctor,
    evaluate,
    evaluations,
    explore,
    grading,
    home,
    imports,
    inputs,
    rbr,
    release,
    round,
    simulate,
)
from demur.cli.terminal.printing import echo, fill_closed_streams, replace_unprintable
from demur.cli.terminal.process_exit import (
    INTERRUPTED,
    announce_interruptions,
    announce_stop,
    exit_process,
    is_interruption,
)
from demur.programs.installation import installed_version, missing_packages_named


def _print_version(requested: bool) -> None:
    if requested:
        echo(f"demur {installed_version()}")
        raise typer.Exit()


app: Final = typer.Typer(
    name="demur",
    help="Generate, verify, evaluate, grade and freeze refusal benchmarks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options before a command."""


app.command("round", epilog=round.ROUND_EXAMPLES)(round.run_whole_round)
app.command("rounds", epilog=round.ROUNDS_EXAMPLES)(round.list_rounds)
app.command("record", epilog=round.RECORD_EXAMPLES)(round.record_round)
app.command("evaluate", epilog=evaluate.EVALUATE_EXAMPLES)(evaluate.evaluate_release)
app.command("plan", epilog=round.PLAN_EXAMPLES)(round.plan_round)
app.command("costs", epilog=round.COSTS_EXAMPLES)(round.show_costs)
app.command("sql", epilog=explore.SQL_EXAMPLES)(explore.run_sql)
app.command("explore", epilog=explore.EXPLORE_EXAMPLES)(explore.explore_results)
app.command("score", epilog=evaluate.SCORE_EXAMPLES)(evaluate.score_file)
app.add_typer(inputs.config_app, name="config")
app.add_typer(imports.app, name="import")
app.add_typer(audit.app, name="audit")
app.add_typer(inputs.levers_app, name="levers")
app.add_typer(rbr.app, name="rbr")
release.app.command("diff", epilog=release.DIFFERENCES_EXAMPLES)(release.show_differences)
app.add_typer(release.app, name="release")
app.add_typer(grading.app, name="judge")
app.add_typer(evaluations.app, name="evaluations")
app.add_typer(home.batches_app, name="batches")
app.add_typer(inputs.corpus_app, name="corpus")
app.add_typer(home.warehouse_app, name="warehouse")
app.add_typer(home.home_app, name="home")
app.command("simulate", epilog=simulate.EXAMPLES)(simulate.run)
app.command("doctor")(doctor.run)
app.command("health")(home.run)
app.command("metrics", epilog=explore.METRICS_EXAMPLES)(explore.serve_metrics)


def _unbroken(commands: typer.Typer) -> None:
    """Join the lines of each paragraph in help texts, so that help texts fill the width of the terminal."""
    for command in commands.registered_commands:
        paragraphs = (inspect.getdoc(command.callback) or "").split("\n\n")
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _unbroken(group.typer_instance)


_unbroken(app)

BUG: Final = 1
BAD_INPUT: Final = 2
STOPPED_BY_CAP: Final = 3
_NO_MEMORY: Final = (
    "demur: out of memory. Allow more: a small round needs 2.5 GB of address space (`ulimit -v`); or lower "
    "shards_at_once and limits.concurrency. Answers are kept; the same command continues"
)


def main() -> None:
    """Run the command line.

    An error that the user can correct, or an error of the operating system, prints one message without a traceback and
    ends with status 2. A cap that stops a round prints one message and ends with status 3.
    """
    fill_closed_streams()
    replace_unprintable()
    announce_interruptions()
    try:
        with missing_packages_named():
            status = app(prog_name="demur", standalone_mode=False) or 0
    except (typer.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except BrokenPipeError:
        status = 0
    except SystemExit as exc:  # raised by typer if the pipe of its help is closed
        status = 0 if isinstance(exc.__context__, BrokenPipeError) else BUG
    except Exception as exc:
        status = INTERRUPTED if is_interruption(exc) else _explain(exc)
    if status == INTERRUPTED:  # the parser also returns this status
        announce_stop()
    exit_process(status)


def _explain(exc: Exception) -> int:
    """Print an error and return the exit status: 2 or 3 for errors of demur and of the parser, 1 for bugs."""
    if isinstance(exc, MemoryError) or "failed to map segment" in str(exc):  # raised while a library is loaded
        echo(_NO_MEMORY, err=True)
        return BAD_INPUT
    if isinstance(exc, TyperException) and hasattr(exc, "show"):
        exc.show()
        return BAD_INPUT
    from demur.errors import OURS, CapReachedError

    if isinstance(exc, OURS):
        _say(exc)
        return STOPPED_BY_CAP if isinstance(exc, CapReachedError) else BAD_INPUT
    if isinstance(exc, OSError):
        from demur.warehouse.errors import explained

        echo(f"demur: {explained(exc)}", err=True)
        return BAD_INPUT
    traceback.print_exception(exc)
    return BUG


def _say(exc: Exception) -> None:
    """Print the message of an error, as a line of JSON if DEMUR_LOG asks for JSON."""
    from demur.configuration.settings import logs_json
    from demur.errors import ConfigError

    with suppress(ConfigError):
        if logs_json():
            from demur.engine.logs import unquoted, write_line

            write_line({"level": "ERROR", "event": "error", "error": type(exc).__name__, "message": unquoted(exc)})
            return
    echo(f"demur: {exc}", err=True)
