"""`demur simulate`: a simulated provider on this machine, to rehearse rounds without API keys."""

from typing import Annotated, Final

import typer

from demur.cli.terminal.options import finite
from demur.cli.terminal.printing import echo

EXAMPLES: Final = """
[bold]Examples[/bold]

demur simulate                                           then, elsewhere: demur round rehearsal

demur simulate --latency 0.2 --latency-spread 0.5 --fault-rate 0.2 --seed 7

demur simulate --fault-rate 0.1 --faults permanent       refusals and content filters alone

demur simulate --fault-rate 0.3 --faults rate_limited,hanging,batches

demur simulate --refusals 0.6                            six of ten replies of a respondent are one refusal code

demur simulate --answers minimal --latency 2             for load tests

curl -s http://127.0.0.1:8765/stats                      requests so far
"""
BATCHES: Final = "batches"


def run(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.", min=0, max=65_535)] = 8765,
    latency: Annotated[float, typer.Option(help="Mean seconds before a live answer.", min=0, callback=finite)] = 0.2,
    latency_spread: Annotated[
        float,
        typer.Option(
            help="Spread of latencies: standard deviation of their logarithm; 0: all the same.", min=0, callback=finite
        ),
    ] = 0.3,
    fault_rate: Annotated[float, typer.Option(help="Share of requests with a fault.", min=0, max=1)] = 0.0,
    faults: Annotated[
        str,
        typer.Option(
            help="Families (transient, spoilt, permanent, uncounted, all) and kinds (rate_limited, refusal, ...) of "
            "faults, separated by commas; 'batches' adds transient faults of sending and fetching batches."
        ),
    ] = "all",
    retry_after: Annotated[
        float, typer.Option(help="Seconds to wait, as stated by a 429, 503 or 529.", min=0, callback=finite)
    ] = 1.0,
    batch_seconds: Annotated[float, typer.Option(help="Seconds until a batch ends.", min=0, callback=finite)] = 10.0,
    answers: Annotated[
        str, typer.Option(help="rules: answers of the rules lane; minimal: the shortest valid answer.")
    ] = "rules",
    refusals: Annotated[
        float,
        typer.Option(
            help="Share of respondents' replies that are one refusal code and nothing else, as real models give them.",
            min=0,
            max=1,
            callback=finite,
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of faults and latencies.")] = 7,
) -> None:
    """Serve the APIs of OpenAI and Anthropic, with batches, on this machine until Ctrl-C.

    The answer depends only on the request. Faults and latencies depend only on the seed, the request and the number of
    the attempt, so that a rehearsal can be repeated. The simulated models are the models of the rules lane, such as
    recipes/terse, verifier/editor and respondent/lexical-overlap.
    """
    from demur.lanes.simulator.behaviour import Answers, SimulatorConfig
    from demur.lanes.simulator.faults import BATCH_FAULTS, named_faults, seeded
    from demur.lanes.simulator.server import Simulator, run_until_interrupted
    from demur.programs.errors import ProgramError

    names = [name.strip() for name in faults.split(",") if name.strip()]
    kinds = named_faults(name for name in names if name != BATCHES)
    if fault_rate and not kinds and BATCHES not in names:
        raise ProgramError("--fault-rate without --faults: name at least one family or kind")
    if answers not in set(Answers):
        raise ProgramError(f"--answers '{answers}' is not one of {', '.join(Answers)}")
    config = SimulatorConfig(
        answers=Answers(answers),
        latency_seconds=latency,
        latency_spread=latency_spread,
        retry_after=f"{retry_after:g}",
        batch_seconds=batch_seconds,
        refusals=refusals,
        seed=seed,
        keep_requests=False,
    )
    simulator = Simulator(seeded(seed, fault_rate if kinds else 0.0, kinds), config)
    if BATCHES in names:
        simulator.store.control_plan = seeded(seed, fault_rate, BATCH_FAULTS)

    def started() -> None:
        echo(f"openai      base_url: {simulator.openai_url}")
        echo(f"anthropic   base_url: {simulator.anthropic_url}")
        echo(f"statistics            {simulator.anthropic_url}/stats")
        if fault_rate and kinds:
            echo(f"faults                {fault_rate:.0%} of requests: {', '.join(sorted(kinds))}")

    run_until_interrupted(simulator, port, started)
