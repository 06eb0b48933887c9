"""What each setting that makes items harder does to respondents: the same items with it and without it.

    python benchmarks/knobs.py FILE [--items 20] [--bases 40] [--passages 20] [--out FOLDER] [--replies FILE ...]

A round of the rules lane makes the items of a corpus, with every setting on; then each pair of an item is asked twice:

- `context`: in its whole context, and with the passages of its question alone;
- `place`: in its whole context with the signal passages in the middle, and with these at the start;
- `unanswerable`, `mismatched`: an organic item, and a planted one of the same base instance and class.

Rule baselines answer both. With `--out` the requests are written as messages, in an order that tells nothing
(`requests.jsonl`: id and messages; `keys.jsonl` says what each one is), for respondents who answer elsewhere.
`--replies` takes their replies, `{"id", "reply"}` a line, and prints the same table of them. An answer is right if it
gives no code and holds an accepted answer, a refusal if its first code is the expected one. No text is printed.
"""

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from demur_process import machine, show, write_config
from scipy.stats import binomtest

from demur.api import run_round
from demur.engine.context import digest_of
from demur.engine.instances import passages_of
from demur.levers.instances import Passage
from demur.levers.vocabulary import Code
from demur.programs.options import Prompts
from demur.programs.refusal_codes import stated_codes
from demur.programs.respondent import asked_messages
from demur.programs.signatures.response import NumberedPassage
from demur.rules.roles.respond import RULES
from demur.text.answers import find_answers

ITEMS: Final = """
    SELECT
        i.item_id, i.kind, i.base_id, i.class, i.intensity, i.expected, i.question, i.answers, i.passages,
        b.own_passages
    FROM live_items i JOIN live_base_instances b USING (round_id, base_id)
    WHERE i.round_id = $round_id AND i.kind <> 'control' ORDER BY i.item_id
"""
ARMS: Final = ("without", "with")


@dataclass(frozen=True, slots=True)
class Asked:
    """One item as it is asked: the number of its pair, and whether with the setting or without it."""

    knob: str
    pair: int
    arm: str
    expected: str
    answers: tuple[str, ...]
    question: str
    passages: tuple[Passage, ...]

    @property
    def id(self) -> str:
        """What names the request and tells nothing of it; the same for what two settings ask alike."""
        return digest_of("knobs", self.question, [passage.text for passage in self.passages])[:12]

    def is_right(self, reply: str) -> bool:
        """Return whether a reply is what is expected."""
        codes = stated_codes(reply)
        if self.expected != Code.ANSWER_CORRECTLY:
            return bool(codes) and codes[0].code == self.expected
        return not codes and bool(find_answers(reply, self.answers))


