"""Which passages a retriever finds: all items of a release indexed together, or each with a view of its own.

    python benchmarks/retrieval.py RELEASE_FOLDER

Every item whose passages were changed is looked up by its question with BM25 (k1 1.5, b .75). Together: all different
passages of the release in one index. Apart: the item's own passages, and those of the controls of other base instances.
"""

import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from demur.flows.stages.responses.release_index import given_away

K1, B = 1.5, 0.75
DEPTHS = (1, 3, 5)


def main() -> None:
    """Print how often the item's own passages are found, and passages that say something else of the same base."""
    items: list[Any] = pd.read_parquet(Path(sys.argv[1]) / "items.parquet").to_dict("records")
    texts: dict[str, list[str]] = {item["id"]: list(item["grounding"]) for item in items}
    controls: dict[str, str] = {item["base_id"]: item["id"] for item in items if item["kind"] == "control"}
    base_of: dict[str, str] = {text: item["base_id"] for item in items for text in texts[item["id"]]}
    changed = [
        item for item in items if item["base_id"] in controls and texts[item["id"]] != texts[controls[item["base_id"]]]
    ]
    print(copies(items))
    print(f"{len(changed)} items with changed passages, {len(base_of)} different passages, {len(controls)} bases")
    print("| index | passages | depth | own changed passage found | another version of the same base found |")
    print("|---|---:|---:|---:|---:|")
    for together in (True, False):
        found: Counter[int] = Counter()
        others: Counter[int] = Counter()
        sizes = []
        for item in changed:
            base, shown = item["base_id"], texts[item["id"]]
            own = set(shown) - set(texts[controls[base]])
            elsewhere = (text for other, control in controls.items() if other != base for text in texts[control])
            index = sorted(base_of) if together else sorted({*shown, *elsewhere})
            sizes.append(len(index))
            ranked = rank(item["perturbed_query"], index)
            for depth in DEPTHS:
                top = ranked[:depth]
                found[depth] += bool(own & set(top))
                others[depth] += any(base_of[text] == base and text not in shown for text in top)
        for depth in DEPTHS:
            how = "together" if together else "apart"
            shares = (found[depth] / len(changed), others[depth] / len(changed))
            print(f"| {how} | {sum(sizes) / len(sizes):.0f} | {depth} | {shares[0]:.1%} | {shares[1]:.1%} |")


def copies(items: list[Any]) -> str:
    """Return how many items to refuse had a copy of their original passage under another base instance."""
    bases = [
        {
            "base_id": item["base_id"],
            "answers": list(item["original_answers"]),
            "passages": [
                {"index": place, "text": text, "relevant": place in set(item["signal_indices"])}
                for place, text in enumerate(item["original_grounding"])
            ],
        }
        for item in {item["base_id"]: item for item in items}.values()
    ]
    told = given_away(bases)
    to_refuse = [item for item in items if item["expected_rag_behavior"] != "ANSWER_CORRECTLY"]
    seen = sum(item["base_id"] in told for item in to_refuse)
    return f"{seen} of {len(to_refuse)} items to refuse: a copy of the original passage under another base instance"


def rank(question: str, index: list[str]) -> list[str]:
    """Return the texts of an index by BM25, best first."""
    documents = [Counter(words(text)) for text in index]
    mean = sum(map(Counter.total, documents)) / len(documents)
    scores = [0.0] * len(index)
    for word in set(words(question)):
        holding = sum(word in document for document in documents)
        weight = math.log(1 + (len(index) - holding + 0.5) / (holding + 0.5))
        for place, document in enumerate(documents):
            times = document[word]
            scores[place] += weight * times * (K1 + 1) / (times + K1 * (1 - B + B * document.total() / mean))
    return [index[place] for place in sorted(range(len(index)), key=lambda place: (-scores[place], index[place]))]


def words(text: str) -> list[str]:
    """Return the words of a text, small."""
    return re.findall(r"\w+", text.lower())


if __name__ == "__main__":
    main()
