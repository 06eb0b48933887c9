"""Loading of behaviour policies by name or file, and checks that the parts of a policy do not contradict each other."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from pathlib import Path

from pydantic import ValidationError

from demur.levers.explain import FieldPath, LeverError, Problem, did_you_mean, explain, field_name
from demur.levers.policy_models import Behaviour, Fault, Label, Policy
from demur.levers.yaml_file import plain_data, read_source

# Checks that the parts of a policy do not contradict each other. Each problem has a place in the file.


def problems_of(policy: Policy) -> Iterator[Problem]:
    """Yield contradictions in a well-formed policy."""
    propositions = [p.name for p in policy.propositions]
    facts = [fact.name for fact in policy.facts]
    yield from _repeated(("propositions",), propositions)
    yield from _repeated(("facts",), facts)
    yield from _repeated(("behaviours",), [b.name for b in policy.behaviours])
    yield from _repeated(("classes",), policy.classes)
    for number, name in enumerate(facts):
        if name in propositions:
            yield _problem(("facts", number, "name"), f"'{name}' is a proposition too. Rename one of them")
    for number, p in enumerate(policy.propositions):
        if p.name in policy.classes:
            yield _problem(("propositions", number, "name"), f"'{p.name}' is a class too. Rename one of them")
    spelled = [name for p in policy.propositions for name in (p.name, *p.aliases)]
    for name in _twice(spelled):
        yield _problem(("propositions",), f"two propositions have the name or alias '{name}'. Remove one")
    responses = [name for b in policy.behaviours for name in b.response_types]
    for name in _twice(responses):
        yield _problem(("behaviours",), f"response type '{name}' belongs to two behaviours. Remove one")
    for number, behaviour in enumerate(policy.behaviours):
        at: FieldPath = ("behaviours", number)
        found = [
            *_statuses(behaviour, at, propositions),
            *_classes(behaviour, at, policy),
            *_labels(behaviour, at, policy),
        ]
        yield from found
        if not found:
            yield from _meant_classes(behaviour, at, facts)


def _statuses(behaviour: Behaviour, at: FieldPath, propositions: list[str]) -> Iterator[Problem]:
    for name in behaviour.statuses:
        if name not in propositions:
            yield _unknown((*at, "statuses", name), "proposition", name, propositions)


def _classes(behaviour: Behaviour, at: FieldPath, policy: Policy) -> Iterator[Problem]:
    """Check that rules name each class, use only features and facts, and cover all cases."""
    usable = [*behaviour.features, *policy.default_facts]
    if bool(behaviour.classes) == bool(behaviour.products):
        yield _problem(at, "needs either classes (ordered rules) or products. Give one of them")
        return
    for number, rule in enumerate(behaviour.classes):
        here: FieldPath = (*at, "classes", number)
        if rule.class_name not in policy.classes:
            yield _unknown((*here, "class"), "class", rule.class_name, policy.classes)
        for name in dict.fromkeys(name for term in rule.terms for name, _ in term):
            if name not in usable:
                yield _unknown((*here, "any"), "feature or fact", name, usable)
        if (not rule.any) != (number == len(behaviour.classes) - 1):
            yield _problem(
                here,
                "the last rule must have no terms, and all other rules need terms: the last rule takes all other cases",
            )
    for name, states in behaviour.products.items():
        if name not in policy.classes:
            yield _unknown((*at, "products", name), "class", name, policy.classes)
        for feature in states:
            if feature not in usable:
                yield _unknown((*at, "products", name, feature), "feature or fact", feature, usable)
    named = {rule.class_name for rule in behaviour.classes} | set(behaviour.products)
    for name in policy.classes:
        if name not in named:
            yield _problem(
                (*at, "classes" if behaviour.classes else "products"), f"nothing leads to class '{name}'. Add it"
            )


def _labels(behaviour: Behaviour, at: FieldPath, policy: Policy) -> Iterator[Problem]:
    """Check the labels, faults and response types of a behaviour.

    The order of labels must have no circle. Labels and faults must name features, classes and facts that exist.
    """
    names = [label.name for label in behaviour.labels]
    yield from _repeated((*at, "labels"), names)
    yield from _repeated((*at, "faults"), [fault.name for fault in behaviour.faults])
    for number, label in enumerate(behaviour.labels):
        here: FieldPath = (*at, "labels", number)
        for name in label.better_than:
            if name not in names:
                yield _unknown((*here, "better_than"), "label", name, names)
        if (label.name, label.name) in behaviour.order:
            yield _problem((*here, "better_than"), f"label '{label.name}' ends up better than itself. Break the circle")
        for name in (*label.meant_true, *(n for more in label.meant_true_where.values() for n in more)):
            if name not in behaviour.features:
                yield _unknown((*here, "meant_true"), "feature", name, behaviour.features)
        for name in label.meant_true_where:
            if name not in policy.default_facts:
                yield _unknown((*here, "meant_true_where", name), "fact", name, policy.default_facts)
        if label.class_name is not None and label.class_name not in policy.classes:
            yield _unknown((*here, "class"), "class", label.class_name, policy.classes)
        if label.faults is not None and label.faults[1] > len(behaviour.faults):
            yield _problem(
                (*here, "faults"), f"asks for {label.faults[1]} of {len(behaviour.faults)} faults. Add faults"
            )
    for number, fault in enumerate(behaviour.faults):
        for name in fault.sets:
            if name not in behaviour.features:
                yield _unknown((*at, "faults", number, "sets", name), "feature", name, behaviour.features)
    yield from _fault_pairs(behaviour, at)
    for name, implied in behaviour.response_types.items():
        for fact in implied:
            if fact not in policy.default_facts:
                yield _unknown((*at, "response_types", name, fact), "fact", fact, policy.default_facts)


def _fault_pairs(behaviour: Behaviour, at: FieldPath) -> Iterator[Problem]:
    """Check the exclusions of faults.

    An exclusion must name another fault of the behaviour. Two faults that contradict each other must exclude each
    other. If a label asks for at least N faults, each fault must be able to occur together with N - 1 other faults.
    """
    faults = behaviour.faults
    names = [fault.name for fault in faults]
    for number, fault in enumerate(faults):
        here: FieldPath = (*at, "faults", number, "excludes")
        for name in fault.excludes:
            if name not in names:
                yield _unknown(here, "fault", name, names)
            elif name == fault.name:
                yield _problem(here, f"fault '{name}' excludes itself. Remove it")
        for other in faults[number + 1 :]:
            differing = [name for name, held in fault.sets.items() if other.sets.get(name, held) != held]
            if differing and behaviour.compatible(fault, other):
                problem = f"'{fault.name}' and '{other.name}' set {', '.join(differing)} to different truths"
                yield _problem(here, f"{problem}. Let one exclude the other")
    for number, label in enumerate(behaviour.labels):
        if label.faults is None:
            continue
        least = label.faults[0]
        for fault in faults:
            if not _can_stand_among(behaviour, fault, least):
                problem = (
                    f"asks for {least} faults at least, and fault '{fault.name}' excludes too many to be one of them"
                )
                yield _problem((*at, "labels", number, "faults"), f"{problem}. Ask for fewer")


def _can_stand_among(behaviour: Behaviour, fault: Fault, count: int) -> bool:
    """Return whether this fault can occur together with `count - 1` other faults."""
    company = [other for other in behaviour.faults if other.name != fault.name and behaviour.compatible(fault, other)]
    return any(
        all(behaviour.compatible(one, two) for one, two in combinations(chosen, 2))
        for chosen in combinations(company, count - 1)
    )


def _meant_classes(behaviour: Behaviour, at: FieldPath, facts: list[str]) -> Iterator[Problem]:
    """Check that the intended features of each label lead to the label's class.

    This must be so for all values of the facts. In a label with faults, each fault must change the intended truth of a
    feature. If the behaviour has `products` in place of classes, nothing is checked.
    """
    if not behaviour.is_partition:
        return
    for number, label in enumerate(behaviour.labels):
        for values in product((False, True), repeat=len(facts)):
            known = dict(zip(facts, values, strict=True))
            yield from _meant_class(behaviour, label, (*at, "labels", number), known)
    for number, fault in enumerate(behaviour.faults):
        for label in behaviour.labels:
            if label.faults is not None and behaviour.truth(label, (fault,)) == behaviour.truth(label):
                yield _problem((*at, "faults", number), f"fault '{fault.name}' changes nothing in label '{label.name}'")


def _meant_class(behaviour: Behaviour, label: Label, at: FieldPath, known: dict[str, bool]) -> Iterator[Problem]:
    reached = behaviour.class_of(behaviour.truth(label, facts=known), known)
    if label.class_name is not None and reached != label.class_name:
        yield _problem(
            (*at, "meant_true"),
            f"leads to class '{reached}' and not to '{label.class_name}' (facts {known}). Correct one",
        )


def _repeated(at: FieldPath, names: Iterable[str]) -> Iterator[Problem]:
    for name in _twice(names):
        yield _problem(at, f"'{name}' is given twice. Rename or remove one")


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _unknown(at: FieldPath, what: str, name: str, known: Iterable[str]) -> Problem:
    names = list(known)
    return _problem(at, f"'{name}' is not a known {what}; known: {', '.join(names)}{did_you_mean(name, names)}")


def _problem(at: FieldPath, message: str) -> Problem:
    return Problem(at, f"{field_name(at)}: {message}")


# Loading of behaviour policies by name or file.
#
# A policy is data; scoring turns graded propositions into class probabilities and weights.


OURS = Path(__file__).parent / "policies"


def load_policy(name_or_path: str | Path) -> Policy:
    """Return a policy of demur by its name, or a user's by the path of its file.

    Raises:
        LeverError: with one line for each fault.
    """
    ours = {path.stem: path for path in sorted(OURS.glob("*.yaml"))}
    path = ours.get(str(name_or_path), Path(name_or_path))
    if not path.exists() and path.suffix not in {".yaml", ".yml"}:
        raise LeverError(
            f"policy '{name_or_path}' is not one of {', '.join(ours)}. Name one of these, or the path of a YAML file"
        )
    source = read_source(path)
    try:
        policy = Policy.model_validate(plain_data(source))
    except ValidationError as exc:
        raise source.error(explain(exc, Policy)) from exc
    if problems := list(problems_of(policy)):
        raise source.error(problems)
    return policy
