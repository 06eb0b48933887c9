"""A provider for texts in German and Chinese, and a corpus of both with English questions; all texts are our own."""

import json
from pathlib import Path
from typing import Any

from demur.lanes.simulator.faults import SimulatedRequest
from demur.levers.instances import ChangedPassage
from demur.levers.vocabulary import ATTEMPT, Code
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import read_turns
from demur.programs.replies.refusal_codes import codes_in
from demur.programs.signatures.registry import SIGNATURES
from demur.text.answers import find_spellings
from demur.text.languages import language_code
from demur.text.tokens import sentences

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


def write_corpus(folder: Path) -> Path:
    """Write the corpus and return its path."""
    path = folder / "languages.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")
    return path


def replied(asked: SimulatedRequest) -> str:
    """Return what the provider says: it takes answering sentences out, and answers where an accepted answer stands."""
    system, *turns = asked.body["messages"]  # type: ignore[misc]
    task, inputs = read_turns(system["content"], [(turn["role"], turn["content"]) for turn in turns], SIGNATURES)
    return contract(SIGNATURES[task]).write_reply(_REPLIES[task](inputs))


def _perturbed(inputs: dict[str, Any]) -> dict[str, Any]:
    language = language_code(inputs.get("language", "English"))
    changed = []
    for passage in inputs["passages"]:
        kept = [
            sentence.text
            for sentence in sentences(passage.text, language)
            if not any(any(find_spellings(sentence.text, answer, language)) for answer in inputs["answers"])
        ]
        changed.append(ChangedPassage(index=passage.index, text=" ".join(kept)))
    return {
        "reasoning": "The sentence that answers goes.",
        "declined": None,
        "lever": inputs["levers"][0].name,
        "perturbed_question": inputs["question"],
        "changed_passages": tuple(changed),
        "answer_constraint_met": "The answer is gone.",
    }


def _passed(inputs: dict[str, Any]) -> dict[str, Any]:
    low = inputs["intensity"] == "LOW"
    return {
        "refusal_analysis": "Refuse.",
        "predicted_behaviour": inputs["expected_behaviour"],
        "constraint_analysis": "Gone.",
        "observed_intensity": inputs["intensity"],
        **dict.fromkeys(("lever_fidelity", "intensity_achieved", "target_compliance", "implementation_quality"), True),
        **dict.fromkeys(("answer_constraint_met", "behaviour_prediction"), True),
        "strategy_compliance": None,
        "uncertainty_induced": None if low else True,
        "refusal_class_alignment": None if low else True,
        "issues": (),
        "overall": "PASS",
    }


def _answered(inputs: dict[str, Any]) -> dict[str, Any]:
    [row] = [row for row in ROWS if row["question"] == inputs["question"]]
    language = language_code(inputs.get("language", "English"))
    known = any(any(find_spellings(passage.text, row["answers"][0], language)) for passage in inputs["passages"])
    return {"response": row["answers"][0] if known else Code.MISSING.value}


def _judged(inputs: dict[str, Any]) -> dict[str, Any]:
    codes = codes_in(inputs["response"])
    right = inputs["response"] in inputs["reference_answers"]
    quality = (5 if right else 2) if inputs["reference_answers"] and not codes else None
    return {"explanation": "Compared.", "classification": codes[0].value if codes else ATTEMPT, "quality": quality}


_REPLIES = {
    "GeneratePerturbation": _perturbed,
    "RepairPerturbation": _perturbed,
    "VerifyPerturbation": _passed,
    "AnswerFromPassage": _answered,
    "JudgeShortAnswer": _judged,
}
