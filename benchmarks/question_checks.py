"""How many questions that people asked fail the code checks of asking: `python -m benchmarks.question_checks FILE`.

QUESTIONS is a JSONL file of the format demur with one passage a question. The proof is the first sentence that holds an
accepted answer; questions without one are left out.
"""

import sys
import time
from collections import Counter
from pathlib import Path

from demur.corpora.corpus import read_corpus
from demur.levers.instances import AskedQuestion
from demur.levers.vocabulary import ENGLISH, QuestionKind
from demur.programs.checks.questions import check_question, gives_answer
from demur.text.answers import ENGLISH_YES_NO
from demur.text.tokens import sentences


def main(path: Path) -> None:
    faults: Counter[str] = Counter()
    asked = failed = 0
    seconds = 0.0
    for row in read_corpus(path, "demur"):
        text = row.passages[0].text
        proof = next((one.text for one in sentences(text) if gives_answer(one.text, row.answers, ENGLISH)), None)
        if proof is None:
            continue
        kind = QuestionKind.YES_NO if row.answers[0].casefold() in ENGLISH_YES_NO else QuestionKind.WHAT
        question = AskedQuestion(question=row.question, answers=row.answers, proof=(proof,), kind=kind)
        started = time.perf_counter()
        found = check_question(question, (text,), ENGLISH).faults
        seconds += time.perf_counter() - started
        asked += 1
        failed += bool(found)
        faults.update({fault.check.value for fault in found})
    print(f"{asked} questions, {failed} with a fault ({dict(faults)}), {1000 * seconds / max(asked, 1):.1f} ms each")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
