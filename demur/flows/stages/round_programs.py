"""The grader program and the verifier program of a round: shipped, or compiled if the configuration names a file."""

from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.compiled import Program, ProgramKind, load_compiled
from demur.programs.errors import ProgramError
from demur.programs.grader import grader_program
from demur.programs.verifier import Verifier


def round_grader(context: RoundContext) -> Program:
    """Return the round's grader program.

    Raises:
        ConfigError: the compiled program of the configuration cannot be used.
    """
    return _compiled(context, ProgramKind.GRADER) or grader_program(context.config.fit.grading)


def round_verifier(context: RoundContext) -> Program:
    """Return the round's verifier program.

    Raises:
        ConfigError: the compiled program of the configuration cannot be used.
    """
    return _compiled(context, ProgramKind.VERIFIER) or Verifier()


def check_compiled(context: RoundContext) -> None:
    """Check that every compiled program of the configuration can be used.

    Raises:
        ConfigError: a compiled program cannot be used.
    """
    for kind in ProgramKind:
        _compiled(context, kind)


def round_fingerprints(context: RoundContext) -> dict[str, str]:
    """Return the fingerprints of the round's verifier and grader, by role."""
    return {"verifier": fingerprint(round_verifier(context)), "grader": fingerprint(round_grader(context))}


def _compiled(context: RoundContext, kind: ProgramKind) -> Program | None:
    named = context.config.compiled.grader if kind is ProgramKind.GRADER else context.config.compiled.verifier
    if named is None:
        return None
    try:
        return load_compiled(context.file(named), kind)
    except ProgramError as exc:
        raise ConfigError(f"compiled.{kind}: {exc}") from exc
