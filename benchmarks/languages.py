"""How well short questions are told by language: the detector of a round, and lingua where it is installed."""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from demur.text.language_detection import LEAST_CONFIDENCE, detect

QUESTIONS = Path(__file__).parents[1] / "tests" / "text" / "short_questions.yaml"


def ours(text: str) -> str | None:
    return detect(text).code


def lingua() -> Callable[[str], str | None]:
    from lingua import LanguageDetectorBuilder

    detector = LanguageDetectorBuilder.from_all_languages().build()

    def detect(text: str) -> str | None:
        best = detector.compute_language_confidence_values(text)[0]
        return best.language.iso_code_639_1.name.lower() if best.value >= LEAST_CONFIDENCE else None

    return detect


def main() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    detect = lingua() if "lingua" in sys.argv[1:] else ours
    detect("Who built the pier?")
    loaded = time.perf_counter() - start
    questions = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    start = time.perf_counter()
    found = {language: [detect(question) for question in asked] for language, asked in questions.items()}
    asking = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    number = sum(map(len, questions.values()))
    print("| language | questions | right | unsure | wrong |\n|---|---|---|---|---|")
    for language, codes in found.items():
        right, unsure = codes.count(language), codes.count(None)
        print(f"| {language} | {len(codes)} | {right} | {unsure} | {len(codes) - right - unsure} |")
    print(f"\nfirst text after {loaded:.1f} s, {1000 * asking / number:.2f} ms a question, {grown:.0f} MB more")


if __name__ == "__main__":
    main()
