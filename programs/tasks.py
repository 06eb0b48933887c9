"""Every task that a model can be asked, by the name that its prompt begins with."""

import dspy

from programs.comparison_writer import WriteCompletion
from programs.generator import GeneratePerturbation
from programs.grader import AskProposition, GradePropositions
from programs.judge import JudgeGroundedAnswer, JudgeShortAnswer
from programs.respondent import (
    AnswerFromPassage,
    AnswerFromPassages,
    AnswerFromPassagesSurely,
    AnswerFromPassageSurely,
)
from programs.verifier import VerifyPerturbation

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
