"""Policy: how rules may test the features that are not excluded.

A direction says that a higher value of a feature may only help the positive label, or
only harm it: conditions of the other sign are left out, so that whatever is proven is
proven of all rules that are allowed. Features that are not to be combined divide the
conditions into parts, and every rule that is allowed lies in one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from faircg.printable import shown, spoken_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.features import Features
    from faircg.rules import Condition, Rule
    from faircg.typing import Conditions

Way: TypeAlias = Literal["increasing", "decreasing"]
"""Whether a higher value of a feature may only help, or only harm."""
MOST_PARTS: Final = 64
"""Parts of the conditions beyond which searching each of them would take too long."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Directions by feature, and sets of features of which a rule tests one at most.

    Directions are those of the label that rules are for.
    """

    directions: Mapping[str, Way] = field(default_factory=dict)
    apart: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, monotone: object, not_together: object, features: Features) -> Policy:
        """Read the parameters ``monotone`` and ``not_together``, by name."""
        return cls(
            named_directions(monotone, features), _named_sets(not_together, features)
        )

    def mirrored(self) -> Policy:
        """Return the same for rules for the other label: what helps one harms it."""
        other: dict[Way, Way] = {
            "increasing": "decreasing",
            "decreasing": "increasing",
        }
        turned = {name: other[way] for name, way in self.directions.items()}
        return replace(self, directions=turned)

    def going(self, way: Way) -> tuple[str, ...]:
        """Return the features that have this direction."""
        return tuple(name for name, own in self.directions.items() if own == way)

    def check(self, rule: Rule, parameter: str) -> None:
        """Refuse a rule that is not allowed, and say why."""
        for condition in rule.conditions:
            way = self.directions.get(condition.feature)
            if way is not None and not fits(condition, way):
                raise ValueError(
                    f"{parameter}: '{condition}' has the wrong sign; by monotone, "
                    f"rules may test {_allowed_words(condition, way)} only"
                )
        tested = {condition.feature for condition in rule.conditions}
        for names in self.apart:
            both = [name for name in names if name in tested]
            if len(both) > 1:
                raise ValueError(
                    f"{parameter}: '{rule}' tests both {both[0]!r} and {both[1]!r}, "
                    "which not_together forbids"
                )

    def parts(self, conditions: Sequence[Condition]) -> tuple[Conditions, ...]:
        """Divide conditions so that a rule is allowed if one part has all of its own.

        Nothing if every rule is allowed.

        Examples
        --------
        >>> from faircg.rules import Condition
        >>> old, member = Condition("age", ">", 40), Condition("member", "=", True)
        >>> Policy(apart=(("age", "member"),)).parts([old, member])
        ((1,), (0,))
        """
        sets = [frozenset(condition.feature for condition in conditions)]
        for names in self.apart:
            for one, other in combinations(names, 2):
                split = dict.fromkeys(
                    part
                    for names in sets
                    for part in (
                        (names - {one}, names - {other})
                        if {one, other} <= names
                        else (names,)
                    )
                )
                sets = [s for s in split if not any(s < larger for larger in split)]
                if len(sets) > MOST_PARTS:
                    raise ValueError(
                        "not_together leaves more than "
                        f"{MOST_PARTS} ways to choose features that may be combined, "
                        "and each of them is searched; name fewer features"
                    )
        if len(sets) == 1:
            return ()
        return tuple(
            tuple(j for j, c in enumerate(conditions) if c.feature in names)
            for names in sets
        )


def named_directions(monotone: object, features: Features) -> dict[str, Way]:
    """Return directions by name; anything that is no direction is an error."""
    if monotone is None:
        return {}
    if not isinstance(monotone, Mapping):
        raise ValueError(
            "monotone must be a mapping from feature to 'increasing' or 'decreasing', "
            f"not {monotone!r}"
        )
    directions: dict[str, Any] = features.resolve_keys(monotone, parameter="monotone")
    for name, way in directions.items():
        if way not in get_args(Way):
            raise ValueError(
                f"monotone: the direction of {name!r} is 'increasing' or 'decreasing', "
                f"not {way!r}"
            )
    return directions


def fits(condition: Condition, way: Way) -> bool:
    """Say whether a condition, once met, stays so while its feature goes this way.

    A missing value is neither higher nor lower than another, so that the two tests of
    presence fit. Of booleans, true is the higher.

    Examples
    --------
    >>> from faircg.rules import Condition
    >>> [fits(Condition("priors", sign, 3), "increasing") for sign in ("<=", ">")]
    [False, True]
    >>> fits(Condition("member", "=", False), "decreasing")
    True
    """
    match condition.operator:
        case "is missing" | "is present":
            return True
        case "<=" | ">" as sign:
            wants_more = sign == ">"
        case sign:
            wants_more = bool(condition.value) == (sign == "=")
    return wants_more == (way == "increasing")


def direction_words(
    increasing: Sequence[str], decreasing: Sequence[str], label: str
) -> str:
    """Say which values may only speak for a label; nothing without directions.

    Examples
    --------
    >>> print(direction_words(["priors", "charges"], ["age"], "a new charge"))
    a higher value of priors or charges and a lower value of age may only count towards
    a new charge
    """
    ways = (("a higher value of ", increasing), ("a lower value of ", decreasing))
    said = [start + _listed(names, "or") for start, names in ways if names]
    return f"{' and '.join(said)} may only count towards {label}" if said else ""


def apart_words(not_together: Sequence[Sequence[str]]) -> str:
    """Say which features no rule tests together; nothing if all may be.

    Examples
    --------
    >>> print(apart_words([("race", "sex"), ("age", "priors", "score")]))
    race with sex; age with priors with score
    """
    return "; ".join(" with ".join(map(shown, names)) for names in not_together)


def _listed(names: Sequence[str], last: str) -> str:
    said = [shown(name) for name in names]
    return f" {last} ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


def _allowed_words(condition: Condition, way: Way) -> str:
    name = spoken_name(condition.feature)
    if condition.operator in ("<=", ">"):
        return f"'{name} {'>' if way == 'increasing' else '<='} ...'"
    return f"'{name}'" if way == "increasing" else f"'not {name}'"


def _named_sets(
    not_together: object, features: Features
) -> tuple[tuple[str, ...], ...]:
    """Return sets of features by name; each has two at least."""
    is_many = isinstance(not_together, Iterable) and not isinstance(not_together, str)
    sets = []
    for entry in not_together if is_many else (not_together,):  # type: ignore[attr-defined]
        if isinstance(entry, str) or not isinstance(entry, Iterable):
            raise ValueError(
                "not_together must be a list of pairs of features, such as "
                f"[('race', 'sex')], not {not_together!r}"
            )
        names = features.resolve_kept(entry, parameter="not_together")
        if len(names) < 2:
            raise ValueError(
                f"not_together: {list(names)} needs two features at least, of which a "
                "rule may test one"
            )
        sets.append(names)
    return tuple(sets)
