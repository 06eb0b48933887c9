"""What models are asked about questions of a corpus: to ask, to prove, to derive, to review."""

from typing import Final, Literal

import dspy

from demur.levers.instances import AskedQuestion, Frozen, UsedStatement
from demur.programs.signatures.judgement import Remark
from demur.programs.signatures.response import NumberedPassage

# What an asker and a prover are asked: questions that documents answer, and whether a question can stand as it is.


class FaultyQuestion(Frozen):
    """A question that was asked before, and what was found wrong with it."""

    asked: AskedQuestion
    faults: tuple[str, ...]


_GOOD: Final = """\
The question
- Whoever asks has no passage before them and does not know of one. So name whom or what you ask about, such that a
  stranger knows which one is meant: the full name of the person, place, firm, product, rule, match or work, as title,
  headings and text give it; and the year, edition, season or version where the answer belongs to
  one of several or changes with time. "The company", "the study", "the match", "he" or "there" without a name in the
  question is a fault. So is a question about a passage, text, document, section, table or author, unless that is what
  people ask about.
- It is what people type or say: one short sentence of common words that asks one thing, as a rule in 6 to 18 words. It
  is no sentence of the text turned round: say it as somebody who has not read it would. No riddle that describes what
  it could name ("Which bridge, opened by a queen and later painted red, ..."), no chain of clauses, no lead-in, no
  quiz, no "according to". A clause that is there only to narrow it down is a sign that it is the wrong question.
- It asks for what readers take from the passage: who did something, when, how many or how long, which one, where, why,
  on what condition. It asks for nothing that nobody looks up, such as the third name of a list, how something is
  worded, or the number of items, and for nothing that everybody knows without reading.
- It has exactly one right answer, and no other text on the subject could give another one. Where several are right, or
  where it depends, ask for something else.
- It neither contains nor suggests its answer. A choice ("A or B") names both sides in the same way. Yes or no is asked
  only where somebody would ask just that; mostly the fact behind it makes the better question.
- No two of your questions are about the same fact, and none is about what stands in `asked` in other words.

The answers
- First the answer as the text writes it, as short as it can be and still be right: a name, a date, a figure with its
  unit, a few words, never a sentence. It stands in the text word for word; yes and no alone need not.
- Then other spellings of the same answer that everybody would accept: with or without a title or a first name that
  nobody could confuse, a figure or its word, a usual abbreviation. Nothing vaguer, nothing narrower, nothing else.
  Often there are none.

The proof is the sentences of the text from which the answer follows, copied letter for letter, as few as will do: the
one that gives the answer, and, where that one says "it" or "the bridge", the one that says which. Cut nothing out of a
sentence. A heading is no sentence.

Question and answers are in the language of the text, as those who speak it ask.

Before you reply, cover the text and read each question as a stranger: do you know what is asked, of whom, and could
you guess the answer? Would anybody ask this, in these words? Then answer it from the text alone, as a careful reader:
do you come to the accepted answer, and to no other? Drop or mend what fails."""
"""What makes a question good, whatever it is asked of."""


class AskQuestions(dspy.Signature):  # type: ignore[misc]
    """Ask questions that people have and that a passage answers, for a test of models that answer from passages.

    The passage stands in somebody's documents: a handbook, a ticket, a filing, an article. First think of people who
    look something up in such documents and have never seen this passage: what do they need to know, and what would
    they type? Of these questions ask those that the passage settles with one short and definite answer. One question
    that somebody has is worth more than several made to fill a list: give at most `most` of them, fewer where there
    are fewer. Where there is none, as in a list of contents, links, greetings, boilerplate, opinions without facts or
    half of a thing whose other half stands elsewhere, ask nothing and say why in `declined`.

    {good}
    """

    language: str | None = dspy.InputField(desc="the language of the text; null where it is not known")
    document: str | None = dspy.InputField(desc="title of the document")
    date: str | None = dspy.InputField(desc="date of the document; null where it has none")
    passages: tuple[NumberedPassage, ...] = dspy.InputField(
        desc="the text; its first line may be title and headings that it stands under"
    )
    asked: tuple[str, ...] = dspy.InputField(desc="questions that were asked of this text before")
    most: int = dspy.InputField(desc="how many questions you may ask at most")

    reasoning: Remark = dspy.OutputField(
        desc="one or two sentences: who looks things up in such documents, and what of this they want to know"
    )
    questions: tuple[AskedQuestion, ...] = dspy.OutputField(
        desc="the questions, best first, each with its answers, the sentences that prove them and its kind; empty if "
        "there is none"
    )
    declined: str | None = dspy.OutputField(desc="why there is nothing to ask; null where you ask something")


