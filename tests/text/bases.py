"""Base instances made for these tests: both layouts, both registers of questions, all types of answers."""

import json
from pathlib import Path

from demur.levers.instances import BaseInstance, Passage

CORPORA = Path(__file__).parents[2] / "deployments" / "corpora"


def single(question: str, answers: tuple[str, ...], text: str, language: str = "en") -> BaseInstance:
    """Return a base instance with one passage."""
    passages = (Passage(index=0, text=text, relevant=True),)
    return BaseInstance(question=question, answers=answers, passages=passages, language=language)


def several(question: str, answers: tuple[str, ...], *passages: tuple[str, bool]) -> BaseInstance:
    """Return a base instance with several passages, given as (text, relevant)."""
    return BaseInstance(
        question=question,
        answers=answers,
        passages=tuple(Passage(index=i, text=t, relevant=r) for i, (t, r) in enumerate(passages)),
    )


LIGHTHOUSE = single(
    "When was the Corran lighthouse built?",
    ("14 June 1871", "1871"),
    "The Corran lighthouse is a white tower on the island of Corran. It was built on 14 June 1871 by the engineer "
    "Ellen Marsh (1830-1899). The tower is 32 metres tall and cost £4,500. In 1923, an electric lamp was installed. "
    "Visitors can climb the narrow stairs in summer.",
)
ACTRESS = single(
    "who plays the innkeeper in the long winter",
    ("Rosa Ann Delmar", "Rosa Delmar"),
    "The Long Winter is a drama directed by Hugh Penrose. Rosa Ann Delmar plays the innkeeper, a tall woman with a "
    "secret. Delmar won an award for the part. The film was shot in Oslo, Norway, and premiered in March 2009. "
    "Critics praised the music.",
)
COUNT = single(
    "how many bells hang in the tower of saint orla",
    ("seven", "7 bells"),
    "The tower of Saint Orla holds seven bells. The largest bell weighs 2.4 tonnes and was cast in 1742. "
    "The church itself is older. Each Sunday the bells are rung by volunteers.",
)
TOWN = several(
    "In which town did the founder of Brightwater Press die?",
    ("Halden",),
    ("Brightwater Press was founded by Mara Lindqvist in 1921. It printed maps.", True),
    ("The town of Selby has a mill. Brightwater Press once had an office there.", False),
    ("Mara Lindqvist was a Swedish printer. She died in Halden on 3 May 1960.", True),
    ("Halden is a border town with a fortress. Its harbour is small.", False),
    ("Oak Press printed hymn books until 1950. It was sold to a rival.", False),
)
POLAR = several(
    "Are Lake Arn and Lake Bel both in Austria?",
    ("yes",),
    ("Lake Arn is a lake in Austria. It is 3 km long.", True),
    ("Lake Bel is a lake in Austria. It is known for trout.", True),
    ("Lake Cor is a lake in Italy.", False),
)
PRIZE = single(
    "Who won the Garton Plate in 1931?",
    ("Anna Sorel",),
    "The Garton Plate is a rowing race on the river Tam. Anna Sorel won it in 1931 by two lengths. It was stopped "
    "in 1940. Emma Perrin and Laura Tate rowed in the same year, and Emma Perrin later wrote a book about it.",
)
FILM = single(
    "who directed the film paper tides",
    ("Maria Garza",),
    "Paper Tides is a film about a mill town, first shown in 1971. It was directed by Maria Garza. "
    "Maria Garza (born 4 May 1950) is a director from Lima.",
)
SONG = single(
    "who wrote the song harbour lights",
    ("Ned Corbin",),
    "Harbour Lights is a song written by Ned Corbin. It was first sung in 1952 by the Dale Sisters. The record, which "
    "was made in Leeds, England, sold 30,000 copies.",
)
DAM = single(
    "Why did the Norby dam fail?",
    ("badger tunnels",),
    "The Norby dam was built of earth. It failed because of badger tunnels. The water reached the church of Norby.",
)
ALL = (LIGHTHOUSE, ACTRESS, COUNT, TOWN, POLAR)
MADE = (*ALL, PRIZE, FILM, SONG, DAM)


def bases_of(path: Path) -> list[BaseInstance]:
    """Return the base instances of a file in our format, as models see them."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        BaseInstance(
            question=row["question"],
            answers=tuple(row["answers"]),
            passages=tuple(
                Passage(index=i, text=p["text"], relevant=p["relevant"])
                for i, p in enumerate(row.get("passages") or [{"text": row["context"], "relevant": True}])
            ),
        )
        for row in rows
    ]
