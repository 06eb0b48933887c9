from pathlib import Path

import pytest

from demur.levers.explain import LeverError
from demur.levers.taxonomy import OURS, Taxonomy, load_taxonomy
from demur.levers.vocabulary import STRATA
from demur.levers.yaml_file import read_yaml


def test_taxonomy_describes_every_stratum_differently() -> None:
    taxonomy = load_taxonomy()
    entries = [taxonomy.of(lever_class).intensities[intensity] for lever_class, intensity in STRATA]
    assert len({entry.criterion for entry in entries}) == len({entry.answer_constraint for entry in entries}) == 18


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "code: REFUSE_AMBIGUOUS_QUERY\n    target",
            "code: REFUSE_OTHER\n    target",
            "must be 'REFUSE_AMBIGUOUS_QUERY'",
        ),
        ("target: query or context", "target: query", "must be 'query or context'"),
        ("  - code: REFUSE_OTHER", "  - code: REFUSE_GRANULARITY_MISMATCH", "in this order of precedence"),
        ("short: [REFUSE_FALSE_PREMISE]", "short: [REFUSE_AMBIGUOUS]", "different short forms"),
        ("      HIGH:", "      HIHG:", "HIHG"),
    ],
)
def test_taxonomy_that_disagrees_with_the_vocabulary_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = OURS.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "taxonomy.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LeverError, match=words):
        read_yaml(path, Taxonomy)
