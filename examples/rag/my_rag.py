"""A system to evaluate: it ranks sentences of the passages in DuckDB and answers with the best, or says that none fits.

demur evaluate embedded/1 --system my_rag:answer --system-version 1 --page review.html
"""

import re

import duckdb

ENOUGH = 0.5
"""The share of the question's words that a sentence must have to be the answer."""
COMMON = set("a an and are as at by did do does for from had has have in is it of on or that the to was were".split())
COMMON |= set("how what when where which who whom whose why with".split())
BEST = """
WITH wanted AS (SELECT DISTINCT unnest($words) AS word),
sentences AS (SELECT unnest($sentences) AS sentence),
words AS (
    SELECT DISTINCT sentence.place AS place, sentence.text AS text,
        unnest(regexp_extract_all(lower(sentence.text), '[a-z0-9]+')) AS word
    FROM sentences
)
SELECT place, text, count(*) / (SELECT count(*) FROM wanted) AS share
FROM words SEMI JOIN wanted USING (word)
GROUP BY ALL ORDER BY share DESC, place, text LIMIT 1
"""
database = duckdb.connect()


def answer(question, passages):
    """Return the sentence that shares most words with the question, and the number of its passage."""
    words = [word for word in re.findall("[a-z0-9]+", question.lower()) if word not in COMMON]
    sentences = [
        {"place": place, "text": text}
        for place, passage in enumerate(passages, start=1)
        for text in re.split(r"(?<=[.!?])\s+", passage)
    ]
    if not words:
        return "What do you want to know?"
    found = database.cursor().execute(BEST, {"words": words, "sentences": sentences}).fetchone()
    if found is None or found[2] < ENOUGH:
        return "I'm sorry, the passages do not say that."
    return {"text": found[1], "citations": [found[0]]}
