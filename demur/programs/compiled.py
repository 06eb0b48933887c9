"""Compiled programs, read from the files that DSPy saves.

Their instructions and demonstrations come from an optimiser.
"""

import json
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

import dspy

from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.completions import Grader
from demur.programs.errors import ProgramError
from demur.programs.perturbation import Verifier

Program: TypeAlias = dspy.Module
"""A program, compiled or not."""
_METADATA: Final = "metadata"
"""A key of saved programs beside their predictors."""


class ProgramKind(StrEnum):
    """The programs that a round can load from a file."""

    GRADER = "grader"
    VERIFIER = "verifier"


def program_of(kind: ProgramKind) -> dspy.Module:
    """Return demur's own program of a kind, without demonstrations."""
    return Grader() if kind is ProgramKind.GRADER else Verifier()


def load_compiled(path: Path, kind: ProgramKind) -> dspy.Module:
    """Return demur's program of a kind with the instructions and demonstrations of a file.

    Raises:
        ProgramError: the file cannot be read, or was saved from another program or another version of its prompt.
    """
    program = program_of(kind)
    known = dict(program.named_predictors())
    for name, (instructions, demos) in _state(path, kind, known).items():
        predictor = known[name]
        predictor.demos = demos
        if instructions != predictor.signature.instructions:
            predictor.signature = predictor.signature.with_instructions(instructions)
    try:
        fingerprint(program)
    except ProgramError as exc:
        raise ProgramError(f"{path}: a demonstration does not fit the {kind} of this version: {exc}") from exc
    return program


def _state(
    path: Path, kind: ProgramKind, known: dict[str, dspy.Predict]
) -> dict[str, tuple[str, list[dict[str, object]]]]:
    shape = f"Name a JSON file that `save` of an optimised {kind} wrote"
    try:
        saved = json.loads(path.read_bytes())
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be read ({exc.strerror}). {shape}") from exc
    except ValueError as exc:
        raise ProgramError(f"{path}: is not JSON. {shape}") from exc
    if not isinstance(saved, dict) or saved.keys() - {_METADATA} != known.keys():
        found = ", ".join(sorted(saved.keys() - {_METADATA})) if isinstance(saved, dict) else type(saved).__name__
        raise ProgramError(f"{path}: has {found or 'nothing'}, but a {kind} has {', '.join(known)}. {shape}")
    read = {}
    for name, predictor in known.items():
        try:
            signature = saved[name]["signature"]
            read[name] = str(signature["instructions"]), [dict(demo) for demo in saved[name]["demos"]]
            same = signature["fields"] == predictor.dump_state()["signature"]["fields"]
        except (KeyError, TypeError, ValueError) as exc:
            raise ProgramError(f"{path}: {name}: is not the state of a predictor ({exc}). {shape}") from exc
        if not same:
            raise ProgramError(
                f"{path}: {name}: was saved with another version of the {kind}'s prompt, which has other fields. "
                f"Optimise the {kind} again"
            )
    return read
