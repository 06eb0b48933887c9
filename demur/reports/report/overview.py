"""The four answers at the top of a report: the respondents, their scores, their misses, and the certainty."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup

from demur.reports import names
from demur.reports.names import OTHER_WORDING
from demur.reports.pages.charts import PERCENT_TICKS, Axis, Mark, chart, in_words
from demur.reports.report import recorded as recordings
from demur.reports.report.examples import ExampleItem, chosen_examples
from demur.reports.report.figures import interval_of
from demur.reports.scores import Row, Score
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import CellKind, rate, with_interval
from demur.warehouse.vocabulary import PEOPLE

TABLES: Final = ("overview", "leaderboard", "recognised", "telling_items")
"""The named tables with the data of the answers."""
DEFECTS: Final = {
    "missing_info": "P-MissingInfo",
    "false_premise": "P-FalsePremise",
    "contradiction": "P-Contradiction",
    "ambiguity": "P-Ambiguity",
    "granularity": "P-GranularityMismatch",
    "epistemic": "P-EpistemicMismatch",
}
"""The class of each column of the table `recognised`."""
MOST_NAMED: Final = 10
"""Largest number of respondents that a chart labels with names. More respondents are labelled with numbers."""
BOTH_WORDINGS: Final = (
    "each asked twice: with prompts after the published benchmark, RefusalBench, and with demur’s own, marked"
    f"{OTHER_WORDING}, which also say where one reason to refuse ends and the next begins"
)

Links = Callable[..., str | None]


@dataclass(frozen=True, slots=True)
class Miss:
    """A kind of defect with its number of items. `missed` items were not refused with the right code."""

    heading: str
    lever_class: str
    missed: int
    items: int

    @property
    def share(self) -> float:
        """The share of missed items, in [0, 1]."""
        return self.missed / self.items


@dataclass(frozen=True, slots=True)
class RankedRespondent:
    """A respondent with its share of right answers, its share of right refusals, and the mean of both, `score`."""

    number: int
    respondent: str
    judge: str
    is_rule: bool
    what: str
    """The description of a rule baseline; empty for a model."""
    answers: Score
    refuses: Score
    score: Score
    misses: Sequence[Miss]
    """The misses by kind of defect, most missed items first."""
    judged: int
    planned: int
    controls_refused: float | None
    """The share of refused controls, None if unknown."""

    @property
    def incomplete(self) -> bool:
        """True if responses or judgements are missing."""
        return self.judged < self.planned

    @property
    def largest_miss(self) -> Miss | None:
        """The kind of defect with the most missed items, or None if no kind has items."""
        return self.misses[0] if self.misses else None

    @property
    def stands_out(self) -> bool:
        """True if the respondent missed at least two items more of one kind of defect than of every other kind."""
        counts = [one.missed for one in self.misses]
        return bool(counts) and counts[0] - max((0, *counts[1:])) > 1

    @property
    def mostly_noticed(self) -> Sequence[str] | None:
        """The headings of the kinds of defect that are no more often missed than noticed; None if half of them are."""
        noticed = [one.heading for one in self.misses if one.share <= 0.5]
        return noticed if len(noticed) < len(self.misses) / 2 else None


@dataclass(frozen=True, slots=True)
class PromptGain:
    """The score of a model with demur's own prompts minus its score with the published prompts, in [-1, 1]."""

    respondent: str
    gain: float
    is_clear: bool
    """True if the intervals of the two scores do not overlap."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The data of the four answers."""

    facts: Row
    """The row of the table `overview`."""
    standings: Sequence[RankedRespondent]
    """The respondents, models before rules, best first."""
    noticed: ShownTable
    examples: Sequence[ExampleItem]
    kinds: Mapping[str, str]
    """The provider of each model by name; empty if unknown."""
    recorded: Sequence[Mapping[str, Any]] = ()
    """Models with replies from a recording."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The release's `audit` and `calibration`, each with `state` and `why`, or None."""

    @property
    def models(self) -> list[RankedRespondent]:
        """The language models."""
        return [one for one in self.standings if not one.is_rule]

    @property
    def rules(self) -> list[RankedRespondent]:
        """The rule baselines."""
        return [one for one in self.standings if one.is_rule]

    @property
    def asked(self) -> list[str]:
        """The names of the language models, one text for each choice of prompts. Each name occurs once."""
        labels: dict[str, list[str]] = {}
        for one in self.models:
            labels.setdefault(one.respondent.removesuffix(OTHER_WORDING), []).append(one.respondent)
        found: dict[str, list[str]] = {}
        for name, its in labels.items():
            found.setdefault(_wordings(its), []).append(name)
        return [f"{recordings.listed(members)}{how}" for how, members in found.items()]

    @property
    def given(self) -> str:
        """Source and date of recorded replies in words, or an empty text without recorded replies."""
        return recordings.given(self.recorded)

    @property
    def replayed(self) -> str:
        """A sentence on the recorded replies of respondents, or an empty text without recorded replies."""
        asked = {one.respondent.removesuffix(OTHER_WORDING) for one in self.models}
        its = [one for one in self.recorded if one["model"] in asked]
        if not its:
            return ""
        whose = "Their replies" if len(its) == len(asked) else f"Replies of {recordings.quoted(its)}"
        return f"{whose} were given {recordings.given(its)}{recordings.explained(its)}, and are replayed here."

    @property
    def recorded_names(self) -> str:
        """The models with recorded replies as a list in words, or `all language models`."""
        others = {name for name, kind in self.kinds.items() if kind != "rules"} - {
            one["model"] for one in self.recorded
        }
        return recordings.quoted(self.recorded) if others or not self.kinds else "all language models"

    @property
    def all_or_none(self) -> bool:
        """True if a respondent's share of right answers or right refusals is 0 or 1 and has an interval."""
        shares = (score for one in self.standings for score in (one.answers, one.refuses))
        return any(score.value in (0, 1) and score.has_interval for score in shares)

    @property
    def notes(self) -> list[str]:
        """The notes of the recordings, without notes that only repeat a date."""
        return recordings.notes(self.recorded)

    @property
    def shared_roles(self) -> tuple[str, str] | None:
        """A source whose replies serve as judge and as respondent, and its roles in words; None without one."""
        return recordings.shared_roles(self.recorded, self.facts)

    @property
    def gains(self) -> list[PromptGain]:
        """The gains of all models that were asked both with demur's own prompts and with the published prompts."""
        scores = {(one.respondent, one.judge): one.score for one in self.models}
        found = []
        for (label, judge), ours in scores.items():
            name = label.removesuffix(OTHER_WORDING)
            published = scores.get((name, judge))
            if name == label or published is None or ours.value is None or published.value is None:
                continue
            lower, upper = sorted((ours, published), key=lambda score: score.value or 0.0)
            clear = lower.high is not None and upper.low is not None and lower.high < upper.low
            found.append(PromptGain(name, ours.value - published.value, clear))
        return found

    @property
    def missing_most(self) -> list[RankedRespondent]:
        """The language models, or the rules if there are no models. The largest share of misses comes first."""
        return _by_largest_miss(self.models or self.rules)

    @property
    def controls_known(self) -> bool:
        """True if the share of refused controls is known for every language model."""
        return bool(self.models) and all(one.controls_refused is not None for one in self.models)

    @property
    def controls_refused(self) -> list[RankedRespondent]:
        """Language models that refused controls, the highest share first."""
        found = [one for one in self.models if one.controls_refused]
        return sorted(found, key=lambda one: -(one.controls_refused or 0.0))

    @property
    def best(self) -> list[RankedRespondent]:
        """The language models with the highest score, or the rules with the highest score if there are no models."""
        scored = [one for one in self.models or self.rules if one.score.value is not None]
        top = max((float(one.score.value or 0) for one in scored), default=None)
        return [one for one in scored if one.score.value == top]

    @property
    def best_is_clear(self) -> bool:
        """True if the best respondent's interval lies above the interval of every other one."""
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
        """Return the example for a purpose of `chosen_examples`, such as `missed`, or None."""
        return next((one for one in self.examples if one.shows == shows), None)

    @staticmethod
    def meaning(heading: str) -> str:
        """Return a sentence on the meaning of the kind of defect with this heading."""
        columns = named_table("recognised").columns.values()
        return next(column.explanation.rstrip(".") for column in columns if column.heading == heading)

    @staticmethod
    def class_of(column: str) -> str:
        """Return the class of a column of the table `recognised`."""
        return DEFECTS[column]

    def people(self, role: str) -> str:
        """Return the models of a role in words. The text says which models are fixed rules."""
        rule = {name: " (a fixed rule)" for name, kind in self.kinds.items() if kind == "rules"}
        names = self.facts[role] or ()
        return ", ".join(name if name == PEOPLE else f"‘{name}’{rule.get(name, '')}" for name in names)

    def chart(self, to: Links) -> Markup | None:
        """Return the chart of right refusals over right answers, or None if no respondent has both shares."""
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
    """Return the data of the four answers.

    Args:
        tables: the tables of `TABLES` by name.
        recorded: models with recorded replies, as in a manifest.
        said: `audit` and `calibration` of the release.
    """
    facts = dict(tables["overview"].records[0])
    config = json.loads(facts.pop("config", None) or "{}")
    kinds = {model["name"]: model["provider"] for model in config.get("models", ())}
    rules = {model["name"]: model["model"] for model in config.get("models", ()) if model["provider"] == "rules"}
    replies = list(recorded)
    standings = _standings(tables["leaderboard"], tables["recognised"], rules)
    models = [one for one in standings if not one.is_rule]
    everybody = [one.respondent for one in standings]
    erring = [one for one in (*models, *standings) if one.misses and one.misses[0].missed]
    missing = next(iter(erring), None)
    return Overview(
        facts=facts,
        standings=standings,
        noticed=_in_order(tables["recognised"], standings),
        examples=chosen_examples(
            tables["telling_items"].records,
            [one.respondent for one in models] or everybody,
            everybody,
            (missing.respondent, missing.misses[0].lever_class) if missing else None,
        ),
        kinds=kinds,
        recorded=replies,
        said={"audit": None, "calibration": None, **(said or {})},
    )