class AskQuestionsOfTwo(AskQuestions):
    """Ask questions that people have and that two passages answer together, for a test of models that answer from both.

    The passages stand in somebody's documents: a handbook, a ticket, a filing, an article. First think of people who
    look something up in such documents and have never seen these passages: what do they need to know, and what would
    they type? Ask only what both passages are needed for, so that whoever has one of them alone cannot answer:
    - over a link: the question names what one passage is about and asks for something that only the other one tells
      of whom or what the first one leads to. It does not name the link. So where one text says who built a theatre and
      the other where that architect was born: "Where was the architect of the Orla Theatre born?"
    - by a comparison of two things that the question names, each of which has its value in one passage: which was
      first, larger, dearer or longer, so that the answer is one of the two.
    The link must hold beyond doubt: the same person, place, thing or event, not only the same name. People ask such
    things in one go; a question that needs a diagram is none. Give at most `most` questions, fewer where there are
    fewer. Where the two passages have nothing to do with each other, or where one of them is enough for whatever could
    be asked, ask nothing and say why in `declined`.

    {good}

    The proof has at least one sentence of each passage.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(
        desc="the two passages; the first line of each may be title and headings that it stands under"
    )


_REPAIR: Final = """\
In `earlier` stand questions that you asked of this text before, and the faults that were found in them. For each of
them give one that has no fault, mended or in its place; leave out one that cannot be mended and that nothing takes the
place of. Reply with whole questions, with their answers, proof and kind."""


class RepairQuestions(AskQuestions):
    """Mend questions that were asked of a passage."""

    earlier: tuple[FaultyQuestion, ...] = dspy.InputField(desc="your earlier questions, with the faults found in them")


class RepairQuestionsOfTwo(AskQuestionsOfTwo):
    """Mend questions that were asked of two passages."""

    earlier: tuple[FaultyQuestion, ...] = dspy.InputField(desc="your earlier questions, with the faults found in them")


for _asking, _repairing in ((AskQuestions, RepairQuestions), (AskQuestionsOfTwo, RepairQuestionsOfTwo)):
    _asking.instructions = _asking.instructions.replace("{good}", _GOOD)
    _repairing.instructions = f"{_asking.instructions}\n\n{_REPAIR}"


LIKE: Final = "like"
"""The input field with questions of people."""


def in_manner_of_people(signature: type[dspy.Signature]) -> type[dspy.Signature]:
    """Return a task of an asker that gets questions of people as examples of manner."""
    said = (
        "questions that people have asked here, about other things: ask as they do, in length, words and register, "
        "and of nothing that they ask"
    )
    extended: type[dspy.Signature] = signature.append(LIKE, dspy.InputField(desc=said), tuple[str, ...])
    return extended


Naturalness = Literal[1, 2, 3, 4, 5]
LEAST_NATURAL: Final = 4
"""A question counts as one that somebody would ask from this rating on."""


class ProveQuestion(dspy.Signature):  # type: ignore[misc]
    """Say whether a question can be asked as it stands, and answer it from passages alone.

    First read the question by itself, as somebody who has seen none of the passages: what is asked, and of whom or
    what? Then read the passages with care and answer from what they say, without anything that you know besides. They
    may be about something else, leave the answer open, or give several; then say so.

    How natural a question is, is a matter of who could ask it: 5 somebody who needs to know it would type or say just
    this; 4 somebody would ask it, in slightly other words; 3 it is asked for the sake of asking, as in a quiz or an
    exam; 2 it follows the words of a text, or asks for what nobody looks up; 1 it is broken or a riddle.
    """

    question: str = dspy.InputField(desc="the question")
    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")

    understanding: Remark = dspy.OutputField(
        desc="one sentence, by the question alone: what is asked, of whom or what, and what a stranger has to guess"
    )
    stands_alone: bool = dspy.OutputField(
        desc="a stranger knows which person, thing, place, time or edition is meant; a name that you do not know is no "
        'fault. false where the question leans on a text ("the study", "he", "as described"), or where its words fit '
        'many ("the company", "the final") and the answer belongs to one'
    )
    natural: Naturalness = dspy.OutputField(desc="1 to 5: would somebody ask this, in these words")
    reading: str = dspy.OutputField(desc="one or two sentences: what the passages say of it, and where")
    answer: str | None = dspy.OutputField(
        desc="the answer by the passages alone, as short as it can be, in the language of the question; null where "
        "they do not give it"
    )
    other_answers: tuple[str, ...] = dspy.OutputField(
        desc="further answers to the question, as it is worded, that the passages carry as well; not the same answer "
        "in other words or in more detail; mostly empty"
    )


# Tasks for questions whose answer no passage states: a screener derives the answer, a judge checks the derivation.


class DeriveAnswer(dspy.Signature):  # type: ignore[misc]
    """Derive the answer to a question from passages alone, in steps that somebody else can check.

    The passages may not state the answer. It may have to be computed, or concluded from several statements; and they
    may lack what it needs. Take nothing from your own knowledge but arithmetic, the language, and the meaning of terms
    that everybody uses in one way. Whether somebody would expect an answer is no matter: most of these questions have
    one, some have none by these passages, and to see which is the task.

    First say what is asked: of whom or what, for which time or state, in which unit, and what shape the answer has.
    Then say how each term that is computed or judged is defined: a ratio, a rate, a total, an average, a comparison, or
    a word such as "capital-intensive", "significant" or "healthy". Say who defines it: the question, the passages, or
    common use. If common use has several definitions, compute with each; where they give different answers, they belong
    into `other_answers`. A verdict without a measure that question or passages name has another verdict beside it.
    Then copy what you use. Then compute or conclude, step by step, with units and signs. A decrease, an outflow, a loss
    and a figure in brackets have a direction: say what the sign means and keep it.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the question")

    asked: str = dspy.OutputField(desc="one sentence: what is asked, for which time, in which unit")
    definitions: tuple[str, ...] = dspy.OutputField(
        desc='for each term that is computed or judged one sentence: "<term> is <definition>, by the question", "by '
        'passage N" or "by common use"'
    )
    used: tuple[UsedStatement, ...] = dspy.OutputField(
        desc="every place that you use. `taken`: the figure or the words that you take from it, as they are written "
        "there; `quote`: the row or sentence around it, copied letter for letter from one passage, with its label and "
        "with nothing cut out of it"
    )
    steps: str = dspy.OutputField(desc="the computation or conclusion, from what is in `used` alone")
    lacking: tuple[str, ...] = dspy.OutputField(
        desc="each figure or fact that the answer needs and the passages do not give, also if you know it; a year, a "
        "line or a part that is not there; empty if nothing lacks"
    )
    other_answers: tuple[str, ...] = dspy.OutputField(
        desc="different answers that another usual definition, or another place of the passages, gives as well; not "
        "the same answer in another rounding, unit or wording; empty if there is only one"
    )
    answer: str | None = dspy.OutputField(
        desc="the answer, complete and short, with unit and sign; null if something lacks"
    )


