"""What the rules lane answers in each role."""

def answer(model: str, task: str, inputs: dict[str, object], seed: int) -> dict[str, object]:
    raise NotImplementedError
