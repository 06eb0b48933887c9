"""Every task that a model can be asked, by the name that its prompt begins with."""

import dspy

from demur.programs.signatures.adjudication import AdjudicateMiss
from demur.programs.signatures.comparison import WriteCompletion
from demur.programs.signatures.generation import GeneratePerturbation, RepairPerturbation
from demur.programs.signatures.grading import AskProposition, GradePropositions
from demur.programs.signatures.judgement import JudgeGroundedAnswer, JudgeShortAnswer
from demur.programs.signatures.memory import AnswerFromMemory
from demur.programs.signatures.rating import RateHelpfulness
from demur.programs.signatures.response import (
    AnswerFromPassage,
    AnswerFromPassages,
    AnswerFromPassagesSurely,
    AnswerFromPassageSurely,
)
from demur.programs.signatures.verification import VerifyPerturbation

SIGNATURES: dict[str, type[dspy.Signature]] = {
    signature.__name__: signature
    for signature in (
        GeneratePerturbation,
        RepairPerturbation,
        VerifyPerturbation,
        AdjudicateMiss,
        AnswerFromMemory,
        AnswerFromPassage,
        AnswerFromPassages,
        AnswerFromPassageSurely,
        AnswerFromPassagesSurely,
        JudgeShortAnswer,
        JudgeGroundedAnswer,
        WriteCompletion,
        GradePropositions,
        AskProposition,
        RateHelpfulness,
    )
}
