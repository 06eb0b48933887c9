"""`demur score`: metrics of responses from a file, without a warehouse."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.malformed_rows import MALFORMED, report_malformed
from demur.cli.options import Output, Printed, write_out
from demur.cli.printing import echo, terminal_width

if TYPE_CHECKING:
    from demur.scoring.estimates import Estimate
    from demur.scoring.scores import ModelScore

EXAMPLES: Final = """
[bold]Examples[/bold]

demur score responses.jsonl                              all metrics of every model, with 95 % intervals

demur score responses.jsonl --out scores.json            the same as JSON, with slices and confusion matrices

demur score responses.jsonl --strict --format json       an error unless every row can be scored

[bold]A row[/bold]

{"item_id": "i7", "source_id": "q3", "class": "P-FalsePremise", "intensity": "HIGH", "expected": "REFUSE_FALSE_PREMISE_IN_QUERY", "response": "REFUSE_FALSE_PREMISE_IN_QUERY", "model": "mine"}
"""  # noqa: E501


class Interval(StrEnum):
    """Kinds of bootstrap intervals. `scoring.intervals.Limits` explains them."""

    SCORE = "score"
    PERCENTILE = "percentile"
    BCA = "bca"


def run(
    file: Annotated[Path, typer.Argument(help="JSONL: one response on each line.", metavar="FILE.jsonl")],
    out: Annotated[Path | None, typer.Option(help="Also write the scores as JSON to this file.")] = None,
    output: Printed = Output.TABLE,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first malformed row, exit status 2.")] = False,
    replicates: Annotated[int, typer.Option(min=2, max=100_000, help="Bootstrap replicates.")] = 1_000,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the bootstrap. The same seed gives the same intervals.")
    ] = 0,
    interval: Annotated[
        Interval, typer.Option(help="Kind of interval; `score` is right with few source questions too.")
    ] = Interval.SCORE,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="A metric of another package, besides ours. Can be repeated.", metavar="NAME"),
    ] = None,
) -> None:
    """Score responses from any source: all metrics with intervals, for each model.

    A row must have item_id, source_id, class, intensity and expected. A row must also have predicted (ANSWER_ATTEMPT, a
    refusal code or INVALID) or response (a text with or without a code). Optional fields are quality (1 to 5; answers
    are correct from 4 on), confidence, model and language. If an item has several documents, eligible, supported_all
    and supported_relevant are optional fields too. Metrics of correctness are null if no answer is graded. Malformed
    rows are listed and left out, and the exit status is then 1.
    """
    from demur.exchange.responses.file import read_response_file
    from demur.exchange.responses.scores import score_file, score_json
    from demur.scoring.intervals import Limits

    found = read_response_file(file, strict=strict)
    scores = score_file(found, replicates=replicates, seed=seed, limits=Limits(interval), metrics=metric or ())
    text = score_json(scores)
    if out is not None:
        write_out(out, text + "\n")
    report_malformed(found, "scored")
    if output is Output.JSON:
        echo(text)
    elif scores:
        echo(_text(scores))
    if found.malformed:
        raise typer.Exit(MALFORMED)


def _text(scores: "list[ModelScore]") -> str:
    from demur.reports.tables import named_table
    from demur.reports.tables.renderers import text_of
    from demur.reports.text import counted

    parts = []
    for score in scores:
        metrics = [_record("metric", name, estimate) for name, estimate in score.metrics.items()]
        kinds = [_record("kind", name, estimate) for name, estimate in score.distribution.items()]
        parts += [
            f"{score.model}: {counted(score.overall.items, 'item')}",
            text_of(named_table("response_scores").shown(metrics), terminal_width()),
            "",
            text_of(named_table("response_kinds").shown(kinds)),
            "",
        ]
    return "\n".join(parts).rstrip()


def _record(what: str, name: str, estimate: "Estimate") -> dict[str, object]:
    remark = estimate.reason and estimate.reason.replace(" in this slice", "")
    return {what: name, **estimate.as_dict(), "remark": remark}
