"""The request to let a model grade or judge the lines of a file, and the context of the round that does this."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.configuration.model_choice import chosen_model
from demur.engine.context import GivenFile, RoundContext, digest_of
from demur.flows.evaluations.labelled import read_labelled
from demur.flows.rounds.asking import asking_context, check_asking
from demur.flows.stages.grade.stage import GRADE
from demur.flows.stages.judge.stage import JUDGE
from demur.levers.policies import load_policy
from demur.programs.options import FileKind, Grading
from demur.rewards.completions import read_completions
from demur.rewards.gold import read_gold
from demur.warehouse.home import Home
from demur.warehouse.release import sha256

LONGEST_NAME: Final = 40
"""The largest number of characters of the file's name in the id of its round."""


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A request to let a model grade or judge the lines of a file.

    The fields are the parameters of the flow.

    Attributes:
        kind: The kind of the lines. The model grades completions (`completions` or `gold`) and judges `responses`.
        path: The file.
        model: The grader or judge, such as openai:gpt-5.
        policy: For completions: the name of a shipped policy, or the path of a policy file.
        grading: For completions: with "propositions", one call asks about all propositions; with "one_by_one", each
            proposition has a call of its own.
        max_usd: The cost limit of the file's round in US dollars.
    """

    kind: str
    path: str
    model: str
    policy: str = "safety"
    grading: str = Grading.PROPOSITIONS
    max_usd: float | None = None

    def run_name(self, flow_name: str) -> str:
        """Return the name of a flow run: the file's name and the kind of the lines."""
        return f"{Path(self.path).name}/{self.kind}"


def file_context(home: Home, request: FileRequest) -> RoundContext:
    """Check the file, the model and the home, and return the context of the file's round.

    The id of the round has a hash of the file's name, the kind of its lines, the model with its settings, and for
    grading the policy. The content of the file is no part of the hash. If lines are corrected or added, the same
    command therefore continues the round, and only new texts are sent to the model.

    Raises:
        ConfigError: the model, its key or the home cannot be used.
        FlowError: the file cannot be read, or a line is malformed.
    """
    kind = FileKind(request.kind)
    path = Path(request.path)
    spec = chosen_model(request.model, ())
    grading = Grading(request.grading)
    who = [kind, path.name, spec.name, spec.fingerprint]
    if kind is FileKind.RESPONSES:
        lines = tuple(line.row(number) for number, line in read_labelled(path).items())
    else:
        policy = load_policy(request.policy)
        who += [policy.fingerprint, grading]
        read = read_gold(path, policy).rows if kind is FileKind.GOLD else read_completions(path, policy)
        lines = tuple(completion.row(policy) for completion in read)
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip(".-_")[:LONGEST_NAME] or "file"
    judged = kind is FileKind.RESPONSES
    given = GivenFile(path.name, sha256(path), (JUDGE if judged else GRADE).name, lines)
    context = asking_context(
        home,
        f"{stem}-{digest_of(*who)[:10]}",
        spec,
        "judge" if judged else "grader",
        policy=None if judged else request.policy,
        grading=grading,
        max_usd=request.max_usd,
        given=given,
    )
    check_asking(context)
    return context
