"""Programs for texts that are not English: those for English ones, told the language."""

from functools import lru_cache
from typing import TypeVar, cast

import dspy

from demur.levers.vocabulary import ENGLISH
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.signatures.languages import FIELD, WRITING, with_language
from demur.text.language import language_name

Program = TypeVar("Program", bound=dspy.Module)


def in_language(program: Program, language: str) -> Program:
    """Return the program that asks about texts in a language; it takes the `language_input` of that language too.

    For English that is the program itself; for all other languages it is one and the same. Questions that are never
    told a language, such as those to systems with instructions of their own, stay as they are.
    """
    return program if language == ENGLISH else cast("Program", _with_language(program))


@lru_cache(maxsize=256)
def fingerprint_in(program: dspy.Module, language: str) -> str:
    """Return the hash of what decides the prompts of a program, which is not changed, in a language."""
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
