"""How far judges of plain words agree with two readers, and what they take for what.

    python benchmarks/plain_judges.py sheets responses.jsonl --out sheets
    python benchmarks/plain_judges.py score sheets --judge patterns=rules:judge/patterns
    python benchmarks/plain_judges.py score sheets --judgements claude=judged.jsonl
    python benchmarks/plain_judges.py score --part held-out --judge patterns=rules:judge/patterns

`sheets` takes responses, a line of JSON each: `id`, `question`, `passages` (texts), `response`, and optionally
`answers` (accepted ones; none where it should be refused), `source_id`, and `meant` (what its writer meant it to be).
It writes `reader-1.csv` and `reader-2.csv`, which hold the same responses in different orders and nothing of `answers`
or `meant`, and `all.jsonl`. Each reader fills the column `is` with a word of `WORDS`, without the other's sheet.

`score` compares: readers with each other, each judge with each reader, and with what both readers say; with Cohen's
kappa, its 95 % interval over source questions, and a table of what the judge takes for what. A judge is a model that is
asked now, or a file of lines with `id` and `is`. Without a folder it takes `data/plain_responses.jsonl`: the labelled
responses by which the patterns of the rules judge were written (`developed-on`) and tried (`held-out`).
"""

import argparse
import asyncio
import csv
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from demur.configuration.models import chosen_model
from demur.configuration.settings import keys_of
from demur.lanes.engine import open_models
from demur.levers.instances import Passage
from demur.programs.judge import Judge, Judgement, judge
from demur.programs.signatures.judgement import ASKED_BACK, PARTIAL, PlainClassification
from demur.scoring.agreement import cohen_estimate

WORDS: Final = tuple(str(word) for word in PlainClassification)
SHOWN: Final = ("number", "question", "passages", "response", "is", "remark")
READERS: Final = ("reader-1", "reader-2")
ALL: Final = "all.jsonl"
LABELLED: Final = Path(__file__).with_name("data") / "plain_responses.jsonl"
PARTS: Final = ("developed-on", "held-out")
REPLICATES: Final = 2_000
SEED: Final = 0
AT_ONCE: Final = 8
Labels = Mapping[str, str]


