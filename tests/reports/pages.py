"""Reading a page as a browser does: which elements it has, in which order, with which texts."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "hr", "input"}


@dataclass
class Element:
    """An element of a page with its attributes, all its text, and the names of the elements around it."""

    tag: str
    attributes: dict[str, str]
    around: tuple[str, ...]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A parsed page; `elements` in document order, `faults` where tags do not match."""

    html: str
    elements: list[Element] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.html)
        self.close()
        self.faults += [f"{element.tag} is not closed" for element in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(e.tag for e in self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1].tag != tag:
            self.faults.append(f"</{tag}> closes {self._open[-1].tag if self._open else 'nothing'}")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        """Return all elements with these tags."""
        return [element for element in self.elements if element.tag in tags]

    def section(self, id_: str) -> str:
        """Return the text of a section, runs of white space as one space."""
        found = [element for element in self.elements if element.attributes.get("id") == id_]
        assert len(found) == 1, f"{len(found)} elements have the id {id_}"
        return " ".join(found[0].text.split())
