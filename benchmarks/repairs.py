"""How many perturbations that fail a code check come back right when they go back once with the evidence.

    python benchmarks/repairs.py [--each 2] [--seed 20261122] [--sheet FILE] [--reply FILE]

What a language model made of the embedded base instances is read from the package's recording. Two things are counted:

- its own first attempts that fail today's checks, and its recorded repairs of them, with the verdicts on those;
- violations planted in its sound perturbations (tests/programs/checks/planted.py). So many of each kind that a check
  catches, drawn by seed, go back as in a round, with the evidence; what was replied stands in planted_repairs.jsonl.

`--sheet` writes the requests that have no reply yet as a generator reads them; `--reply` takes a file of replies along,
a JSON object with `request` and the fields of a reply on each line.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from demur_process import ROOT, machine, show
from rules_yield import read_bases

sys.path.insert(0, str(ROOT))

from demur.configuration.round_config import CORPORA, RECORDINGS
from demur.corpora.corpus import CorpusFormat
from demur.engine.context import digest_of
from demur.flows.stages.items.generate.lever_choice import KEY
from demur.flows.stages.items.verify import KEY as VERDICT_KEY
from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.instances import BaseInstance, Perturbation, passage_records, perturbation_of
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import STRATA
from demur.programs.checks.changes import CheckResult
from demur.programs.checks.run import check, failures
from demur.programs.perturbation import generating
from demur.programs.recording import SUFFIX, Recording, read_recording
from demur.programs.signatures.taxonomy_text import stratum_brief
from tests.programs.checks.good_instances import Good
from tests.programs.checks.planted import PLANTED

REPLIES: Final = Path(__file__).parent / "planted_repairs.jsonl"
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Planted:
    """A violation in a sound perturbation, and what the checks say of it."""

    kind: str
    good: Good
    mutant: Perturbation
    failed: tuple[CheckResult, ...]

    @property
    def request(self) -> str:
        """What a reply to it is found by."""
        made = self.mutant.model_dump(mode="json")
        return digest_of(self.good.base.model_dump(mode="json"), self.good.lever.id, made)[:12]


def attempts(recording: Recording, catalogue: Catalogue) -> Iterator[tuple[Good, Perturbation | None]]:
    """Yield what was made of every embedded base instance and stratum, and its repair where there is one."""
    for corpus in ("single", "multi"):
        for base, (lever_class, intensity) in product(
            read_bases(CORPORA / f"{corpus}.jsonl", CorpusFormat.DEMUR, None), STRATA
        ):
            inputs = {**_inputs(base), "class": lever_class.value, "intensity": intensity.value, "replicate": 0}
            for drawn in recording.drawn(KEY.stage, "writer", KEY.of(inputs)):
                fields = _reply(recording, "GeneratePerturbation", inputs, drawn)
                lever = catalogue.lever(drawn[0])
                if fields is not None and not fields["declined"]:
                    first = _made(fields)
                    repaired = {
                        "lever": first.lever,
                        "question": first.question,
                        "changed": [change.model_dump() for change in first.changed],
                    }
                    again = _reply(
                        recording, "RepairPerturbation", {**inputs, "repair": 1, "repaired": repaired}, drawn
                    )
                    yield Good(base, first, lever), None if again is None or again["declined"] else _made(again)


def _inputs(base: BaseInstance) -> dict[str, Any]:
    return {"question": base.question, "answers": base.answers, "passages": passage_records(base.passages)}


def _reply(recording: Recording, task: str, inputs: Fields, drawn: tuple[str, ...]) -> Fields | None:
    found = recording.dialogues(KEY.stage, "writer", task, KEY.of(inputs), drawn, "", "")
    return json.loads(found[0][-1].text) if found else None


def _made(fields: Fields) -> Perturbation:
    return perturbation_of(fields["perturbed_question"], fields["changed_passages"], fields["lever"])


def checked(good: Good, made: Perturbation) -> tuple[CheckResult, ...]:
    """Return the checks that a perturbation fails."""
    return tuple(failures(check(good.base, made, good.lever, good.stratum)))


def verdicts(recording: Recording, good: Good, made: Perturbation) -> list[str]:
    """Return what each recorded verifier says of a perturbation, over all."""
    inputs = {
        **_inputs(good.base),
        "class": good.lever.lever_class.value,
        "intensity": good.lever.intensity.value,
        "lever_id": good.lever.id,
        "perturbed_question": made.question,
        "changed": [change.model_dump() for change in made.changed],
    }
    key = VERDICT_KEY.of(inputs)
    found = (
        recording.dialogues("verify", name, "VerifyPerturbation", key, (), "", "")
        for name in ("verifier-a", "verifier-b")
    )
    return [json.loads(dialogues[0][-1].text)["overall"] for dialogues in found if dialogues]


def planted(sound: Iterable[Good]) -> Iterator[Planted]:
    """Yield every violation that can be planted, with the checks that it fails."""
    for good in sound:
        for kind, _, mutate in PLANTED:
            for mutant in mutate(good):
                yield Planted(kind, good, mutant, checked(good, mutant))


def tell_own(recording: Recording, made: Iterable[tuple[Good, Perturbation | None]]) -> None:
    """Print what became of the model's own attempts that fail a check."""
    counts: dict[str, Counter[str]] = {}
    for good, again in made:
        failed = checked(good, good.perturbation)
        if failed:
            of = counts.setdefault(", ".join(result.name for result in failed), Counter())
            of["failed"] += 1
            if again is not None:
                of["back"] += 1
                of["right"] += not checked(good, again)
                of["accepted"] += verdicts(recording, good, again) == ["PASS", "PASS"]
    columns = ("failed", "back", "right", "accepted")
    rows = [[name, *(of[column] for column in columns)] for name, of in sorted(counts.items())]
    rows.append(["all", *(sum(of[column] for of in counts.values()) for column in columns)])
    show(
        "Its own attempts that fail a check",
        ["check", "failed", "came back", "right by all checks", "accepted by both verifiers"],
        rows,
    )


