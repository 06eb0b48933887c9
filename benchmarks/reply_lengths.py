"""How long recorded replies are, by role: what `demur plan` expects where no earlier round tells.

    python benchmarks/reply_lengths.py FILE.jsonl.gz [--write]

Tokens are counted with the encoding of estimates (cl100k) and include no reasoning. `--write` renews
flows/planning/reply_lengths.yaml; without it the table is printed alone.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import mean, median

from demur_process import machine, show

from demur.flows.planning.round_plan import REPLY_LENGTHS
from demur.programs.prompt_sizes import token_encoding
from demur.programs.recording import Recording, read_recording

HEAD = """\
# Output tokens of one reply by role (cl100k, mean of so many recorded replies), without reasoning.
# benchmarks/reply_lengths.py writes this file.
"""


def lengths(recording: Recording) -> dict[str, list[int]]:
    """Return the tokens of every recorded reply by role; a model that has several roles counts in the first."""
    found: dict[str, list[int]] = defaultdict(list)
    encoding = token_encoding()
    if encoding is None:
        raise SystemExit("tiktoken or the encoding that litellm brings is not installed")
    for entry in recording.entries.values():
        role = recording.speakers[entry.model].roles[0]
        found[role] += [len(encoding.encode_ordinary(reply.text)) for dialogue in entry.dialogues for reply in dialogue]
    return dict(sorted(found.items()))


def main() -> None:
    """Count, print, and write where that is asked for."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("file", type=Path)
    given.add_argument("--write", action="store_true")
    args = given.parse_args()
    by_role = lengths(read_recording(args.file))
    print(machine())
    rows = [[role, len(each), round(mean(each)), round(median(each)), max(each)] for role, each in by_role.items()]
    show("Tokens of recorded replies", ["role", "replies", "mean", "median", "most"], rows)
    if args.write:
        lines = [f"{role}: {{replies: {len(each)}, tokens: {round(mean(each))}}}\n" for role, each in by_role.items()]
        REPLY_LENGTHS.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
