"""Programs for texts in languages other than English: the English programs with the language as an additional input."""

from functools import lru_cache
from typing import TypeVar, cast

import dspy

from demur.levers.vocabulary import ENGLISH
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.signatures.other_languages import FIELD, WRITING, with_language
from demur.text.language_detection import language_name

Program = TypeVar("Program", bound=dspy.Module)


def in_language(program: Program, language: str) -> Program:
    """Return the program for texts in a language. The program also takes the language's `language_input`.

    For English, the result is `program` itself. All other languages share one program. Tasks without a language field,
    such as questions to systems, are unchanged.
    """
    return program if language == ENGLISH else cast("Program", _with_language(program))


@lru_cache(maxsize=256)
def fingerprint_in(program: dspy.Module, language: str) -> str:
    """Return the fingerprint of a program in a language.

    The fingerprint is cached, so the program must not change afterwards.
    """
    return fingerprint(in_language(program, language))


@lru_cache(maxsize=64)
def _with_language(program: dspy.Module) -> dspy.Module:
    other = program.deepcopy()
    for _, predictor in other.named_predictors():
        task = contract(predictor.signature).task
        if task in WRITING:
            predictor.signature = with_language(predictor.signature, task)
            predictor.demos = [{**demo, FIELD: language_name(ENGLISH)} for demo in predictor.demos]
    return other
