"""Reads the expectations of a stage's gate from SQL files.

An integrity expectation is a query for the rows that violate it. A sample expectation is a query for `subject`,
`successes` and `trials`. A stage's own expectations are in a file beside the stage's code. Expectations for every stage
are in `every_stage.sql`. The placeholders `${...}` of that file are replaced by names, keys and allowed values from the
model of the stage's table.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from string import Template
from typing import Final

from demur.levers.vocabulary import Intensity, LeverClass, expectations
from demur.warehouse.tables import Table
from demur.warehouse.tables.models import models

ACCOUNTED: Final = "units_accounted"
# The head of an expectation: `-- share coverage: at least`, or `-- name: columns`, and lines of comment. The groups are
# the word `share`, the name, the bound or the columns, and the comment.
_HEAD = re.compile(r"^-- (share )?([\w${}]+)(?:: (.+))?\n((?:-- .+\n)+)", re.MULTILINE)
_PARAMETER = re.compile(r"\$([a-z_]+)")


def _possible_items() -> Iterator[str]:
    for lever_class in (None, *LeverClass):
        for intensity in (None, *Intensity):
            stratum = [part for part in (lever_class, intensity) if part is not None]
            for expectation in expectations(lever_class, intensity):
                yield " ".join([*stratum, expectation])


_VALUES: Final[Mapping[str, list[str]]] = {"expected": list(_possible_items())}
"""Values of further parameters: `$expected` lists class, intensity and expected behaviour of all possible items."""


class Gate(StrEnum):
    """Kinds of gates.

    A failed integrity gate stops the round; a failed sample gate warns, or stops if so configured.
    """

    INTEGRITY = "integrity"
    SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation.

    `sql` returns the rows that violate an integrity expectation, or successes and trials of a sample expectation.
    `at_least` is True for a lower bound of a share, False for an upper bound, and None for an integrity expectation.
    The value of the bound is the field of GateBounds with the expectation's name.
    """

    name: str
    subject: str
    meaning: str
    sql: str
    values: Mapping[str, list[str]] = field(default_factory=dict)
    at_least: bool | None = None

    @property
    def gate(self) -> Gate:
        """Return the kind of gate that the expectation belongs to."""
        return Gate.INTEGRITY if self.at_least is None else Gate.SAMPLE

    def parameters(self, round_id: str, stage: str) -> dict[str, object]:
        """Return the statement's parameters."""
        known = {"round_id": round_id, "stage": stage, **_VALUES, **self.values}
        return {name: known[name] for name in set(_PARAMETER.findall(self.sql))}

    def query(self, round_id: str, stage: str) -> str:
        """Return the statement on one line, with its values as literals."""
        values = self.parameters(round_id, stage)
        return " ".join(_PARAMETER.sub(lambda found: _literal(values[found[1]]), self.sql).split())


@dataclass(frozen=True, slots=True)
class StageGate:
    """The gate of one stage: the table of its rows, and the file of its own expectations.

    `own_round` is False if the stage's table may have rows of other rounds.
    """

    stage: str
    table: Table
    file: Path
    own_round: bool = True

    def suite(self, gate: Gate) -> str:
        """Return the name of the suite (in Great Expectations) for one kind of gate."""
        return f"{self.stage}.{gate}"

    def expectations(self) -> tuple[Expectation, ...]:
        """Return the expectations for every stage, then the stage's own; an own expectation replaces a namesake."""
        return _expectations(self)

    def expectation(self, gate: Gate, name: str) -> Expectation:
        """Return the expectation `name` of the gate's kind `gate`."""
        return next(one for one in self.expectations() if (one.gate, one.name) == (gate, name))

    def kinds(self) -> list[Gate]:
        """Return the kinds of gates that the stage has."""
        found = {expectation.gate for expectation in self.expectations()}
        return [gate for gate in Gate if gate in found]


@cache
def _expectations(gate: StageGate) -> tuple[Expectation, ...]:
    found = {expectation.name: expectation for expectation in _of_every_stage(gate)}
    if not gate.own_round:
        del found["rows_of_another_round"]
    own = _read(gate.file, gate.table) if gate.file.is_file() else ()
    return tuple({**found, **{one.name: one for one in own}}.values())


def _of_every_stage(gate: StageGate) -> Iterator[Expectation]:
    schema = models()[gate.table].to_schema()
    single = [name for name, column in schema.columns.items() if column.unique and name != "unit_id"]
    keys = [[name] for name in single]
    if schema.unique:  # the key of several columns comes first: it is the main key
        keys.insert(0, list(schema.unique))
    checks = {name: {check.name: check for check in column.checks} for name, column in schema.columns.items()}
    filled = [name for name, found in checks.items() if "str_length" in found]
    common = {"table": gate.table.value, "filled": ", ".join(filled)}
    for expectation in _read(Path(__file__).parent / "every_stage.sql", gate.table):
        if "${column}" in expectation.sql:
            for name, found in checks.items():
                if "isin" in found:
                    allowed = list(found["isin"].statistics["allowed_values"])
                    words = {**common, "key": ", ".join(keys[0]), "column": name, "allowed": ", ".join(allowed)}
                    yield _filled(expectation, words, {"allowed": allowed})
        elif "${label}" in expectation.name:
            for key in keys:
                label = "keys" if key == keys[0] else ", ".join(key)
                yield _filled(expectation, {**common, "key": ", ".join(key), "label": label}, {})
        else:
            yield _filled(expectation, {**common, "key": ", ".join(keys[0])}, {})


def _filled(expectation: Expectation, words: Mapping[str, str], values: Mapping[str, list[str]]) -> Expectation:
    """Return an expectation of `every_stage.sql` for one table; `words` replace the placeholders `${...}`."""

    def put(text: str) -> str:
        return _Braced(text).safe_substitute(words)

    return Expectation(
        put(expectation.name), put(expectation.subject), put(expectation.meaning), put(expectation.sql), values
    )


class _Braced(Template):
    """A template that replaces `${name}`, but leaves DuckDB's parameters `$name` unchanged."""

    # Template asks for all four groups; `(?!)` never matches.
    pattern = r"\$\{(?P<braced>[a-z_]+)\}|(?P<escaped>(?!))|(?P<named>(?!))|(?P<invalid>(?!))"  # type: ignore[assignment]


@cache
def _read(file: Path, table: Table) -> tuple[Expectation, ...]:
    text = file.read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return tuple(_expectation(head, text[head.end() : end], table) for head, end in zip(heads, ends, strict=True))


def _expectation(head: re.Match[str], sql: str, table: Table) -> Expectation:
    share, name, after_colon, comment = head.groups()
    meaning = " ".join(line.removeprefix("-- ") for line in comment.splitlines())
    statement = sql.strip().removesuffix(";")
    if share:
        return Expectation(name, "", meaning, statement, at_least=after_colon == "at least")
    subject = f"{table}: {after_colon}" if after_colon else table.value
    return Expectation(name, subject, meaning, statement)


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return "'" + str(value).replace("'", "''") + "'"
