"""The four answers at the top of a report: who was asked, who did how well, what each misses, how certain this is."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup

from demur.reports import names
from demur.reports.names import OTHER_WORDING
from demur.reports.pages.charts import PERCENT_TICKS, Axis, Mark, chart, in_words
from demur.reports.report.examples import ExampleItem, chosen_examples
from demur.reports.report.figures import interval_of
from demur.reports.scores import Row, Score
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import CellKind, rate, with_interval

TABLES: Final = ("overview", "leaderboard", "recognised", "telling_items")
"""The named tables that the answers are made from."""
DEFECTS: Final = {
    "missing_info": "P-MissingInfo",
    "false_premise": "P-FalsePremise",
    "contradiction": "P-Contradiction",
    "ambiguity": "P-Ambiguity",
    "granularity": "P-GranularityMismatch",
    "epistemic": "P-EpistemicMismatch",
}
"""Columns of `recognised`, with the class of defect of each."""
MOST_NAMED: Final = 10
"""Respondents whose names stand in the chart; where there are more, numbers do."""

Links = Callable[..., str | None]


@dataclass(frozen=True, slots=True)
class RankedRespondent:
    """A respondent: its shares of right answers and of right refusals, and their mean."""

    number: int
    respondent: str
    judge: str
    is_rule: bool
    what: str
    """Who that is in words, such as how a rule answers; empty for a model that is known by its name."""
    answers: Score
    refuses: Score
    score: Score
    noticed: Mapping[str, float]
    """Share refused for the right reason by heading of a kind of defect."""
    judged: int
    planned: int

    @property
    def incomplete(self) -> bool:
        """True if responses are missing or not judged yet."""
        return self.judged < self.planned

    @property
    def weakest(self) -> tuple[str, float] | None:
        """The kind of defect that is noticed least, None where all are noticed alike."""
        if len(set(self.noticed.values())) < 2:
            return None
        return min(self.noticed.items(), key=lambda one: one[1])


@dataclass(frozen=True, slots=True)
class Overview:
    """Data of the four answers."""

    facts: Row
    """The row of the table `overview`."""
    standings: Sequence[RankedRespondent]
    """Who answered, models before rules, the best first."""
    noticed: ShownTable
    examples: Sequence[ExampleItem]
    kinds: Mapping[str, str]
    """Providers of the round's models by name; empty where they are not known."""
    recorded: Sequence[Mapping[str, Any]] = ()
    """Models whose replies were read from a recording."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """What the release says of its `audit` and of its judges' `calibration`: `state` and `why` of each."""

    @property
    def models(self) -> list[RankedRespondent]:
        """Those that are language models."""
        return [one for one in self.standings if not one.is_rule]

    @property
    def rules(self) -> list[RankedRespondent]:
        """Those that answer by fixed rules."""
        return [one for one in self.standings if one.is_rule]

    @property
    def asked(self) -> list[str]:
        """The answering language models, in words: each once, with its sets of prompts."""
        found: dict[str, list[str]] = {}
        for one in self.models:
            found.setdefault(one.respondent.removesuffix(OTHER_WORDING), []).append(one.respondent)
        return [f"{name}{_described(name, self.recorded)}{_wordings(labels)}" for name, labels in found.items()]

    @property
    def best(self) -> list[RankedRespondent]:
        """Those with the highest score: language models where there are any."""
        scored = [one for one in self.models or self.rules if one.score.value is not None]
        top = max((float(one.score.value or 0) for one in scored), default=None)
        return [one for one in scored if one.score.value == top]

    @property
    def best_is_clear(self) -> bool:
        """True if the best one's interval lies above that of every other language model."""
        if len(self.best) != 1 or self.best[0].score.low is None:
            return False
        peers = self.models or self.rules
        others = [one.score.high for one in peers if one is not self.best[0] and one.score.value is not None]
        return all(high is not None and high < self.best[0].score.low for high in others)

    @property
    def judges_by_rule(self) -> bool:
        """True if every judge is a fixed rule."""
        used = {one.judge for one in self.standings}
        return bool(used) and all(self.kinds.get(judge.split("#")[0]) == "rules" for judge in used)

    def example(self, shows: str) -> ExampleItem | None:
        """Return the example that stands beside one of the answers."""
        return next((one for one in self.examples if one.shows == shows), None)

    @staticmethod
    def meaning(heading: str) -> str:
        """Return the meaning of a kind of defect, in a sentence."""
        columns = named_table("recognised").declaration.columns.values()
        return next(column.explanation.rstrip(".") for column in columns if column.heading == heading)

    @staticmethod
    def class_of(column: str) -> str:
        """Return the class of defect of a column of `recognised`."""
        return DEFECTS[column]

    def people(self, role: str) -> str:
        """Return the models of a role, in words: names, and which of them are recorded or rules."""
        found = []
        for name in self.facts[role] or ():
            rule = " (a fixed rule)" if self.kinds.get(name) == "rules" else ""
            found.append(f"{name}{rule or _described(name, self.recorded)}")
        return ", ".join(found)

    def chart(self, to: Links) -> Markup | None:
        """Return the chart of right answers against right refusals, None if no respondent has both."""
        marks = [_mark(one, len(self.standings) <= MOST_NAMED, self.facts["round_id"], to) for one in self.standings]
        drawn = [mark for mark in marks if mark is not None]
        if not drawn:
            return None
        return chart(
            in_words("Answers what can be answered, to the right, against refuses what cannot, upwards", drawn),
            Axis(ticks=PERCENT_TICKS, title="answers rightly what can be answered"),
            Axis(ticks=PERCENT_TICKS, title="refuses what cannot, for the right reason"),
            drawn,
            size=(560, 400),
        )


