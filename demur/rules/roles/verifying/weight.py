"""Words that take weight from a statement."""

from typing import Final

from demur.rules.roles.marks.patterns import any_of

DISCOUNTED: Final = any_of(
    r"message boards?|forum posts?|guest user|from memory|reference only|uncorrected scan",
    r"rumou?rs?|alleged(?:ly)?|unofficial(?:ly)?|unverified|unconfirmed|anonymous(?:ly)?|fan forum|blogs?|hearsay|"
    r"gossip",
    r"misprints?|poor (?:machine )?scan|damaged copy|garbled|withdrawn|superseded|outdated|since replaced|now replaced|"
    r"old version|"
    r"mistaken(?:ly)?|draft",
    r"claims?, without|casual mentions?|roughly|approximately|rounded|shorter summary|for short|same (?:name|person)|"
    r"machine scan",
)
"""Words that mark a statement as the weaker one."""
