"""Rows in the published layouts, made up here: as many as the published sets have, with the same strata."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from demur.levers.catalogue import load_catalogue
from demur.levers.vocabulary import STRATA, expected_code

Row = dict[str, Any]
GENERATORS = {"claude": 406, "deepseek": 385, "gpt": 370, "nova": 345}
DOMAINS = ("Business & Industrial", "Health", "Law & Government", "Science", "Travel")
SOURCES = 100
LEVERS = {stratum: load_catalogue().stratum(*stratum)[0].name for stratum in STRATA}
"""A published lever of each stratum."""


def written(path: Path, rows: Iterable[Row]) -> Path:
    """Write rows as JSONL and return the path."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def nq_rows(per_generator: int = 400) -> Iterator[Row]:
    """Yield rows with one passage: 1,600 by default, of 4 generators and 100 source questions."""
    for generator in GENERATORS:
        for number in range(per_generator):
            source = (number * 7) % SOURCES
            lever_class, intensity = STRATA[number % len(STRATA)]
            year = 1900 + source
            question = f"when was lighthouse number {source} built"
            context = f"Lighthouse number {source} stands on the cape. It was built in {year} by the harbour board."
            yield {
                "id": f"RB-NQ_{generator}_{source}_{lever_class}_{intensity}_{number}",
                "source_id": str(source),
                "generator_model": generator,
                "perturbation_class": lever_class.value,
                "intensity": intensity.value,
                "expected_rag_behavior": expected_code(lever_class, intensity).value,
                "lever_selected": LEVERS[lever_class, intensity],
                "original_query": question,
                "original_context": context,
                "original_answers": [str(year), f"in {year}"],
                "perturbed_query": f"{question} (note {number} of {generator})",
                "perturbed_context": f"{context} Its lamp is cleaned on day {number}.",
                "implementation_reasoning": "A remark was added.",
                "verifier_votes": dict.fromkeys(GENERATORS, "PASS"),
            }


def garage_rows() -> Iterator[Row]:
    """Yield 1,506 rows with ten passages, of which one has no text, and a long reference answer."""
    for generator, wanted in GENERATORS.items():
        for number in range(wanted):
            source = (number * 3) % SOURCES
            lever_class, intensity = STRATA[(number * number) % len(STRATA)]
            passages = [{"provider": "web", f"cite_{at + 1}": _passage(source, number, at)} for at in range(11)]
            del passages[5]["cite_6"]
            yield {
                "id": f"RB-GaRAGe_{generator}_{source}_{lever_class}_{intensity}_{number}",
                "source_id": str(source),
                "generator_model": generator,
                "perturbation_class": lever_class.value,
                "intensity": intensity.value,
                "expected_rag_behavior": expected_code(lever_class, intensity).value,
                "lever_selected": LEVERS[lever_class, intensity],
                "query": f"How many trams does line {source} run on day {number}?",
                "reference_answer": f"Line {source} runs {source + 4} trams, two of them at night [1].",
                "grounding": passages,
                "signal_indices": [0],
                "noise_indices": [at for at in range(1, 11) if at != 5],
                "verifier_votes": dict.fromkeys(GENERATORS, "PASS"),
                "domain": DOMAINS[source % len(DOMAINS)],
            }


def _passage(source: int, number: int, at: int) -> str:
    if at == 0:
        return f"Line {source} runs {source + 4} trams, and two of them run at night."
    return f"Trams of region {at} are painted green. Their timetable of day {number} hangs in the hall of stop {at}."
