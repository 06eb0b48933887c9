"""Recordings in a round, and the keys by which recorded replies are found."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from demur.engine.context import RoundContext, digest_of
from demur.errors import ConfigError
from demur.lanes.spec import ModelSpec
from demur.programs.call_scope import Decided
from demur.programs.errors import ProgramError
from demur.programs.recording import Recording, read_recording
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Keys by which recorded replies are found, also after a change of code or configuration.
#
# A key is a hash of the deciding inputs of a unit. The key does not depend on the wording of prompts, versions of
# code, names of models or ids of rows.


BASE: Final = ("question", "answers", "passages")
STRATUM: Final = ("class", "intensity")
COMPLETION: Final = ("policy", "behaviour", "prompt", "grounding")
KEY_DIGITS: Final = 16
_SHOWN: Final = (*STRATUM, "behaviour", "label", "lever_id")


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """The deciding inputs of a stage's units.

    If the inputs have a language, the language is a deciding input too.

    Attributes:
        stage: The name of the stage.
        given: Names of the deciding inputs.
        model: The name of the input with the label of the asked model. A label can include the set of prompts ("name
            (set)") or the number of a repeated judgement ("name#2"). The set of prompts and this number are deciding
            inputs too.
        drawn: Names of inputs that were drawn at random.
    """

    stage: str
    given: tuple[str, ...]
    model: str
    drawn: tuple[str, ...] = ()

    def decided(self, inputs: Mapping[str, Any]) -> Decided:
        """Return the key, the drawn values and a short description of a unit."""
        drawn = tuple(name for field in self.drawn for name in inputs.get(field, ()))
        return Decided(self.of(inputs), drawn, self._words(inputs, drawn))

    def of(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of a unit's deciding inputs without drawn values."""
        label = str(inputs.get(self.model, ""))
        _, _, prompts = label.partition(" (")
        _, _, judging = label.partition("#")
        given = [inputs.get(field) for field in self.given]
        given += [inputs["language"]] if inputs.get("language") else []
        return digest_of(self.stage, given, prompts.rstrip(")"), judging)[:KEY_DIGITS]

    def _words(self, inputs: Mapping[str, Any], drawn: tuple[str, ...]) -> str:
        question = str(inputs.get("question") or inputs.get("prompt") or "")
        words = [f"{self.stage} of {json.dumps(question[:80], ensure_ascii=False)}"]
        words += [str(inputs[field]) for field in _SHOWN if inputs.get(field)]
        words += [", ".join(drawn)] if drawn else []
        words += [f"base {inputs['base_id']}"] if inputs.get("base_id") else []
        return ", ".join(words)


# Recordings in a round: checks of the recorded models, their recorded draws, and facts for the release.


def recorded_specs(context: RoundContext) -> Iterator[tuple[ModelSpec, Recording, str]]:
    """Yield the recorded models of a round, as (spec, recording, name in the recording).

    Raises:
        ProgramError: a recording cannot be read.
    """
    for spec in context.specs(tuple(model.name for model in context.config.models)):
        if spec.recording is not None:
            path, name = spec.recording
            yield spec, read_recording(path), name


def check_recordings(context: RoundContext) -> None:
    """Check that the recordings of a round can be read and have replies in the roles of their models.

    Raises:
        ConfigError: a recording cannot be read, or lacks replies in a role.
    """
    named = context.config.named()
    problems = []
    generators = context.specs(context.config.roles.generators)
    if context.config.generation.lever_choice == "recorded" and not any(spec.recording for spec in generators):
        raise ConfigError(
            "generation.lever_choice: recorded needs a generator of provider recorded. Set assigned or generator"
        )
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
        raise ConfigError("; ".join(problems) + ". Record these replies, or name another model for that role")


def recorded_facts(context: RoundContext, con: Connection) -> list[dict[str, Any]]:
    """Return facts on the recordings used in a round, one row per model.

    A row has the number of replies, the source and the dates of the replies, and the name of the file.
    """
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
    """Return the draws for which the model's recording has replies to a unit.

    A draw is a tuple of drawn values, such as levers. The list is empty if the model has no recording, or if the
    recording has no replies to the unit. `inputs` are the inputs of the unit without its drawn values.
    """
    if spec.recording is None:
        return []
    path, name = spec.recording
    return read_recording(path).drawn(key.stage, name, key.of(inputs))
