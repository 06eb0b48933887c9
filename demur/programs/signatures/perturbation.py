"""What models are asked about perturbations: to pull exactly one lever, and to check what was pulled."""

from typing import Final, Literal

import dspy
from pydantic import Field

from demur.levers.instances import ChangedPassage, Frozen, Passage
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import Code, Intensity, Layout, LeverClass, Target
from demur.programs.signatures.judgement import Remark
from demur.programs.signatures.taxonomy_text import CODES, ORDER, TARGETS

# What a generator is asked: to pull exactly one lever on an answerable instance.


class WorkedExample(Frozen):
    """A lever pulled on an invented instance, in the fields in which a generator gives and takes one."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[Passage, ...]
    perturbed_question: str
    changed_passages: tuple[ChangedPassage, ...]


class LeverOption(Frozen):
    """A lever that a generator may choose: name, target, instruction, and a worked example."""

    name: str
    target: Target
    instruction: str
    example: WorkedExample

    @classmethod
    def of(cls, lever: Lever, layout: Layout) -> "LeverOption":
        """Return a lever as it is offered, with its first worked example of this layout, else its first."""
        several = layout is Layout.MULTI
        shown = min(lever.examples, key=lambda example: (len(example.passages) > 1) is not several)
        example = WorkedExample(
            question=shown.question,
            answers=shown.answers,
            passages=tuple(Passage(index=i, text=p.text, relevant=p.relevant) for i, p in enumerate(shown.passages)),
            perturbed_question=shown.change.question or shown.question,
            changed_passages=tuple(ChangedPassage(index=i, text=t) for i, t in sorted(shown.change.passages.items())),
        )
        return cls(name=lever.name, target=lever.target, instruction=lever.instruction, example=example)


class GeneratePerturbation(dspy.Signature):  # type: ignore[misc]
    """Turn an answerable question with its passages into a test case for retrieval-augmented models.

    Pull exactly one of the offered levers the way its instruction says; its example shows it on another instance, and
    neither its sentences nor the pattern of its question are taken over, unless the instruction leaves no other. Where
    several are on offer, choose the one for which this question and these texts give the plainest occasion: you can
    name who would ask or write this, and a reader in haste notices nothing. Where one is on offer, it is pulled or
    declined. A lever plants one defect of the named class; the intensity says how much of the question the defect
    takes away. Where there are several passages, follow the strategy. Signal passages (relevant: true) are those that
    the data set marks as bearing on the answer; one that in truth says nothing of what is asked stays as it is, like a
    noise passage. What a lever's instruction says goes before `may_change`, and both go before your own idea of a good
    change; which passages change is for the strategy alone. Where an instruction names a place, such as the sentence
    that answers, in a passage that the strategy leaves alone, the nearest matter in the passage that changes is meant.
    Where it speaks of two sources or versions and there is one passage, that passage tells of both or draws on both,
    as articles do.

    The lever's target is the only part that may change; every other word stays as it is:
    {targets}

    Before you reply, compare your result with the intensity criterion and with the answer constraint, which says what
    must have become of the accepted answers. Whether something follows or can be inferred is decided by the passages
    alone, not by what you know: a word that makes a guess likelier is no answer. Of a question that chooses between
    things that it names, what decides between them is the answer. Never mention the test, the lever, the class, or a
    refusal code inside question or passages, nor remark in them on what you did.

    Write what people write, so that a reader takes the result for a question that was typed and a text that was
    published. Before you change a question, think of somebody who would ask it in these words, and what for; before
    you change a passage, think of who wrote it, and how this sentence got there.
    - The question keeps the register of the original and its typography: small letters, a missing question mark and
      abbreviations stay. Somebody who wants to know something could have typed it. It keeps its length as nearly as
      the lever allows: what the lever needs takes the place of other words or stands before a noun, and is not hung on
      at the end. It says what an asker would say to name the thing, and no two things are tied that only a text has
      side by side. A question that has to name a case, a group or a scale drops what it no longer needs. A lead-in of
      the original that the change leaves without a point goes or is worked in; other flaws of the original, such as
      odd grammar, are neither mended nor made worse, and those of a passage stay. A lever that has to name a subject
      or a level may mend what stands in its way.
    - A passage stays one that its editor would let stand. Take what is there before you invent: take words out,
      exchange a value or a name, move a fact of the passage, use the people and works that it names. What is added is
      in its style, as specific as the sentences around it, speaks of its subject and stands where its matter comes
      up: in the sentence on that matter, else in a short one of its own beside that, as a rule not as the last of the
      passage. Never weld it by which, whose, after, while or a bracket to a sentence on something else: if no editor
      would put both halves into one sentence, neither do you. Some fifteen words are enough for most levers. It
      changes the subject for nobody, and is no copy of a sentence that is there with a word exchanged. Where words
      have to go, recast the whole sentence, so that it runs as it did.
    - A passage among several is an entry that a search returned: of its own kind, on its own subject, in the style of
      the others. What is planted there is part of that entry and has to do with its subject, such as a career, a list,
      a work or a place in whose story the matter comes up. It has a point and facts of its own, and shares no phrase
      with the passage that it stands against or goes along with. It stays the entry that it was where its subject can
      lead to the matter at all.
    - A defect is hard to notice where it looks like an ordinary fact: in a figure that is used, in the way in which
      somebody is described, and in words that the question does not have.
    - Of the ways in which the lever can be pulled here take the plainest, on facts that a reader would ask about.
      What is invented is such as there is in that place, time and field, plain and current there, with nothing quaint
      about it and no more of it than is needed: no booklets, plaques, tea rooms and aunts to carry a fact. Where it
      stands beside something real, it is as well known. Speakers, clerks and reporters may be invented where the
      lever needs one. Of a real person nothing is invented that would do them harm if it were believed, and nobody
      living is made dead; a person counts as living unless the passages, or the time that they tell of, show
      otherwise. This goes before the lever, and a lever that cannot be pulled without it is declined.
    - What stays can give the answer away: look through question and passages for a word (current, first, only,
      former, a year, a title) that still decides what has just been made open, and reword it. Where it may not be
      changed, the lever cannot be pulled.
    - No text speaks of itself, of what it leaves out or of statements that clash, unless texts of its kind do: a page
      may name its editions, a museum's board its film. The defect is there, and no sentence points at it.
    - HIGH is severe in what it does, plain in hindsight, and natural in wording. It comes from haste, from a slip, or
      from what people do mix up (two bearers of a name, owner and maker, before and after, a branch and the firm),
      not from nonsense: no riddle, no logic puzzle, no joke, no heap of clauses for its own sake. Keep every sentence
      grammatical in each of its readings.
    - LOW tests too: where the lever allows it, it stands at what is asked, or in or beside the sentence that answers,
      so that whoever reads in haste may refuse or answer wrongly, and whoever reads with care answers.
    What else the lever itself demands goes before these points. Read the result once more in haste, as somebody who
    wants an answer: MEDIUM and HIGH are good where one would have been given. Then read it with care: it must be plain
    why none can be. LOW is good where the reader in haste goes wrong or gives up, and the careful one finds the answer
    by putting two places together.

    If none of the offered levers can be pulled on this instance without breaking a rule, say why in `declined`; an
    honest refusal is better than a broken test case. Where an instruction says "do not pull it", its lever counts as
    not on offer here. Decline as well where the accepted answers do not answer the original question by these passages,
    since nothing can be tested there; an odd form, a spelling, an alias that does not fit, or several accepted values
    of which one is right is no ground.
    """

    lever_class: LeverClass = dspy.InputField(desc="class of defect to plant")
    class_definition: str = dspy.InputField(desc="what the class means, and where other classes begin")
    intensity: Intensity = dspy.InputField(desc="LOW stays answerable; MEDIUM and HIGH must be refused")
    intensity_criterion: str = dspy.InputField(desc="what this intensity demands for this class")
    answer_constraint: str = dspy.InputField(desc="how the accepted answers must stand afterwards")
    may_change: str = dspy.InputField(desc="how far the change may go: what may be added, invented or taken out")
    strategy: str | None = dspy.InputField(
        desc="which passages are to change, if you change passages at all; null for a single passage or where every "
        "lever changes the question alone"
    )
    expected_behaviour: Code = dspy.InputField(desc="what a good respondent does with the finished test case")
    levers: tuple[LeverOption, ...] = dspy.InputField(desc="the levers on offer")
    question: str = dspy.InputField(desc="the original question")
    answers: tuple[str, ...] = dspy.InputField(desc="its accepted answers")
    passages: tuple[Passage, ...] = dspy.InputField(desc="its passages, by index from 0")

    reasoning: Remark = dspy.OutputField(
        desc="one to three sentences: which lever fits this instance, where and how it will be pulled, and how "
        "somebody comes to ask or write that; if declined, what this instance lacks"
    )
    declined: str | None = dspy.OutputField(desc="why no lever on offer can be pulled; null where one is")
    lever: str | None = dspy.OutputField(desc="exact name of the lever that you pull; null if declined")
    perturbed_question: str = dspy.OutputField(
        desc="the question afterwards, whole, even where it is unchanged; the original one if declined"
    )
    changed_passages: tuple[ChangedPassage, ...] = dspy.OutputField(
        desc="every passage that you changed, whole, by index; none that you did not change; empty if declined"
    )
    answer_constraint_met: Remark = dspy.OutputField(
        desc="one or two sentences: why the answer constraint holds now; empty if declined"
    )


GeneratePerturbation.instructions = GeneratePerturbation.instructions.replace("{targets}", TARGETS)


class FailedAttempt(Frozen):
    """A perturbation that was made before, and what was found wrong with it."""

    lever: str
    perturbed_question: str
    changed_passages: tuple[ChangedPassage, ...]
    faults: tuple[str, ...]


class RepairPerturbation(GeneratePerturbation):
    """In `earlier` stands what you made of this instance before, and the faults that were found in it.

    Remove these faults and keep what is sound. Reply with the whole of the perturbation, not with the difference;
    a passage that is to stay as it was originally is left out. If the faults cannot be removed without breaking a
    rule, say why in `declined`.
    """

    earlier: FailedAttempt = dspy.InputField(desc="your earlier attempt, with the faults that were found in it")


RepairPerturbation.instructions = f"{GeneratePerturbation.instructions}\n\n{RepairPerturbation.instructions}"


# What a verifier is asked: whether a perturbation is what its stratum and lever promise.


class ShownPassage(Frozen):
    """A passage of the perturbed instance; `before` is its text before the change, null where it did not change."""

    index: int = Field(ge=0)
    relevant: bool
    text: str
    before: str | None


class PerturbedInstance(dspy.Signature):  # type: ignore[misc]
    """A perturbed instance beside its original, with what was demanded: what verifiers are shown."""

    lever_class: LeverClass = dspy.InputField(desc="class of defect that was to be planted")
    class_definition: str = dspy.InputField(desc="what the class means, and where other classes begin")
    intensity: Intensity = dspy.InputField(desc="intensity that was to be reached; LOW stays answerable")
    intensity_criterion: str = dspy.InputField(desc="what this intensity demands for this class")
    answer_constraint: str = dspy.InputField(desc="how the accepted answers must stand")
    may_change: str = dspy.InputField(desc="how far the change may go: what may be added, invented or taken out")
    strategy: str | None = dspy.InputField(
        desc="which passages were to change; null for a single passage or where the question alone is changed"
    )
    expected_behaviour: Code = dspy.InputField(desc="what a good respondent was to do in the end")
    lever: str = dspy.InputField(desc="name of the lever that was pulled")
    target: Target = dspy.InputField(desc="what this lever lets change")
    lever_instruction: str = dspy.InputField(desc="what this lever demands; it goes before may_change")
    original_question: str = dspy.InputField(desc="the question before")
    answers: tuple[str, ...] = dspy.InputField(desc="accepted answers of the original")
    perturbed_question: str = dspy.InputField(desc="the question after")
    passages: tuple[ShownPassage, ...] = dspy.InputField(
        desc="all passages after; `before` is the text of a changed one before, null where it did not change"
    )


class VerifyPerturbation(PerturbedInstance):
    """Decide whether a perturbed instance is a valid test case for retrieval-augmented models.

    Somebody changed an answerable question or its passages by pulling one lever. First forget what was to come of it.
    Read the perturbed question and the passages as they are now, as a careful respondent would who may use the
    passages only, and say what such a respondent would do: answer, or refuse with one of these codes.
    {codes}
    {order} What follows or can be inferred is decided by the passages alone.

    Then compare with the original and with what was demanded, and judge each check on its own: true only where it
    clearly holds, null where it does not apply. The lever's target is the only part that may change:
    {targets}

    `overall` is PASS only if every check that applies is true; name in `issues` each fault for which a check is false,
    and no lesser blemish. What was odd or unsupported in the original is no fault. If this instance cannot carry the
    lever, lever_fidelity is false. Judge the texts, not how clever the change is.
    """

    refusal_analysis: Remark = dspy.OutputField(
        desc="one or two sentences, as if nothing were expected: would one answer or refuse now, and for which reason"
    )
    predicted_behaviour: Code = dspy.OutputField(desc="what a careful respondent would do, by that analysis")
    constraint_analysis: Remark = dspy.OutputField(desc="one or two sentences: where the accepted answers stand now")
    observed_intensity: Intensity | None = dspy.OutputField(
        desc="the intensity of the defect as it stands there now, whether or not it is the one that was wanted: LOW "
        "where an accepted answer can still be given, MEDIUM where none can and one more fact or word could mend that, "
        "HIGH where nothing of the kind could; null where you see no defect of the named class"
    )
    lever_fidelity: bool = dspy.OutputField(desc="the change is there and does what the lever's instruction says")
    intensity_achieved: bool = dspy.OutputField(desc="the intensity is the one that was to be reached")
    target_compliance: bool = dspy.OutputField(desc="nothing but the lever's target was changed")
    strategy_compliance: bool | None = dspy.OutputField(desc="the strategy was followed; null where it is null")
    uncertainty_induced: bool | None = dspy.OutputField(
        desc="what is asked can no longer be answered, by a defect of the named class; null at LOW"
    )
    implementation_quality: bool = dspy.OutputField(
        desc="somebody could have asked or published this: what the lever itself demands (a garden path, a torn text, "
        "a heap of keywords) is no fault, nor is clumsy wording that an editor would let pass; nonsense, broken "
        "grammar, words that do not belong where they stand, two opposite sentences side by side, a near copy of a "
        "sentence and text that announces itself as a plant are"
    )
    answer_constraint_met: bool = dspy.OutputField(desc="the answer constraint holds")
    behaviour_prediction: bool = dspy.OutputField(desc="predicted_behaviour is the expected behaviour")
    refusal_class_alignment: bool | None = dspy.OutputField(
        desc="the reason for refusing that stands there now is the expected one, by the codes and their order; false "
        "where it is another one or there is none; null at LOW"
    )
    issues: tuple[str, ...] = dspy.OutputField(desc="each fault that makes a check false; empty at PASS")
    overall: Literal["PASS", "FAIL"] = dspy.OutputField(desc="PASS only if every check that applies is true")


VerifyPerturbation.instructions = (
    VerifyPerturbation.instructions.replace("{codes}", CODES).replace("{order}", ORDER).replace("{targets}", TARGETS)
)

CHECKS: Final = tuple(
    name for name, field in VerifyPerturbation.output_fields.items() if field.annotation in (bool, bool | None)
)
"""The boolean checks of a verdict."""
OF_REFUSALS: Final = ("uncertainty_induced", "refusal_class_alignment")
"""The checks that say something only of what is to be refused; null at LOW."""


def checks_that_apply(intensity: Intensity, *, strategy: bool) -> tuple[str, ...]:
    """Return the checks that decide at an intensity, with and without a strategy."""
    left_out = (*(OF_REFUSALS if intensity is Intensity.LOW else ()), *(() if strategy else ("strategy_compliance",)))
    return tuple(check for check in CHECKS if check not in left_out)


TASKS: Final = (
    GeneratePerturbation,
    RepairPerturbation,
    VerifyPerturbation,
)