def tell_planted(every: list[Planted], drawn: list[Planted], replies: Mapping[str, Fields]) -> None:
    """Print how many planted violations are caught, and how many of those that went back came back right."""
    rows: list[list[object]] = []
    for kind, name, _ in PLANTED:
        of = [one for one in every if one.kind == kind]
        caught = sum(any(result.name is name for result in one.failed) for one in of)
        asked = [one for one in drawn if one.kind == kind]
        back = [(one, replies[one.request]) for one in asked if one.request in replies]
        right = sum(not reply["declined"] and not checked(one.good, _made(reply)) for one, reply in back)
        share = f"{caught / len(of):.3f}" if of else "none planted"
        rows.append([kind, name.value, len(of), caught, share, len(asked), len(back), right])
    totals = [sum(int(row[at]) for row in rows) for at in (2, 3, 5, 6, 7)]  # type: ignore[call-overload]
    rows.append(["all", "", *totals[:2], f"{totals[1] / totals[0]:.3f}", *totals[2:]])
    show(
        "Violations planted in sound perturbations of a language model",
        ["planted", "check", "times", "caught", "share", "sent back", "replies", "right by all checks"],
        rows,
    )


def draw(every: list[Planted], each: int, seed: int) -> list[Planted]:
    """Return so many caught violations of each kind, no two of one base instance and kind."""
    rng = random.Random(seed)
    taken = []
    for kind, name, _ in PLANTED:
        caught = [one for one in every if one.kind == kind and any(result.name is name for result in one.failed)]
        rng.shuffle(caught)
        seen = {one.good.base.question: one for one in reversed(caught)}
        taken += sorted(seen.values(), key=caught.index)[:each]
    return taken


def write_sheet(path: Path, drawn: Iterable[Planted]) -> None:
    """Write requests as a generator reads them; what stays the same for all is left out."""
    parts = []
    for one in drawn:
        lever: Lever = one.good.lever
        fields = generating(one.good.base, stratum_brief(lever.lever_class, lever.intensity), [lever])
        shown = {
            name: fields[name]
            for name in ("intensity", "intensity_criterion", "answer_constraint", "strategy", "question", "answers")
        }
        shown |= {
            "lever": {"name": lever.name, "target": lever.target, "instruction": lever.instruction},
            "passages": [(p.index, "signal" if p.relevant else "noise", p.text) for p in one.good.base.passages],
            "earlier": one.mutant.model_dump(mode="json"),
            "faults": [f"{result.name}: {result.evidence}" for result in one.failed],
        }
        parts.append(f"## {one.request}\n\n{json.dumps(shown, ensure_ascii=False, indent=1)}\n")
    path.write_text("\n".join(parts), encoding="utf-8")


def read_replies(*paths: Path) -> dict[str, Fields]:
    """Return replies by request."""
    lines = (line for path in paths if path.is_file() for line in path.read_text(encoding="utf-8").splitlines())
    return {row["request"]: row for row in map(json.loads, lines)}


def main() -> None:
    """Print both tables; write sheet and replies where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=2, help="violations of each kind that go back")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--reply", type=Path)
    a = parser.parse_args()
    print(machine())
    recording = read_recording(RECORDINGS / f"embedded{SUFFIX}")
    made = list(attempts(recording, load_catalogue()))
    every = list(planted(good for good, _ in made if not checked(good, good.perturbation)))
    drawn = draw(every, a.each, a.seed)
    replies = read_replies(REPLIES, *([a.reply] if a.reply else []))
    if a.reply:
        wanted = (replies[one.request] for one in drawn if one.request in replies)
        REPLIES.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in wanted), encoding="utf-8")
    if a.sheet:
        write_sheet(a.sheet, (one for one in drawn if one.request not in replies))
    tell_own(recording, made)
    tell_planted(every, drawn, replies)


if __name__ == "__main__":
    main()
