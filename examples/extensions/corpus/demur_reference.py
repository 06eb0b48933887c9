"""A corpus reader for NaturalQuestions as RefusalBench's pipeline takes it: `qid`, `query`, `answer`, `gold_docs`."""

import json


def read(path):
    """Yield rows with the fields of demur's own format, which checks them."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            answers = [row["answer"]] if isinstance(row["answer"], str) else row["answer"]
            holding = (text for text in row["gold_docs"] if any(answer in text for answer in answers))
            context = next(holding, row["gold_docs"][0])
            yield {"id": row["qid"], "question": row["query"], "answers": answers, "context": context}
