"""A corpus in several languages: every base instance has its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.flows.finished_rounds import RULES_ROLES
from tests.flows.rounds import first_stages, small
from tests.flows.simulated import rows

pytestmark = pytest.mark.usefixtures("prefect_api")

ROWS: list[dict[str, Any]] = [
    {
        "id": "de-1",
        "question": "In welchem Jahr wurde die Mühle von Orla stillgelegt?",
        "answers": ["1911"],
        "context": "Die Mühle von Orla stand am Fluss und mahlte Korn für drei Dörfer. "
        "Im Jahr 1911 wurde sie stillgelegt. Dann kaufte sie eine Bäckerfamilie, die das Rad behielt.",
    },
    {
        "id": "de-2",
        "question": "Wie viele Bücher besaß die Bibliothek von Varn?",
        "answers": ["1.200", "1200"],
        "context": "Die Bibliothek von Varn liegt über dem Rathaus. Sie besaß zuletzt 1200 Bücher. "
        "Jeden Dienstag las dort die Lehrerin den Kindern vor, und im Winter wurde geheizt.",
    },
    {
        "id": "zh-1",
        "question": "凯特山的灯塔是谁建造的？",
        "answers": ["林海"],
        "context": "凯特山的灯塔立在港口北边的岩石上。灯塔由工匠林海建造。"
        "每天傍晚，守塔人点亮灯火，渔船就能看见回家的路。",
    },
    {
        "id": "zh-2",
        "question": "瓦恩的桥有多长？",
        "answers": ["120米", "１２０米"],
        "language": "zh",
        "context": "瓦恩的桥连接着老城和新城。这座桥长１２０米。桥上禁止马车通行，行人可以随时过桥。",
    },
    {
        "id": "en-1",
        "question": "When was the pier of Teskel opened?",
        "answers": ["1922"],
        "context": "Teskel is a small harbour town on the northern coast. The pier of Teskel was opened in 1922. "
        "Ferries to the islands leave twice a day in summer, and once in winter.",
    },
    {
        "id": "en-2",
        "question": "Who painted the ceiling of the Garrow hall?",
        "answers": ["Mara Lindqvist"],
        "context": "The Garrow hall holds four hundred people. Its ceiling was painted by Mara Lindqvist. "
        "Concerts are given there on Sundays, and the doors open at noon.",
    },
]


def test_base_instances_of_three_languages_have_the_language_that_is_stated_or_found(tmp_path: Path) -> None:
    corpus = tmp_path / "languages.jsonl"
    corpus.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")
    config = small(tmp_path, bases=len(ROWS), corpus={"path": str(corpus), "format": "demur"}, roles=RULES_ROLES)
    first_stages(config, tmp_path / "home")
    found = rows(
        tmp_path / "home",
        "SELECT source_id, language, language_confidence IS NULL FROM base_instances ORDER BY source_id",
    )
    assert found == [
        ("de-1", "de", False),
        ("de-2", "de", False),
        ("en-1", "en", False),
        ("en-2", "en", False),
        ("zh-1", "zh", False),
        ("zh-2", "zh", True),
    ]
