"""Recordings in a round: checks of the recorded models, their recorded draws, and facts for the release."""

from collections.abc import Iterator, Mapping
from typing import Any

from demur.engine.context import RoundContext
from demur.engine.reply_key import ReplyKey
from demur.errors import ConfigError
from demur.lanes.spec import ModelSpec
from demur.programs.errors import ProgramError
from demur.programs.recording import Recording, read_recording
from demur.warehouse.connection import Connection
from demur.warehouse.records import records


def recorded_specs(context: RoundContext) -> Iterator[tuple[ModelSpec, Recording, str]]:
    """Yield the models of a round that answer from recordings, with the recording and their names in it.

    Raises:
        ProgramError: a recording cannot be read.
    """
    for spec in context.specs(tuple(model.name for model in context.config.models)):
        if spec.recording is not None:
            path, name = spec.recording
            yield spec, read_recording(path), name


def check_recordings(context: RoundContext) -> None:
    """Return if the recordings of a round's models can be read, and hold these models in the roles that they have.

    Raises:
        ConfigError: they cannot, or do not.
    """
    named = context.config.named()
    problems = []
    generators = context.specs(context.config.roles.generators)
    if context.config.generation.lever_choice == "recorded" and not any(spec.recording for spec in generators):
        raise ConfigError("generation.lever_choice: recorded is for recorded generators. Use assigned or generator")
    try:
        for spec, recording, name in recorded_specs(context):
            wanted = {role.removesuffix("s") for role, names in named.items() if spec.name in names}
            lacking = wanted - set(recording.speaker(name).roles) if wanted and spec.fallback is None else set()
            if lacking:
                problems.append(
                    f"model '{spec.name}': recording {recording.path} has no replies of '{name}' as "
                    + ", ".join(sorted(lacking))
                )
    except ProgramError as exc:
        raise ConfigError(str(exc)) from exc
    if problems:
        raise ConfigError("; ".join(problems) + ". Record them, or name another model for that role")


def recorded_facts(context: RoundContext, con: Connection) -> list[dict[str, Any]]:
    """Return what was read from recordings in a round, a row per model: how much, who gave it and when, which file."""
    counted = {row["model"]: row for row in records(con, "recorded_replies", [context.round_id])}
    return [
        {
            "model": spec.name,
            "replies": counted[spec.name]["replies"],
            "earlier_prompts": counted[spec.name]["earlier_prompts"],
            "recording": recording.path.name,
            **recording.speaker(name).model_dump(
                mode="json", include={"asked", "answered_by", "note", "first", "last"}
            ),
        }
        for spec, recording, name in recorded_specs(context)
        if spec.name in counted
    ]


def recorded_draws(spec: ModelSpec, key: ReplyKey, inputs: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return what a recorded model has replies for, of all that could be drawn for a unit; none where it has none.

    `inputs` are those of the unit, what is drawn left out.
    """
    if spec.recording is None:
        return []
    path, name = spec.recording
    return read_recording(path).drawn(key.stage, name, key.of(inputs))
