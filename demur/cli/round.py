"""The commands `demur round`, `rounds`, `plan`, `costs` and `record`: rounds, before, during and after their work."""

from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.terminal.options import (
    Again,
    Answers,
    BadRows,
    Bases,
    Config,
    Corpus,
    Documents,
    FieldMapping,
    MaxUsd,
    Output,
    Printed,
    Questions,
    complete_config,
    complete_round,
    corpus_of,
)
from demur.cli.terminal.printing import echo, echo_rows, echo_table, objects_of
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from demur.engine.context import RoundContext
    from demur.flows.planning.round_plan import RoundPlan


# `demur round`: a whole round from corpus to release, with progress.


ROUND_EXAMPLES: Final = """
[bold]Examples[/bold]

demur round                                              the embedded default: recorded replies, no network, no keys

demur round rules                                        the rules lane alone, on our questions

demur round --corpus questions.jsonl --bases 100         the rules lane on your own questions

demur round --corpus squad:dev-v2.0.json --bases 50      a public set; --map reads rows with other names of fields

demur round my-round.yaml --documents handbook/          questions that models write on documents of a folder

demur round my-round.yaml --questions asked.txt          and questions that people asked about these documents

demur round frontier --max-usd 80                        stop before more than $80 are spent; continue with a higher cap

demur round frontier --replay replies.jsonl.gz           answers from a recording of `demur record`: no keys, no costs

demur round frontier --no-probe                          start without testing the models

demur round weekly                                       a new round at each start

demur round my-round.yaml --round-id weekly-20261120T030000      continue that round
"""


def run_whole_round(
    config: Config = "embedded",
    corpus: Corpus = None,
    mapping: FieldMapping = None,
    answers: Answers = None,
    bad_rows: BadRows = None,
    documents: Documents = None,
    questions: Questions = None,
    bases: Bases = None,
    round_id: Annotated[
        str | None, typer.Option(help="Continue or start the round of this name.", autocompletion=complete_round)
    ] = None,
    max_usd: MaxUsd = None,
    probe: Annotated[
        bool, typer.Option("--probe/--no-probe", help="Test every model with a request for one token first.")
    ] = True,
    replay: Annotated[
        str | None,
        typer.Option(help="Take answers of models that need a network from this recording.", metavar="FILE"),
    ] = None,
    again: Again = None,
    full: Annotated[bool, typer.Option("--full", help="Print all tables of the round at the end.")] = False,
    output: Printed = Output.TABLE,
) -> None:
    """Run or continue a round up to a frozen release.

    The same command continues an interrupted round and repeats no answered request. Exit status is 3 if a cap stops the
    round.
    """
    from demur.cli.terminal.progress_bars import run_with_progress
    from demur.cli.terminal.summary import print_summary
    from demur.flows.rounds.request import RoundRequest
    from demur.flows.rounds.session import check_start

    named = corpus_of(corpus, documents)
    request = RoundRequest(
        config,
        round_id,
        named,
        bases,
        max_usd,
        probe,
        replay,
        again,
        mapping=mapping,
        answers=answers,
        bad_rows=bad_rows,
        questions=questions,
    )

    def run_round(context: "RoundContext") -> None:
        from demur.flows.round import round_flow

        round_flow(**asdict(replace(request, round_id=context.round_id)))

    context = run_with_progress(lambda: check_start(request), run_round)
    print_summary(context.home, context.round_id, full=full, output=output)


# `demur rounds`: the rounds of a home and their results.


ROUNDS_EXAMPLES: Final = """
[bold]Examples[/bold]

demur rounds                           all rounds, newest first

demur rounds embedded                  the results of one round in sixteen lines

demur rounds embedded --full           with all tables

demur rounds embedded --format json    the same for programs
"""