def main() -> None:
    """Make sheets, or score them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    sheets = commands.add_parser("sheets")
    sheets.add_argument("responses", type=Path)
    sheets.add_argument("--out", type=Path, required=True)
    scoring = commands.add_parser("score")
    scoring.add_argument("folder", type=Path, nargs="?", help="sheets that were filled; labelled responses if left out")
    scoring.add_argument("--part", choices=PARTS, help="of the labelled responses")
    scoring.add_argument("--judge", action="append", default=[], metavar="SPEC")
    scoring.add_argument("--judgements", action="append", default=[], metavar="NAME=FILE")
    given = parser.parse_args()
    if given.command == "sheets":
        write_sheets(given.responses, given.out)
    else:
        if given.folder and given.part:
            parser.error("--part is for the labelled responses: leave FOLDER out")
        rows, readers = labelled_sheets(given.folder) if given.folder else labelled_responses(given.part)
        score(rows, readers, given.judge, given.judgements)


def write_sheets(path: Path, out: Path) -> None:
    """Write a sheet for each reader, in an order of its own, and everything that is known beside them."""
    rows = lines_of(path)
    for place, row in enumerate(rows):
        row["id"] = str(row.get("id", place))
        if missing := [name for name in ("question", "passages", "response") if not row.get(name)]:
            sys.exit(f"{path}:{place + 1}: no {', '.join(missing)}")
        if "meant" in row and row["meant"] not in WORDS:
            sys.exit(f"{path}:{place + 1}: meant '{row['meant']}' is not one of {', '.join(WORDS)}")
    if len({row["id"] for row in rows}) < len(rows):
        sys.exit(f"{path}: two lines have one id. Give each its own")
    out.mkdir(parents=True, exist_ok=True)
    for seed, reader in enumerate(READERS, start=1):
        ordered = random.Random(seed).sample(rows, len(rows))
        with (out / f"{reader}.csv").open("w", encoding="utf-8", newline="") as file:
            sheet = csv.DictWriter(file, SHOWN)
            sheet.writeheader()
            for row in ordered:
                texts = "\n\n".join(f"[{at}] {text}" for at, text in enumerate(row["passages"], start=1))
                shown = {"number": row["id"], "question": row["question"], "passages": texts}
                sheet.writerow({**shown, "response": row["response"], "is": "", "remark": ""})
    with (out / ALL).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(f"{len(rows)} responses; readers fill the column `is` with one of:\n{meanings()}")


def meanings() -> str:
    """Return the words for the sheets, each with its meaning."""
    about = {
        "ANSWER_ATTEMPT": "answers, however badly, and leaves nothing open",
        PARTIAL: "answers, or a part of it, and says that the passages do not carry it or not all of it",
        ASKED_BACK: "gives no answer and asks the user what is meant",
        "REFUSE_OTHER": "gives no answer, and no reason or one that none of the others is",
    }
    refusing = "gives no answer, and this is the reason that it gives (first)"
    return "\n".join(f"  {word}: {about.get(word, refusing)}" for word in WORDS)


def labelled_sheets(folder: Path) -> tuple[Mapping[str, Any], Mapping[str, Labels]]:
    """Return the responses of sheets by id, and what each reader says of them."""
    rows = {row["id"]: row for row in lines_of(folder / ALL)}
    return rows, {reader: labels_of_sheet(folder / f"{reader}.csv", rows) for reader in READERS}


def labelled_responses(part: str | None) -> tuple[Mapping[str, Any], Mapping[str, Labels]]:
    """Return the labelled responses by id, or one part of them, and what each reader says of them."""
    rows = {row["id"]: row for row in lines_of(LABELLED) if part in (None, row["part"])}
    return rows, {reader: {one: row[reader] for one, row in rows.items()} for reader in READERS}


def score(rows: Mapping[str, Any], readers: Mapping[str, Labels], judges: Sequence[str], files: Sequence[str]) -> None:
    """Print every comparison."""
    first, second = readers.values()
    both = {one: word for one, word in first.items() if second[one] == word}
    judged = {name: asyncio.run(asked(spec, rows)) for spec in judges for name in [chosen_model(spec, ()).name]}
    for named in files:
        name, _, path = named.partition("=")
        judged[name] = checked({str(row["id"]): row["is"] for row in lines_of(Path(path))}, rows, path)
    meant = {one: row["meant"] for one, row in rows.items() if row.get("meant")}
    print("| who | with | responses | same | kappa | 95 % |\n|---|---|---:|---:|---:|---|")
    print(line("reader-1", "reader-2", first, second, rows))
    for name, labels in judged.items():
        for reader, theirs in (*readers.items(), ("both readers", both)):
            print(line(name, reader, labels, theirs, rows))
    if meant:
        for reader, theirs in readers.items():
            print(line(reader, "the writer", theirs, meant, rows))
    for name, labels in judged.items():
        print(f"\n{name}, of what both readers call the same:\n")
        print("\n".join(confusion(both, labels)))


def line(who: str, other: str, mine: Labels, theirs: Labels, rows: Mapping[str, Any]) -> str:
    """Return a row of the table of agreements."""
    shared = [one for one in theirs if one in mine]
    first, second = [mine[one] for one in shared], [theirs[one] for one in shared]
    sources = pd.Series([str(rows[one].get("source_id") or rows[one]["question"]) for one in shared])
    kappa = cohen_estimate(first, second, sources, replicates=REPLICATES, seed=SEED)
    same = sum(one == another for one, another in zip(first, second, strict=True)) / max(1, len(shared))
    return f"| {who} | {other} | {len(shared)} | {same:.1%} | {kappa.value:.3f} | {kappa.low:.3f} to {kappa.high:.3f} |"


def confusion(truth: Labels, judged: Labels) -> Iterator[str]:
    """Yield the lines of a table: what readers say by what the judge says."""
    cells = Counter((word, judged[one]) for one, word in truth.items() if one in judged)
    said = [word for word in (*WORDS, "INVALID") if any(judge_says == word for _, judge_says in cells)]
    yield f"| readers | {' | '.join(said)} | found |"
    yield "|---|" + "---:|" * (len(said) + 1)
    for word in WORDS:
        total = sum(count for (reads, _), count in cells.items() if reads == word)
        if total:
            counts = " | ".join(str(cells[word, other]) for other in said)
            yield f"| {word} | {counts} | {cells[word, word] / total:.0%} |"


async def asked(text: str, rows: Mapping[str, Any]) -> Labels:
    """Return what a model that judges says of every response."""
    spec = chosen_model(text, ())
    places = asyncio.Semaphore(AT_ONCE)
    async with open_models([spec], "judge", keys_of([spec])) as models:

        async def one(row: Mapping[str, Any]) -> Judgement:
            passages = [Passage(index=at, text=text, relevant=True) for at, text in enumerate(row["passages"])]
            async with places:
                return await judge(
                    Judge(plain=True),
                    models[spec.name],
                    row["question"],
                    row.get("answers", ()),
                    row["response"],
                    passages,
                )

        found = await asyncio.gather(*(one(row) for row in rows.values()))
    return {number: word_of(judgement) for number, judgement in zip(rows, found, strict=True)}


def word_of(judgement: Judgement) -> str:
    """Return what a judgement calls a response, in the words of the sheets."""
    words = {"partial_answer": PARTIAL, "asked_back": ASKED_BACK}
    return words.get(str(judgement.reaction), judgement.predicted)


def labels_of_sheet(path: Path, rows: Mapping[str, Any]) -> Labels:
    """Return what a reader says, by id."""
    with path.open(encoding="utf-8", newline="") as file:
        return checked({row["number"]: row["is"].strip() for row in csv.DictReader(file)}, rows, path)


def checked(labels: Labels, rows: Mapping[str, Any], path: Path | str) -> Labels:
    """Return labels of all responses, or end with what is wrong with them."""
    wrong = [f"{one} '{word}'" for one, word in labels.items() if word not in (*WORDS, "INVALID") or one not in rows]
    missing = [one for one in rows if one not in labels]
    if wrong or missing:
        sys.exit(f"{path}: {len(wrong)} labels are not usable ({', '.join(wrong[:5])}), {len(missing)} are missing")
    return labels


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
