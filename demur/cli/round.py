"""`demur round`: a whole round from corpus to release, with progress."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.options import (
    Again,
    Answers,
    BadRows,
    Bases,
    Config,
    Corpus,
    Documents,
    Mapping,
    MaxUsd,
    Output,
    Printed,
    Questions,
    corpus_of,
)

if TYPE_CHECKING:
    from demur.engine.context import RoundContext

EXAMPLES: Final = """
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


def run(
    config: Config = "embedded",
    corpus: Corpus = None,
    mapping: Mapping = None,
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
    from demur.cli.progress_bars import run_with_progress
    from demur.cli.summary import print_summary
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
