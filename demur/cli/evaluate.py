"""The commands `demur evaluate` and `demur score`: scores of models on a release, and of responses in a file."""

from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.terminal.options import (
    MALFORMED,
    Again,
    Output,
    Printed,
    Reported,
    complete_config,
    complete_release,
    report_malformed,
    write_out,
)
from demur.cli.terminal.printing import echo, prints_to_stderr, terminal_width
from demur.programs.options import PassageMode, Prompts
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demur.engine.context import RoundContext
    from demur.flows.evaluations.review import Threshold
    from demur.scoring.intervals import Estimate
    from demur.scoring.refusal_scores import ModelScore


# `demur evaluate`: evaluations of models and systems on a frozen release.


TOO_LOW: Final = 4
"""Exit status if a score is below a threshold."""
EVALUATE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur evaluate embedded/1 --model always-refuses --model mine=openai:gpt-6-sol,max_completion_tokens=4096

demur evaluate embedded/1 --system my_rag:answer --system-version 3       a function (question, passages) -> text

demur evaluate embedded/1 --system http://localhost:8000/answer --fail-under refused=.8,answers=.9 --junit demur.xml

demur evaluate ./copied-release --model openai:llama3,base_url=http://localhost:8000/v1,max_tokens=2048

demur evaluate embedded/1 --model openai:gpt-6-sol,max_completion_tokens=4096 --prompts published    one set of prompts

demur evaluate embedded/1 --model openai:gpt-6-sol,max_completion_tokens=4096 --items 60      a sample; later more

demur evaluate embedded/1 --model openai:gpt-6-sol,max_completion_tokens=4096 --again invalid

demur evaluate hf://owner/name --round-config mine.yaml --max-usd 20       its respondents, judges and prompts

