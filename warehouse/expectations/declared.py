"""What a gate expects, said as data: columns of a gate's frame, what they may hold, and where to look if they don't.

An integrity frame (`sql/gate_<stage>.sql`) has one row per combination of labels, with counts of the rows that break a
rule in a column named after the rule. A sample frame (`sql/gate_<stage>_sample.sql`) has one row per measure and
subject, with successes and trials. Nothing here imports Great Expectations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import CLASSES, INTENSITIES

ACCOUNTED: Final = "units_accounted"


class Gate(StrEnum):
    """The two kinds of gates: integrity stops a round, sample warns unless it is configured to stop."""

    INTEGRITY = "integrity"
    SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The counts in `column` add up to 0."""

    column: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """Every value of `column` is one of `allowed`, or null where the table allows it."""

    column: str
    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """Every value of `column` lies between `lowest` and `highest`, both included."""

    column: str
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class PairsOf:
    """Every pair of values of two columns is one of `allowed`."""

    first: str
    second: str
    allowed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Accounted:
    """The counts in `column` add up to the units of the plan, less those that failed."""

    column: str = "units"


Rule = NoneOf | OneOf | Between | PairsOf | Accounted


@dataclass(frozen=True, slots=True)
class Expected:
    """One integrity expectation; `look` is SQL that shows what breaks it, with `{round}` for the round's id."""

    name: str
    subject: str
    meaning: str
    rule: Rule
    look: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A share that a sample gate looks at; its bound is the field of that name of GateBounds.

    `at_least` says whether the bound is the lowest or the highest share that passes.
    """

    name: str
    meaning: str
    at_least: bool
    look: str


@dataclass(frozen=True, slots=True)
class StageGate:
    """What the gate of one stage expects of the rows in its table, and of the shares that they make."""

    stage: str
    table: Table
    expected: tuple[Expected, ...]
    measures: tuple[Measure, ...] = ()

    def suite(self, gate: Gate) -> str:
        """Return the name of the suite of one kind."""
        return f"{self.stage}.{gate}"


class Declaring:
    """Declares the expectations of one stage about its table, whose rows are identified by `key`."""

    def __init__(self, stage: str, table: Table, *key: str) -> None:
        self.stage = stage
        self.table = table
        self.key = key

    def none(self, name: str, meaning: str, *, where: str = "", joins: str = "", subject: str = "") -> Expected:
        """Expect that no row breaks a rule.

        Args:
            name: of the expectation and of the frame's column that counts the rows.
            meaning: what holds where none does.
            where: SQL condition of the rows that break it; the stage's live rows are `t`.
            joins: SQL joins that the condition needs, or that leave only the rows that break it.
            subject: columns at fault; the table where left out.
        """
        source = f"live_{self.table} t {joins}".rstrip()
        columns = ", ".join(f"t.{column}" for column in ("unit_id", *self.key))
        condition = f" AND {where}" if where else ""
        look = f"SELECT {columns} FROM {source} WHERE t.round_id = '{{round}}'{condition}"
        return Expected(name, self._subject(subject), meaning, NoneOf(name), look)

    def seen(self, name: str, meaning: str, look: str, subject: str = "") -> Expected:
        """Expect that no row breaks a rule, with a query of its own that shows those that do."""
        return Expected(name, self._subject(subject), meaning, NoneOf(name), look)

    def known(self, column: str, role: str) -> Expected:
        """Expect a column to name models that have the role in the round."""
        return self.none(
            f"{role}_unknown",
            f"Every {column} is one of the round's.",
            where=f"{column} NOT IN (SELECT unnest({role}) FROM rounds WHERE round_id = '{{round}}')",
            subject=column,
        )

    def one_of(self, column: str, allowed: Sequence[str]) -> Expected:
        """Expect a column's values to come from a closed vocabulary."""
        return Expected(
            f"{column}_in_vocabulary",
            self._subject(column),
            f"Every {column} is one of {', '.join(allowed)}.",
            OneOf(column, tuple(allowed)),
            f"SELECT {column}, count(*) AS number FROM live_{self.table} WHERE round_id = '{{round}}' GROUP BY ALL",
        )

    def stratum(self) -> list[Expected]:
        """Expect classes and intensities to be those of the 18 strata."""
        return [self.one_of("class", CLASSES), self.one_of("intensity", INTENSITIES)]

    def between(self, column: str, lowest: float, highest: float, *, of: str, where: str) -> Expected:
        """Expect `column` of the frame, made of the table's columns `of`, to lie in a range; `where` finds others."""
        columns = ", ".join(f"t.{name}" for name in ("unit_id", *self.key))
        return Expected(
            f"{column}_in_range",
            self._subject(of),
            f"Every {of} lies between {lowest:g} and {highest:g}.",
            Between(column, lowest, highest),
            f"SELECT {columns}, {of} FROM live_{self.table} t WHERE t.round_id = '{{round}}' AND {where}",
        )

    def basics(self, filled: Sequence[str], *, ids: Sequence[str] = (), own_round: bool = True) -> list[Expected]:
        """Expect what every stage needs: units accounted for, keys filled and unique, rows of this round only.

        Args:
            filled: columns that must not be empty texts.
            ids: columns each of which identifies a row too, besides the key.
            own_round: False where results outlive rounds.
        """
        keys = [", ".join(self.key), *ids]
        repeated = " OR ".join(
            f"({columns}) IN (SELECT ({columns}) FROM live_{self.table} WHERE round_id = '{{round}}' "
            "GROUP BY ALL HAVING count(*) > 1)"
            for columns in keys
        )
        unaccounted = (
            f"SELECT unit_id FROM units ANTI JOIN {self.table} USING (unit_id) "
            "ANTI JOIN failures USING (round_id, stage, unit_id) "
            f"WHERE round_id = '{{round}}' AND stage = '{self.stage}'"
        )
        foreign = (
            f"SELECT t.round_id, t.unit_id FROM units u JOIN {self.table} t USING (unit_id) "
            f"WHERE u.round_id = '{{round}}' AND u.stage = '{self.stage}' AND t.round_id <> u.round_id"
        )
        expected = [
            Expected(
                ACCOUNTED,
                self.table.value,
                "Every unit of the plan has its rows, or stands in failures.",
                Accounted(),
                unaccounted,
            ),
            self.none(
                "keys_repeated",
                f"No two rows have the same {', nor the same '.join(keys)}.",
                where=f"({repeated})",
                subject="; ".join(keys),
            ),
            self.none(
                "keys_blank",
                f"None of {', '.join(filled)} is empty.",
                where=f"'' IN ({', '.join(filled)})",
                subject=", ".join(filled),
            ),
        ]
        if own_round:
            expected.append(
                self.seen("rows_of_another_round", "No row was made in another round.", foreign, "round_id")
            )
        return expected

    def _subject(self, columns: str) -> str:
        return f"{self.table}: {columns}" if columns else self.table.value
