"""`demur rbr serve`: rewards over HTTP."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.grade import GraderSpec, GradingWay
from demur.cli.options import MaxUsd
from demur.cli.printing import echo
from demur.programs.options import Grading

EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr serve safety@1.json --port 8900

demur rbr serve safety@1.json --host 0.0.0.0 --key-env REWARD_KEY --model openai:gpt-6-sol,max_completion_tokens=4096

curl http://127.0.0.1:8900/rewards --json '{"prompts": ["..."], "completions": ["..."], "behaviour": "comply"}'
"""


def run(
    reward: Annotated[
        Path, typer.Argument(metavar="REWARD.json", help="Reward file of a release, or of `demur rbr fit`.")
    ],
    model: GraderSpec = "rules:grader/patterns",
    policy: Annotated[str | None, typer.Option(help="The reward's policy, if it is a file of yours.")] = None,
    grading: GradingWay = Grading.PROPOSITIONS,
    host: Annotated[str, typer.Option(help="Address to serve on. Other machines need a key.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8900,
    key_env: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="Environment variable with the key that callers must send.")
    ] = None,
    behaviour: Annotated[str | None, typer.Option(help="Behaviour of requests that name none.")] = None,
    max_usd: MaxUsd = None,
) -> None:
    """Serve rewards over HTTP until Ctrl-C. Trainers send one JSON request for a batch of completions.

    POST /rewards takes prompts, completions and behaviour, and optionally facts and base_reward. The reply has
    rewards, classes and probabilities. A language model grades in a round, which `demur rounds` lists. Each completion
    is graded once, and --max-usd limits the cost. The server stores no texts of requests.
    """
    import asyncio
    from dataclasses import replace

    from demur.configuration.settings import secret_of
    from demur.exchange.rewarding.serving import Serving, serve_rewards
    from demur.exchange.rewarding.trainer import grading_model
    from demur.scoring.demur_reward import load_reward

    fitted = load_reward(reward)
    by = replace(grading_model(fitted, model, policy), grading=grading)
    key = None if key_env is None else secret_of(key_env)
    serving = Serving(host, port, key, behaviour=behaviour, most_usd=max_usd)

    def started(address: str) -> None:
        echo(f"rewards of {reward.name}, graded by {by.spec.name}: POST {address}/rewards")

    asyncio.run(serve_rewards(fitted, by, serving, started))
