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

import pandas as pd

K1, B = 1.5, 0.75
DEPTHS = (1, 3, 5)


def main() -> None:
    """Print how often the item's own passages are found, and passages that say something else of the same base."""
    items = pd.read_parquet(Path(sys.argv[1]) / "items.parquet")
    texts = {row.id: list(row.grounding) for row in items.itertuples()}
    controls = {row.base_id: row.id for row in items[items["kind"] == "control"].itertuples()}
    base_of = {text: row.base_id for row in items.itertuples() for text in texts[row.id]}
    changed = [
        row
        for row in items[items["kind"] != "control"].itertuples()
        if row.base_id in controls and texts[row.id] != texts[controls[row.base_id]]
    ]
    everything = sorted(base_of)
    print(f"{len(changed)} items with changed passages, {len(everything)} different passages, {len(controls)} bases")
    print("| index | passages | depth | own changed passage found | another version of the same base found |")
    print("|---|---:|---:|---:|---:|")
    for together in (True, False):
        found, others, sizes = Counter(), Counter(), []
        for row in changed:
            own = set(texts[row.id]) - set(texts[controls[row.base_id]])
            elsewhere = (text for base, item in controls.items() if base != row.base_id for text in texts[item])
            index = everything if together else sorted({*texts[row.id], *elsewhere})
            sizes.append(len(index))
            ranked = rank(row.perturbed_query, index)
            for depth in DEPTHS:
                top = ranked[:depth]
                found[depth] += bool(own & set(top))
                rivals = [text for text in top if base_of[text] == row.base_id and text not in texts[row.id]]
                others[depth] += bool(rivals)
        for depth in DEPTHS:
            how = "together" if together else "apart"
            shares = (found[depth] / len(changed), others[depth] / len(changed))
            print(f"| {how} | {sum(sizes) / len(sizes):.0f} | {depth} | {shares[0]:.1%} | {shares[1]:.1%} |")


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
