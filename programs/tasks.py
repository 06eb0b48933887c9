"""Every task that a model can be asked, by the name that its prompt begins with."""

import dspy

from demur.programs.comparison_writer import WriteCompletion
from demur.programs.generator import GeneratePerturbation
from demur.programs.grader import AskProposition, GradePropositions
from demur.programs.judge import JudgeGroundedAnswer, JudgeShortAnswer
from demur.programs.respondent import (
    AnswerFromPassage,
    AnswerFromPassages,
    AnswerFromPassagesSurely,
    AnswerFromPassageSurely,
)
from demur.programs.verifier import VerifyPerturbation

SIGNATURES: dict[str, type[dspy.Signature]] = {
    signature.__name__: signature
    for signature in (
        GeneratePerturbation,
        VerifyPerturbation,
        AnswerFromPassage,
        AnswerFromPassages,
        AnswerFromPassageSurely,
        AnswerFromPassagesSurely,
        JudgeShortAnswer,
        JudgeGroundedAnswer,
        WriteCompletion,
        GradePropositions,
        AskProposition,
    )
}
