"""Compiled programs as files: instructions and demonstrations as plain JSON, checked against their program."""

import json
from pathlib import Path
from typing import Any, Final, Literal

import dspy
from pydantic import Field, JsonValue, ValidationError

from demur.levers.durable import replace_durably
from demur.levers.instances import Frozen
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.compiled.kinds import ProgramKind, program_of
from demur.programs.errors import ProgramError

FORMAT: Final = "demur-compiled/1"


class Demonstration(Frozen):
    """One whole exchange that a program shows before it asks."""

    inputs: dict[str, JsonValue]
    reply: dict[str, JsonValue]


class CompiledPredictor(Frozen):
    """What an optimiser chose for one question of a program."""

    instructions: str = Field(min_length=1)
    demonstrations: tuple[Demonstration, ...]


class CompiledFile(Frozen):
    """A compiled program; `made` says how, by what and how well, and decides nothing."""

    format: Literal["demur-compiled/1"] = FORMAT
    program: ProgramKind
    fingerprint: str
    predictors: dict[str, CompiledPredictor]
    made: dict[str, JsonValue]


def compiled_file(kind: ProgramKind, program: dspy.Module, made: dict[str, JsonValue]) -> CompiledFile:
    """Return a compiled program as what a file holds; demonstrations that lack a field are left out, as in prompts."""
    predictors = {}
    for name, predictor in program.named_predictors():
        signature = predictor.signature
        codec = contract(signature)
        shown = []
        for demo in predictor.demos:
            if all(key in demo for key in signature.fields):
                inputs = codec.inputs.model_validate({key: demo[key] for key in signature.input_fields})
                reply = codec.outputs.model_validate({key: demo[key] for key in signature.output_fields})
                shown.append(Demonstration(inputs=inputs.model_dump(mode="json"), reply=reply.model_dump(mode="json")))
        predictors[name] = CompiledPredictor(instructions=signature.instructions, demonstrations=tuple(shown))
    found = CompiledFile(program=kind, fingerprint="", predictors=predictors, made=made)
    return found.model_copy(update={"fingerprint": fingerprint(_built(found))})


def save_compiled(found: CompiledFile, path: Path) -> None:
    """Write a compiled program to a file, in place of one that is there.

    Raises:
        ProgramError: it cannot be written.
    """
    text = json.dumps(found.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    try:
        replace_durably(path, text.encode())
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be written ({exc.strerror}). Name another file with --out") from exc


def load_compiled(path: Path, kind: ProgramKind) -> dspy.Module:
    """Return the compiled program that a file holds.

    Raises:
        ProgramError: the file cannot be read, is for another program, or was made for another version of its prompt.
    """
    try:
        found = CompiledFile.model_validate_json(path.read_bytes())
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be read ({exc.strerror}). Name what `demur compile` wrote") from exc
    except ValidationError as exc:
        problem = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, problem["loc"])) or "the file"
        raise ProgramError(f"{path}: {place}: {problem['msg']}. Name what `demur compile` wrote") from exc
    if found.program is not kind:
        raise ProgramError(f"{path}: is a compiled {found.program}, and a {kind} is wanted. Name another file")
    try:
        program = _built(found)
    except (ValidationError, KeyError) as exc:
        raise ProgramError(f"{path}: does not fit the {kind} of this version. Compile it again") from exc
    if (actual := fingerprint(program)) != found.fingerprint:
        raise ProgramError(
            f"{path}: makes the fingerprint {actual}, and says {found.fingerprint}: it was edited, or made for another "
            f"version of the {kind}'s prompt. Compile it again"
        )
    return program


def _built(found: CompiledFile) -> dspy.Module:
    program = program_of(found.program)
    known = dict(program.named_predictors())
    if known.keys() != found.predictors.keys():
        raise KeyError(", ".join(found.predictors))
    for name, predictor in known.items():
        chosen = found.predictors[name]
        codec = contract(predictor.signature)
        demos: list[dict[str, Any]] = []
        for demonstration in chosen.demonstrations:
            inputs = codec.inputs.model_validate_json(json.dumps(demonstration.inputs))
            reply = codec.outputs.model_validate_json(json.dumps(demonstration.reply))
            demos.append({key: getattr(part, key) for part in (inputs, reply) for key in type(part).model_fields})
        predictor.demos = demos
        if chosen.instructions != predictor.signature.instructions:
            predictor.signature = predictor.signature.with_instructions(chosen.instructions)
    return program
