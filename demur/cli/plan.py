"""`demur plan`: the requests and cost of a round, or the size that a round needs for a tolerance."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.completion import complete_config
from demur.cli.options import Answers, BadRows, Bases, Corpus, Documents, Mapping, MaxUsd, Questions, corpus_of
from demur.cli.printing import echo, echo_rows, echo_table
from demur.warehouse.formats import Format

if TYPE_CHECKING:
    from demur.flows.planning.round_plan import RoundPlan

EXAMPLES: Final = """
[bold]Examples[/bold]

demur plan frontier

demur plan frontier --max-usd 20          share of the cap that the round would use

demur plan embedded --corpus questions.jsonl --format json

demur plan --epsilon 0.05 --rounds 12     source questions per round for an error below 0.05 in all twelve rounds

demur plan weekly --epsilon 0.1 --delta 0.05 --rounds 52 --drift 0.03
"""

_SIZE: Final = "Size for a tolerance"


def run(
    config: Annotated[
        str | None,
        typer.Argument(
            help="Round configuration: a YAML file, or the name of one of ours.", autocompletion=complete_config
        ),
    ] = None,
    corpus: Corpus = None,
    mapping: Mapping = None,
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