def overview_of(
    tables: Mapping[str, ShownTable], recorded: Iterable[Mapping[str, Any]] = (), said: Mapping[str, Any] | None = None
) -> Overview:
    """Return the four answers from the tables of `TABLES`."""
    facts = dict(tables["overview"].records[0])
    config = json.loads(facts.pop("config", None) or "{}")
    kinds = {model["name"]: model["provider"] for model in config.get("models", ())}
    rules = {model["name"]: model["model"] for model in config.get("models", ()) if model["provider"] == "rules"}
    replies = list(recorded)
    standings = _standings(tables["leaderboard"], tables["recognised"], rules)
    models = [one.respondent for one in standings if not one.is_rule]
    everybody = [one.respondent for one in standings]
    return Overview(
        facts=facts,
        standings=standings,
        noticed=_in_order(tables["recognised"], standings),
        examples=chosen_examples(tables["telling_items"].records, models or everybody, everybody),
        kinds=kinds,
        recorded=replies,
        said={"audit": None, "calibration": None, **(said or {})},
    )


def _standings(scores: ShownTable, recognised: ShownTable, rules: Mapping[str, str]) -> list[RankedRespondent]:
    """Return the respondents, models before rules, the best first."""
    noticed = {(row["respondent"], row["judge"]): row for row in recognised.records}
    headings = {name: named_table("recognised").declaration.columns[name].heading for name in DEFECTS}

    def order(row: Mapping[str, Any]) -> tuple[bool, float]:
        return row["respondent"] in rules, -(row["calibrated_refusal_score"] or -1.0)

    found = []
    for number, row in enumerate(sorted(scores.records, key=order), start=1):
        shares = noticed.get((row["respondent"], row["judge"]), {})
        found.append(
            RankedRespondent(
                number=number,
                respondent=row["respondent"],
                judge=row["judge"],
                is_rule=row["respondent"] in rules,
                what=_who(row["respondent"], rules),
                answers=_score(row, "answer_accuracy", "answer"),
                refuses=_score(row, "refusal_accuracy", "refusal"),
                score=_score(row, "calibrated_refusal_score", "crs"),
                noticed={headings[name]: shares[name] for name in DEFECTS if shares.get(name) is not None},
                judged=row["judged"] or 0,
                planned=row["planned"] or 0,
            )
        )
    return found


def _in_order(noticed: ShownTable, standings: Sequence[RankedRespondent]) -> ShownTable:
    """Return the shares of defects with respondents in the order of their standings."""
    places = {(one.respondent, one.judge): one.number for one in standings}
    rows = sorted(noticed.records, key=lambda row: places.get((row["respondent"], row["judge"]), len(places) + 1))
    shown = named_table("recognised").shown(rows)
    several = len({one.respondent for one in standings}) < len(standings)
    return shown if several or not any(one.name == "judge" for one in shown.columns) else shown.without("judge")


def _score(row: Mapping[str, Any], name: str, part: str) -> Score:
    return Score(row[name], *(row.get(f"{part}_{end}") for end in ("low", "high", "reason")))


def _who(label: str, rules: Mapping[str, str]) -> str:
    """Return the description of a respondent, in words."""
    name = label.removesuffix(OTHER_WORDING)
    if name in rules:
        return names.RULES.get(rules[name].rpartition("/")[2], "a fixed rule")
    return "asked in demur’s own words" if label.endswith(OTHER_WORDING) else ""


def _described(name: str, recorded: Sequence[Mapping[str, Any]]) -> str:
    """Return in brackets the source of a model's recorded replies."""
    who = next((one.get("answered_by") for one in recorded if one["model"] == name), None)
    return f" ({who})" if who else ""


def _wordings(labels: Sequence[str]) -> str:
    if len(labels) > 1:
        return f", asked in the words of the published benchmark and in demur’s own, marked{OTHER_WORDING}"
    return ", asked in demur’s own words" if labels[0].endswith(OTHER_WORDING) else ""


def _mark(one: RankedRespondent, named: bool, round_id: str, to: Links) -> Mark | None:
    if one.answers.value is None or one.refuses.value is None:
        return None
    description = f"{one.respondent}: answers {_said(one.answers)}, refuses {_said(one.refuses)}"
    return Mark(
        one.answers.value,
        one.refuses.value,
        description,
        label=one.respondent if named else str(one.number),
        across=interval_of(one.answers.low, one.answers.high),
        up=interval_of(one.refuses.low, one.refuses.high),
        kind="landmark" if one.is_rule else "first",
        href=to("items", round=round_id, respondent=one.respondent, judge=one.judge, outcome="wrong"),
    )


def _said(score: Score) -> str:
    return with_interval(rate(score.value), score.low, score.high, CellKind.RATE)