demur evaluate embedded/1 --model openai:gpt-6-sol,max_completion_tokens=4096 --judge claude=anthropic:claude-sonnet-5-5,max_tokens=4096 --plan
"""  # noqa: E501

Release = Annotated[
    str,
    typer.Argument(
        help="NAME or NAME/VERSION as `demur release list` prints them, a release's folder, or the address of one: "
        "hf://OWNER/NAME/FOLDER, https://..., s3://...",
        autocompletion=complete_release,
    ),
]


def evaluate_release(
    release: Release,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A respondent: a model's name in the configuration, or [NAME=]PROVIDER:MODEL[,key=value...]. "
            "Can be repeated.",
            metavar="SPEC",
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            help="A system that answers in plain words: [NAME=]package.module:function, an address or an entry point, "
            "with [,key=value...] like a model. Can be repeated.",
            metavar="ADDRESS",
        ),
    ] = None,
    system_version: Annotated[
        str | None,
        typer.Option(
            help="Version of the systems. Answers of the same version are reused; without a version, none are.",
            metavar="WORD",
        ),
    ] = None,
    round_config: Annotated[
        str | None,
        typer.Option(
            help="Round configuration with models, respondents, judges, prompts and settings. Default: the "
            "release's own.",
            autocompletion=complete_config,
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="A judge, in place of the configuration's judges.", metavar="SPEC")
    ] = None,
    max_usd: Annotated[float | None, typer.Option("--max-usd", help="Cost limit in US dollars.", min=0)] = None,
    replicates: Annotated[int | None, typer.Option(help="Responses to each item.", min=1, max=100)] = None,
    occasion: Annotated[
        str | None, typer.Option(help="Name of a repetition: another occasion is another evaluation.", metavar="WORD")
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe/--no-probe", help="Test every model with a request for one token first.")
    ] = True,
    again: Again = None,
    prompts: Annotated[
        Prompts | None,
        typer.Option(help="Set of prompts for respondents, in place of the release's sets."),
    ] = None,
    passages: Annotated[
        PassageMode,
        typer.Option(help="`index` gives systems all passages once, then questions alone."),
    ] = PassageMode.GIVEN,
    trust_release: Annotated[
        str | None,
        typer.Option(
            help="SHA-256 of the manifest of a release that was not frozen here: ask the models, addresses and "
            "variables that it names. Needed once.",
            metavar="DIGEST",
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(help="Ask a sample of so many items, in proportion to all strata. Larger samples go on.", min=1),
    ] = None,
    bases: Annotated[
        int | None, typer.Option(help="Ask so many source questions, each with all its items.", min=1)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Draw --items or --bases with this seed, not with the release's.", min=0)
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Also write a page for the owner of the model or system.", metavar="FILE")
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit status 4 if a score is lower: refused=.8,answers=.9,reason=.7, or any metric's name.",
            metavar="METRIC=SHARE",
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Write the results of --fail-under as JUnit XML to this file.", metavar="FILE")
    ] = None,
    reference: Reported = None,
    plan: Annotated[bool, typer.Option("--plan", help="Show calls, tokens and cost; ask nothing.")] = False,
    output: Printed = Output.TABLE,
) -> None:
    """Evaluate models on a frozen release. The models answer the items, and judges classify and grade the answers.

    The release's checksums are verified first. The home in which the release was made is not needed. The same command
    continues an interrupted evaluation and repeats no answered request. If a cap stops the evaluation, it shows the
    scores so far, marked INCOMPLETE, and exit status is 3. Exit status is 2 if a respondent failed too often and was
    left out, and 4 if a score is below --fail-under.
    """
    thresholds: Sequence[Threshold] = ()
    if fail_under:
        from demur.flows.evaluations.review import read_thresholds

        thresholds = read_thresholds(fail_under)
    if junit is not None and not thresholds:
        raise typer.BadParameter("--junit needs thresholds: give --fail-under too, as in --fail-under refused=.8")
    if reference:
        from demur.reports.reference_figures import read_reference

        for path in reference:
            read_reference(path)  # a faulty file is found before anything is paid for
    from demur.configuration.models import system_as_model
    from demur.flows.evaluations.evaluation_request import EvaluationRequest

    models = (*(model or ()), *(system_as_model(one, system_version) for one in system or ()))
    request = EvaluationRequest(
        *(release, models, round_config, judge, max_usd, replicates, occasion, probe, again, prompts, passages.value),
        trust_release=trust_release,
        items=items,
        bases=bases,
        seed=seed,
    )
    if plan:
        from demur.cli.round import print_plan
        from demur.flows.evaluations.evaluation_request import planned_evaluation

        print_plan(planned_evaluation(request), Format.JSON if output is Output.JSON else Format.TABLE)
        return
    from demur.cli.evaluations import print_evaluation
    from demur.cli.terminal.progress_bars import run_with_progress
    from demur.errors import StageStopped

    checked: list[RoundContext] = []

    def check() -> "RoundContext":
        from demur.flows.evaluations.evaluation_request import check_evaluation

        checked.append(check_evaluation(request))
        return checked[-1]

    def evaluate(context: "RoundContext") -> None:
        from demur.flows.evaluation import evaluate

        evaluate(request)

    stopped: StageStopped | None = None
    try:
        with prints_to_stderr() if system else nullcontext():
            run_with_progress(check, evaluate)
    except StageStopped as exc:
        stopped = exc
    [context] = checked
    print_evaluation(context.home, context.round_id, output, reference or ())
    if page is not None:
        write_page(context, page)
    if stopped is not None:
        raise stopped
    if thresholds:
        hold_against(context, thresholds, junit)


def write_page(context: "RoundContext", page: Path) -> None:
    """Write the page for the owners of evaluated systems."""
    from demur.flows.evaluations.review import reviews
    from demur.reports.comparison_pages import render_reviews
    from demur.warehouse.connection import reading

    with reading(context.home) as con:
        write_out(page, render_reviews(reviews(con, context.round_id)), "--page")


def hold_against(context: "RoundContext", thresholds: "Sequence[Threshold]", file: Path | None) -> None:
    """Compare scores with thresholds and print the results. If a score is too low, exit with status 4.

    If `file` is not None, the results are also written to this file as JUnit XML.
    """
    from demur.flows.evaluations.review import checks, junit
    from demur.warehouse.connection import reading

    with reading(context.home) as con:
        found = checks(con, context.round_id, thresholds)
    if file is not None:
        write_out(file, junit(context.round_id, found), "--junit")
    for check in found:
        echo(f"{'ok' if check.is_met else 'LOW'}: {check}", err=True)
    if not all(check.is_met for check in found):
        raise typer.Exit(TOO_LOW)


# `demur score`: metrics of responses from a file, without a warehouse.


SCORE_EXAMPLES: Final = """
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


def score_file(
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
    from demur.exchange.responses.response_file import read_response_file, score_file, score_json
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
    from demur.reports.tables.named import text_of
    from demur.reports.texts import counted

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