def main() -> None:
    """Print what rule baselines, and replies made elsewhere, make of each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--items", type=int, default=20, help="pairs of each setting")
    parser.add_argument("--bases", type=int, default=40)
    parser.add_argument("--passages", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--prompts", type=Prompts, choices=list(Prompts), default=Prompts.PUBLISHED)
    parser.add_argument("--home", type=Path, help="home that keeps the round, and has it already if it ran before")
    parser.add_argument("--out", type=Path, help="folder for requests and keys")
    parser.add_argument("--replies", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        asked = list(pairs(_round(options, Path(folder)), options.items, options.seed))
    print(machine())
    if options.out is not None:
        _write(asked, options.out, options.prompts, options.seed)
    for name, baseline in RULES.items():
        said = {one.id: baseline(one.question, _numbered(one.passages)) for one in asked}
        show(name, COLUMNS, list(_table(asked, said)))
    for file in options.replies:
        lines = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
        show(file.stem, COLUMNS, list(_table(asked, {line["id"]: str(line["reply"]) for line in lines})))


def _round(options: argparse.Namespace, folder: Path) -> list[Mapping[str, Any]]:
    """Return the items of the round, which is run where its home has it not."""
    generation = {
        "lever_choice": "generator",
        "replicates": 1,
        "context": {"passages": options.passages, "order": "nearest"},
        "organic": {"unanswerable": 4 * options.items, "mismatched": 4 * options.items},
    }
    corpus = {"path": str(options.corpus.resolve()), "format": "demur", "on_bad_row": "skip"}
    changes = {"bases": options.bases, "corpus": corpus, "generation": generation, "seed": options.seed}
    path = write_config(folder, **changes, name="knobs", round_id="knobs")
    found = run_round(path, home=options.home or folder / "home")
    rows = found.sql(ITEMS, round_id="knobs").to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def pairs(items: Sequence[Mapping[str, Any]], number: int, seed: int) -> Iterator[Asked]:
    """Yield each item of each pair, without and with the setting."""
    rng = random.Random(seed)
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for item in rng.sample(list(items), len(items)):
        by_kind.setdefault(item["kind"], []).append(item)
    planted = by_kind.get("perturbed", [])
    for pair, item in enumerate(_over_strata(planted, number)):
        whole, own = _passages(item), _own(item)
        yield _asked("context", pair, "without", item, own)
        yield _asked("context", pair, "with", item, whole)
        yield _asked("place", pair, "without", item, (*own, *(p for p in whole if p not in own)))
        yield _asked("place", pair, "with", item, whole)
    missing = {i["base_id"]: i for i in planted if i["expected"] == Code.MISSING}
    for kind in ("unanswerable", "mismatched"):
        both = [(missing[i["base_id"]], i) for i in by_kind.get(kind, []) if i["base_id"] in missing][:number]
        for pair, arms in enumerate(both):
            for arm, item in zip(ARMS, arms, strict=True):
                yield _asked(kind, pair, arm, item, _own(item))


def _over_strata(items: Sequence[Mapping[str, Any]], number: int) -> list[Mapping[str, Any]]:
    """Return so many items, the same number of every stratum as far as they go."""
    places: dict[tuple[str, str], int] = {}
    ranked = []
    for item in items:
        stratum = item["class"], item["intensity"]
        places[stratum] = places.get(stratum, -1) + 1
        ranked.append((places[stratum], item["item_id"], item))
    return [item for _, _, item in sorted(ranked, key=lambda each: each[:2])][:number]


def _passages(item: Mapping[str, Any]) -> tuple[Passage, ...]:
    return passages_of(item["passages"])


def _own(item: Mapping[str, Any]) -> tuple[Passage, ...]:
    return tuple(passage for passage in _passages(item) if passage.index in set(item["own_passages"]))


def _asked(knob: str, pair: int, arm: str, item: Mapping[str, Any], passages: tuple[Passage, ...]) -> Asked:
    return Asked(knob, pair, arm, item["expected"], tuple(item["answers"]), item["question"], passages)


def _numbered(passages: Sequence[Passage]) -> tuple[NumberedPassage, ...]:
    return tuple(NumberedPassage(number=number, text=p.text) for number, p in enumerate(passages, start=1))


def _write(asked: Sequence[Asked], folder: Path, prompts: Prompts, seed: int) -> None:
    """Write requests and keys; an item that two settings ask alike is asked once."""
    folder.mkdir(parents=True, exist_ok=True)
    order = random.Random(f"{seed}|order").sample(list(asked), len(asked))
    once = {one.id: one for one in order}.values()
    requests = [{"id": one.id, "messages": asked_messages(one.question, one.passages, prompts)} for one in once]
    keys = [
        {"id": one.id, "knob": one.knob, "pair": one.pair, "arm": one.arm, "expected": one.expected} for one in order
    ]
    for name, rows in (("requests", requests), ("keys", keys)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    print(f"{len(requests)} requests in {folder / 'requests.jsonl'}")


COLUMNS: Final = ("setting", "pairs", "right without", "right with", "only without", "only with", "change", "p")


def _table(asked: Sequence[Asked], said: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    """Yield a row per setting, over the pairs both of which have a reply."""
    right: dict[tuple[str, int], dict[str, bool]] = {}
    for one in asked:
        if one.id in said:
            right.setdefault((one.knob, one.pair), {})[one.arm] = one.is_right(said[one.id])
    for knob in dict.fromkeys(one.knob for one in asked):
        both = [arms for (name, _), arms in right.items() if name == knob and len(arms) == len(ARMS)]
        if not both:
            continue
        lost = sum(arms["without"] and not arms["with"] for arms in both)
        gained = sum(arms["with"] and not arms["without"] for arms in both)
        shares = (f"{sum(arms[arm] for arms in both) / len(both):.2f}" for arm in ARMS)
        p = binomtest(gained, lost + gained).pvalue if lost + gained else 1.0
        yield knob, len(both), *shares, lost, gained, _change(lost, gained, len(both)), f"{p:.3f}"


def _change(lost: int, gained: int, pairs: int) -> str:
    """Return the difference of two paired shares with its 95 % interval (Agresti and Min: half a pair in each cell)."""
    b, c, n = lost + 0.5, gained + 0.5, pairs + 2
    middle, half = (c - b) / n, 1.96 * sqrt(b + c - (c - b) ** 2 / n) / n
    return f"{(gained - lost) / pairs:+.2f} ({max(-1.0, middle - half):+.2f} to {min(1.0, middle + half):+.2f})"


if __name__ == "__main__":
    main()
