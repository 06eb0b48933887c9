"""The texts of the taxonomy for prompts: classes, intensities and refusal codes, read from taxonomy.yaml.

`levers.vocabulary` defines codes, targets and precedence.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import Field, model_validator

from demur.levers.lever_models import Strict, Text
from demur.levers.vocabulary import CLASS_CODE, CLASS_TARGET, PRECEDENCE, Code, Intensity, LeverClass, Target
from demur.levers.yaml_file import read_yaml

OURS = Path(__file__).parent / "taxonomy.yaml"


class IntensityEntry(Strict):
    """An intensity of one class: the required change, what happens to accepted answers, the passages to change."""

    criterion: Text
    answer_constraint: Text
    strategy: Text


class ClassEntry(Strict):
    """One class of defect. `may_change` says what a lever may add, invent and remove."""

    lever_class: LeverClass = Field(alias="class")
    title: Text
    code: Code
    target: Target
    definition: Text
    may_change: Text
    intensities: dict[Intensity, IntensityEntry]

    @model_validator(mode="after")
    def _agrees_with_vocabulary(self) -> Self:
        if self.code is not CLASS_CODE[self.lever_class]:
            raise ValueError(f"code '{self.code}' must be '{CLASS_CODE[self.lever_class]}' for {self.lever_class}")
        if self.target is not CLASS_TARGET[self.lever_class]:
            raise ValueError(
                f"target '{self.target}' must be '{CLASS_TARGET[self.lever_class]}' for {self.lever_class}"
            )
        if absent := [intensity for intensity in Intensity if intensity not in self.intensities]:
            raise ValueError(f"intensities lacks {', '.join(absent)}. Describe all three")
        return self


class CodeEntry(Strict):
    """A refusal code, its short forms, when to give it, and an example.

    `line` tells the code apart from other codes. `several` replaces `when` in the published prompt for several
    passages.
    """

    code: Code
    short: tuple[Text, ...]
    when: Text
    several: Text | None = None
    line: Text
    example: Text | None = None


class Taxonomy(Strict):
    """All targets and classes, and all refusal codes in order of precedence, REFUSE_OTHER last."""

    version: Annotated[int, Field(ge=1)]
    targets: dict[Target, Text]
    classes: tuple[ClassEntry, ...]
    codes: tuple[CodeEntry, ...]

    def of(self, lever_class: LeverClass) -> ClassEntry:
        """Return the entry of a class."""
        return next(entry for entry in self.classes if entry.lever_class is lever_class)

    def definition(self, lever_class: LeverClass) -> str:
        """Return the definition of a class, with the text that tells the class apart from other classes."""
        entry = self.of(lever_class)
        line = next(code.line for code in self.codes if code.code is entry.code)
        return f"{entry.definition} {line}"

    @property
    def short_codes(self) -> Mapping[str, Code]:
        """Codes by their short forms."""
        return MappingProxyType({short: entry.code for entry in self.codes for short in entry.short})

    @model_validator(mode="after")
    def _complete_and_ordered(self) -> Self:
        if list(self.targets) != list(Target):
            raise ValueError(f"targets must be {', '.join(Target)}, once each and in this order")
        if [entry.lever_class for entry in self.classes] != list(LeverClass):
            raise ValueError(f"classes must be {', '.join(LeverClass)}, once each and in this order")
        if [entry.code for entry in self.codes] != [*PRECEDENCE, Code.OTHER]:
            raise ValueError(f"codes must be {', '.join([*PRECEDENCE, Code.OTHER])}, in this order of precedence")
        shorts = [short for entry in self.codes for short in entry.short]
        if len(set(shorts)) < len(shorts):
            raise ValueError(f"codes must have different short forms, but one is repeated: {', '.join(shorts)}")
        return self


@cache
def load_taxonomy() -> Taxonomy:
    """Return demur's taxonomy."""
    return read_yaml(OURS, Taxonomy)
