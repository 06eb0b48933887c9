"""Filters, order and page number of the explorer's lists, read from the query of a URL."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from demur.errors import FlowError
from demur.levers.models import Strict
from demur.reports.pages.links import To

REFUSED: Final = ("correct_refusal", "wrong_category_refusal", "false_refusal")
OUTCOMES: Final = {
    "right": ("correct_answer", "correct_refusal"),
    "wrong": ("wrong_answer", "wrong_category_refusal", "false_refusal", "missed_refusal", "invalid"),
    "answered": ("correct_answer", "wrong_answer", "ungraded_answer", "missed_refusal"),
    "refused": REFUSED,
    **{
        kind: (kind,)
        for kind in (*REFUSED, "correct_answer", "wrong_answer", "ungraded_answer", "missed_refusal", "invalid")
    },
}
"""The outcomes of responses by the value of the parameters `outcome` and `outcome2`."""
REJECTED: Final = frozenset(("rejected by verifiers", "rejected by check", "duplicate", "declined"))
"""States of perturbations that did not become items."""
_ANSWERED: Final = ("respondent", "judge", "outcome", "given", "expected", "confidence", "judge2")

Model = TypeVar("Model", bound=BaseModel)
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Outcome = Literal[
    "right", "wrong", "answered", "refused", "correct_refusal", "wrong_category_refusal", "false_refusal",
    "correct_answer", "wrong_answer", "ungraded_answer", "missed_refusal", "invalid",
]  # fmt: skip
Status = Literal[
    "sampled", "accepted", "candidate", "rejected by verifiers", "duplicate", "rejected by check", "declined",
    "control", "imported",
]  # fmt: skip
Sort = Literal[
    "stratum", "difficulty", "easiest", "disagreement", "verifiers", "cost", "lever", "generator", "status"
]  # fmt: skip


class PageQuery(Strict):
    """The query of one page of a list. A filter that is None has no effect. The first page has number 1."""

    model_config = ConfigDict(populate_by_name=True)

    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1

    @classmethod
    def of(cls, query: Iterable[tuple[str, str]]) -> Self:
        """Return the query of an address; parameters with empty values are ignored.

        Raises:
            FlowError: an unknown parameter, or a value that is not allowed.
        """
        return checked(cls, {name: value for name, value in query if value.strip()})

    def carried(self) -> dict[str, Any]:
        """Return the parameters for links to this list, without the page number and without default values."""
        return self.model_dump(by_alias=True, exclude_defaults=True, exclude={"page"})

    def shown(self) -> dict[str, Any]:
        """Return all values by parameter."""
        return self.model_dump(by_alias=True)

    def links(self, to: To, page: str, round_id: str, total: int, size: int) -> dict[str, Any]:
        """Return the page numbers of a list, and the addresses of the previous and the next page.

        The list has `total` rows, with `size` rows on a page.
        """
        last = max(1, -(-total // size))

        def link(number: int) -> str | None:
            return to(page, round=round_id, **self.carried(), page=number) if 1 <= number <= last else None

        return {
            "total": total,
            "pages": last,
            "number": self.page,
            "before": link(self.page - 1),
            "after": link(self.page + 1),
        }


class ItemFilter(PageQuery):
    """The query of a list of items."""

    status: Status | None = None
    lever_class: Word | None = Field(default=None, alias="class")
    intensity: Literal["LOW", "MEDIUM", "HIGH"] | None = None
    lever: Word | None = None
    generator: Word | None = None
    layout: Word | None = None
    domain: Word | None = None
    language: Word | None = None
    base: Word | None = None
    check: Word | None = None
    verifier: Word | None = None
    text: Word | None = None
    right: Annotated[str, StringConstraints(pattern=r"^(none|all|no model|[1-9]\d{0,5})$")] | None = None
    respondent: Word | None = None
    judge: Word | None = None
    outcome: Outcome | None = None
    given: Word | None = None
    expected: Word | None = None
    confidence: Word | None = None
    respondent2: Word | None = None
    outcome2: Outcome | None = None
    judge2: Word | None = None
    given2: Word | None = None
    sort: Sort = "stratum"

    @property
    def is_of_rejected(self) -> bool:
        """True if the query asks for rejected perturbations. The page then shows the reasons."""
        return self.status in REJECTED or self.check is not None or self.verifier is not None

    def values(self) -> dict[str, object]:
        """Return the parameters of the SQL statement that reads the list."""
        found = self.model_dump(by_alias=True, exclude={"sort", "page"})
        for name in ("outcome", "outcome2"):
            if found[name] is not None:
                found[name] = ",".join(OUTCOMES[found[name]])
        answered = any(found[name] is not None for name in _ANSWERED)
        if found["respondent2"] is None:
            found["outcome2"] = None
        if found["judge2"] is None:
            found["given2"] = None
        paired = found["respondent2"] is not None and found["judge"] is not None
        return {
            **found,
            "answered": True if answered else None,
            "rejected": True if self.is_of_rejected else None,
            "paired": True if paired else None,
        }


def checked(model: type[Model], given: Mapping[str, object]) -> Model:
    """Validate the parameters of an address, or the fields of a form.

    Raises:
        FlowError: an unknown name, or a value that the model does not allow.
    """
    try:
        return model.model_validate(given)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            allowed = ", ".join(field.alias or name for name, field in model.model_fields.items())
            raise FlowError(f"'{place}' is not one of {allowed}") from None
        raise FlowError(f"{place} {first['input']!r}: {first['msg']}") from None
