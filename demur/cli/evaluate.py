"""`demur evaluate`: evaluations of models and systems on a frozen release."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.completion import complete_config, complete_release
from demur.cli.options import Again, Output, Printed, Reported, write_out
from demur.cli.printing import echo, prints_to_stderr
from demur.programs.options import PassageMode, Prompts
from demur.warehouse.formats import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demur.engine.context import RoundContext
    from demur.flows.evaluations.thresholds import Threshold

TOO_LOW: Final = 4
"""Exit status if a score is below a threshold."""
EXAMPLES: Final = """
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


def run(
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
        from demur.flows.evaluations.thresholds import read_thresholds

        thresholds = read_thresholds(fail_under)
    if junit is not None and not thresholds:
        raise typer.BadParameter("--junit needs thresholds: give --fail-under too, as in --fail-under refused=.8")
    if reference:
        from demur.reports.reference_figures import read_reference

        for path in reference:
            read_reference(path)  # a faulty file is found before anything is paid for
    from demur.configuration.model_choice import system_as_model
    from demur.flows.evaluations.request import EvaluationRequest

    models = (*(model or ()), *(system_as_model(one, system_version) for one in system or ()))
    request = EvaluationRequest(
        *(release, models, round_config, judge, max_usd, replicates, occasion, probe, again, prompts, passages.value),
        trust_release=trust_release,
        items=items,
        bases=bases,
        seed=seed,
    )
    if plan:
        from demur.cli.plan import print_plan
        from demur.flows.evaluations.session import planned_evaluation

        print_plan(planned_evaluation(request), Format.JSON if output is Output.JSON else Format.TABLE)
        return
    from demur.cli.evaluations import print_evaluation
    from demur.cli.progress_bars import run_with_progress
    from demur.errors import StageStopped

    checked: list[RoundContext] = []

    def check() -> "RoundContext":
        from demur.flows.evaluations.session import check_evaluation

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
    from demur.reports.review import render_reviews
    from demur.warehouse.connection import reading

    with reading(context.home) as con:
        write_out(page, render_reviews(reviews(con, context.round_id)), "--page")


def hold_against(context: "RoundContext", thresholds: "Sequence[Threshold]", file: Path | None) -> None:
    """Compare scores with thresholds and print the results. If a score is too low, exit with status 4.

    If `file` is not None, the results are also written to this file as JUnit XML.
    """
    from demur.flows.evaluations.thresholds import checks, junit
    from demur.warehouse.connection import reading

    with reading(context.home) as con:
        found = checks(con, context.round_id, thresholds)
    if file is not None:
        write_out(file, junit(context.round_id, found), "--junit")
    for check in found:
        echo(f"{'ok' if check.is_met else 'LOW'}: {check}", err=True)
    if not all(check.is_met for check in found):
        raise typer.Exit(TOO_LOW)