def _standings(scores: ShownTable, recognised: ShownTable, rules: Mapping[str, str]) -> list[RankedRespondent]:
    """Return the respondents, models before rules, best first."""
    noticed = {(row["respondent"], row["judge"]): row for row in recognised.records}

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
                misses=_misses(shares),
                judged=row["judged"] or 0,
                planned=row["planned"] or 0,
                controls_refused=row.get("control_refusal_rate"),
            )
        )
    return found


def _by_largest_miss(standings: Iterable[RankedRespondent]) -> list[RankedRespondent]:
    """Return the respondents with known misses. The largest share of missed items of one kind comes first."""
    return sorted((one for one in standings if one.misses), key=lambda one: -one.misses[0].share)


def _misses(shares: Mapping[str, Any]) -> list[Miss]:
    """Return the misses of a row of `recognised`, most missed items first."""
    columns = named_table("recognised").columns
    found = []
    for name, lever_class in DEFECTS.items():
        share, items = shares.get(name), shares.get(f"{name}_items")
        if share is not None and items:
            found.append(Miss(columns[name].heading, lever_class, round((1 - share) * items), int(items)))
    return sorted(found, key=lambda one: (-one.missed, one.items))


def _in_order(noticed: ShownTable, standings: Sequence[RankedRespondent]) -> ShownTable:
    """Return the table `recognised` with respondents in the order of `standings`."""
    places = {(one.respondent, one.judge): one.number for one in standings}
    rows = sorted(noticed.records, key=lambda row: places.get((row["respondent"], row["judge"]), len(places) + 1))
    shown = named_table("recognised").shown(rows)
    several = len({one.respondent for one in standings}) < len(standings)
    return shown if several or not any(one.name == "judge" for one in shown.columns) else shown.without("judge")


def _score(row: Mapping[str, Any], name: str, part: str) -> Score:
    return Score(row[name], *(row.get(f"{part}_{end}") for end in ("low", "high", "reason")))


def _who(label: str, rules: Mapping[str, str]) -> str:
    """Return the description of a rule baseline, or an empty text for a language model."""
    return names.RULES.get(rules[label].rpartition("/")[2], "a fixed rule") if label in rules else ""


def _wordings(labels: Sequence[str]) -> str:
    if len(labels) > 1:
        return f", {BOTH_WORDINGS}"
    return ", asked with demur’s own prompts" if labels[0].endswith(OTHER_WORDING) else ""


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