def list_rounds(
    round_id: Annotated[
        str | None,
        typer.Argument(metavar="[ROUND]", help="Show the results of this round.", autocompletion=complete_round),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All tables of a round.")] = False,
    output: Annotated[Format, typer.Option("--format", help="Output format; table or json for one round.")] = (
        Format.TABLE
    ),
) -> None:
    """List rounds, or show the results of one round, also while the round runs."""
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    if round_id is not None:
        from demur.cli.terminal.summary import print_summary

        if output not in (Format.TABLE, Format.JSON):
            raise typer.BadParameter(f"{output} holds one table; a round has several", param_hint="--format")
        print_summary(demur_home(), round_id, full=full, output=Output(output))
        return
    if full:
        raise typer.BadParameter("name a round", param_hint="--full")
    with reading(demur_home()) as con:
        found = named_table("rounds").read(con)
    if output is Format.JSON:
        from demur.cli.terminal.summary import figures_by_round

        figures = figures_by_round(demur_home(), [str(row["round_id"]) for row in found.records])
        records = [{**one, "figures": figures.get(str(one["round_id"]))} for one in objects_of(found)]
        echo_rows(output, [*found.raw_columns, "figures"], [tuple(one.values()) for one in records])
    else:
        echo_table(output, found)


# `demur plan`: the requests and cost of a round, or the size that a round needs for a tolerance.


PLAN_EXAMPLES: Final = """
[bold]Examples[/bold]

demur plan frontier

demur plan frontier --max-usd 20          share of the cap that the round would use

demur plan embedded --corpus questions.jsonl --format json

demur plan --epsilon 0.05 --rounds 12     source questions per round for an error below 0.05 in all twelve rounds

demur plan weekly --epsilon 0.1 --delta 0.05 --rounds 52 --drift 0.03
"""

_SIZE: Final = "Size for a tolerance"


def plan_round(
    config: Annotated[
        str | None,
        typer.Argument(
            help="Round configuration: a YAML file, or the name of one of ours.", autocompletion=complete_config
        ),
    ] = None,
    corpus: Corpus = None,
    mapping: FieldMapping = None,
    answers: Answers = None,
    bad_rows: BadRows = None,
    documents: Documents = None,
    questions: Questions = None,
    bases: Bases = None,
    max_usd: MaxUsd = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Allowed error of a score, in (0, 1).", rich_help_panel=_SIZE)
    ] = None,
    delta: Annotated[
        float | None, typer.Option(help="Allowed probability of a larger error; 0.05.", rich_help_panel=_SIZE)
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Number of rounds that must all meet the tolerance; 1.", rich_help_panel=_SIZE)
    ] = None,
    drift: Annotated[
        float | None,
        typer.Option(help="Assumed shift of scores by contamination of a static set; 0.", rich_help_panel=_SIZE),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Show units, calls, tokens and cost per stage and model. No model is asked, and no key is needed.

    Estimates come from rendered prompts, and from replies and yields of earlier rounds. The columns most_units and
    most_usd are upper bounds. They assume that every candidate is verified, every quota is filled, and every reply is
    max_tokens long.

    With --epsilon, the command shows the size of a round instead: the numbers of source questions and items that the
    tolerance requires. For comparison, it shows the probability that one static set, used in every round, misses the
    tolerance.
    """
    if epsilon is not None:
        from demur.configuration.settings import demur_home
        from demur.flows.planning.sample_size import COLUMNS as PARTS
        from demur.flows.planning.sample_size import Tolerance, plan_sample

        if unused := [
            name
            for name, value in (("corpus", corpus), ("documents", documents), ("bases", bases), ("max-usd", max_usd))
            if value
        ]:
            raise typer.BadParameter(f"does not go with --{', --'.join(unused)}", param_hint="--epsilon")
        asked = Tolerance(epsilon, 0.05 if delta is None else delta, 1 if rounds is None else rounds, drift or 0.0)
        echo_rows(output, PARTS, plan_sample(demur_home(), asked, config))
        return
    if lone := [name for name, value in (("delta", delta), ("rounds", rounds), ("drift", drift)) if value is not None]:
        raise typer.BadParameter(f"needs --epsilon, as in --epsilon 0.05 --{lone[0]} ...", param_hint=f"--{lone[0]}")
    if config is None:
        raise typer.BadParameter("name a round configuration, or a tolerance (--epsilon)", param_hint="CONFIG")
    from demur.flows.planning.round_plan import plan_round
    from demur.flows.rounds.request import RoundRequest

    named = corpus_of(corpus, documents)
    request = RoundRequest(
        config,
        corpus=named,
        bases=bases,
        max_usd=max_usd,
        mapping=mapping,
        answers=answers,
        bad_rows=bad_rows,
        questions=questions,
    )
    print_plan(plan_round(request), output)


def print_plan(planned: "RoundPlan", output: Format) -> None:
    """Print the plan of a round or of an evaluation."""
    echo_table(output, planned.table())
    if output is Format.TABLE:
        echo("")
        for line in planned.notes:
            echo(line)


# `demur costs`: the cost of a round by stage, model, stratum and item, beside its estimate.


COSTS_EXAMPLES: Final = """
[bold]Examples[/bold]

demur costs                                      the newest round run here: everything

demur costs weekly-20261120T030000 --by model

demur costs frontier --by estimate --format csv > estimate.csv

[bold]Words[/bold]  cost_usd is computed from prices and counted tokens. unsure_usd is the cost of requests without an
answer, which may have been billed. counted_usd is their sum, and caps limit it.
"""


class Breakdown(StrEnum):
    """A breakdown of costs."""

    ALL = "all"
    TOTAL = "total"
    STAGE = "stage"
    MODEL = "model"
    STRATUM = "stratum"
    ITEM = "item"
    JUDGING = "judging"
    ESTIMATE = "estimate"


_TABLES: Final = {
    Breakdown.TOTAL: "costs_total",
    Breakdown.STAGE: "costs_by_stage",
    Breakdown.MODEL: "costs_by_model",
    Breakdown.STRATUM: "costs_by_stratum",
    Breakdown.ITEM: "costs_per_item",
    Breakdown.JUDGING: "costs_of_judging",
    Breakdown.ESTIMATE: "costs_estimate",
}
"""The named table of each breakdown."""


def show_costs(
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROUND]", help="A round. Default: the newest round of this home.", autocompletion=complete_round
        ),
    ] = None,
    by: Annotated[Breakdown, typer.Option("--by", help="Breakdown to show.")] = Breakdown.ALL,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Show the cost of a round by stage, model, stratum and accepted item, and compare it with the first estimate."""
    import json

    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.reports.tables.named import facts_of
    from demur.warehouse.connection import reading
    from demur.warehouse.round_rows import chosen_round

    if by is Breakdown.ALL and output is Format.CSV:
        raise typer.BadParameter("CSV holds one table; choose it with --by", param_hint="--format")
    kinds = tuple(_TABLES) if by is Breakdown.ALL else (by,)
    with reading(demur_home()) as con:
        chosen = chosen_round(con, round_id)
        found = {kind: named_table(_TABLES[kind]).read(con, round=chosen) for kind in kinds}
    if by is not Breakdown.ALL:
        echo_table(output, found[by])
        return
    if output is Format.JSON:
        echo(json.dumps({"round_id": chosen, **{kind.value: objects_of(table) for kind, table in found.items()}}))
        return
    for kind, table in found.items():
        if kind is Breakdown.TOTAL:
            echo(f"\n{table.title} ({chosen})")
        elif table.rows:
            echo(f"\n{table.title}")
        else:
            continue
        if kind is Breakdown.TOTAL and output is Format.TABLE:
            echo(facts_of(table))
        else:
            echo_table(output, table)


# `demur record`: recordings of language models' replies, from which rounds run without keys.


RECORD_EXAMPLES: Final = """
[bold]Examples[/bold]

demur record frontier-20261122T080000 --out replies.jsonl.gz      one round

demur round frontier --replay replies.jsonl.gz                    the round again, without keys

demur record second --with replies.jsonl.gz --out both.jsonl.gz   add the replies of another recording

demur record --with one.jsonl.gz --with two.jsonl.gz --out both.jsonl.gz

demur record trial --out replies.jsonl.gz --answered-by "a model without an API" --note "stand-in"
"""

Rounds = Annotated[
    list[str] | None,
    typer.Argument(help="Rounds of this home; none to merge recordings.", autocompletion=complete_round),
]


def record_round(
    out: Annotated[Path, typer.Option(help="The recording, compressed JSON lines.", metavar="FILE")],
    rounds: Rounds = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option("--with", help="A recording to add. Can be repeated.", metavar="FILE"),
    ] = None,
    answered_by: Annotated[
        str | None, typer.Option(help="The real source of the replies, if the round's models were stand-ins.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="Note for readers of the recording.")] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Write a recording of rounds: every reply of a language model, with the hash of its request.

    The recording has no API keys, addresses or prompts. The same rounds give the same bytes.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.recorder import record_rounds
    from demur.reports.tables import named_table

    if not rounds and not beside:
        raise typer.BadParameter("name a round that is here, or recordings to merge (--with FILE)")
    written = record_rounds(demur_home(), rounds or (), out, beside=beside or (), answered_by=answered_by, note=note)
    rows = (
        {
            "model": one.name,
            "roles": list(one.roles),
            "asked": list(one.asked),
            "replies": one.replies,
            "first": one.first,
            "last": one.last,
        }
        for one in written.speakers
    )
    echo_table(output, named_table("recording").shown(rows))