class JudgeDerivation(dspy.Signature):  # type: ignore[misc]
    """Check a derived answer against the accepted answers, and the accepted answers against the passages.

    A question is used in a test of reading only if its accepted answer is right by these passages and by nothing else.
    Accepted answers come from other people. They may be wrong, use a definition of their own, or rest on a part of a
    document that is not among the passages. That the derived answer comes out near an accepted one does not show that
    it is right: work it out yourself, from the passages, before you compare. Decide in this order.

    First go through the accepted answer that fits best, claim by claim: each figure, each direction (up or down, gain
    or loss, sign), each name, period and reason that it states, and its verdict. A claim counts as carried if a passage
    states it, or if it follows from stated figures by a computation that you do, in the rounding that it shows. List
    every claim that is not carried, with what the passages say instead or what lacks.
    Then decide about the definition: would a careful reader who has question and passages alone, and not the accepted
    answer, take this one? It is settled if question or passages give it, or if common use has only one, or if all usual
    ones lead to the same answer.
    Then compare the derived answer with it: same value within the rounding that the accepted one shows, same sign and
    direction, unit and scale, same verdict, same things named, none of them left out.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the question")
    accepted_answers: tuple[str, ...] = dspy.InputField(desc="answers that other people accept")
    answer: str = dspy.InputField(desc="the derived answer")
    definitions: tuple[str, ...] = dspy.InputField(desc="the definitions that it uses")
    used: tuple[UsedStatement, ...] = dspy.InputField(desc="the places that it rests on; they stand in the passages")
    steps: str = dspy.InputField(desc="its steps")

    working: str = dspy.OutputField(
        desc="your own derivation of the accepted answer: each claim of it with the figures and passage that carry it"
    )
    not_carried: tuple[str, ...] = dspy.OutputField(
        desc="claims of the accepted answer that the passages do not carry, each with what they say instead or what "
        "lacks; empty if all are carried"
    )
    settled: bool = dspy.OutputField(desc="a careful reader without the accepted answer would use this definition")
    same: bool = dspy.OutputField(desc="the derived answer says the same as an accepted answer")
    explanation: Remark = dspy.OutputField(desc="one sentence: why it counts, or what is against it", default="")


TASKS: Final = (
    AskQuestions,
    AskQuestionsOfTwo,
    RepairQuestions,
    RepairQuestionsOfTwo,
    ProveQuestion,
    DeriveAnswer,
    JudgeDerivation,
)
