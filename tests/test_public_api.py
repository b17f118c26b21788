"""The public interface as one text, so that no change of it goes unseen.

``python tests/test_public_api.py`` writes ``tests/public_api.txt`` again; look at what
changed there, and tell users in ``CHANGELOG.md``.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SNAPSHOT = Path(__file__).with_name("public_api.txt")
MODULES = (
    "faircg",
    "faircg.fairness",
    "faircg.explain",
    "faircg.export",
    "faircg.report",
    "faircg.plotting",
    "faircg.datasets",
    "faircg.colgen.events",
)


def names_of(module: ModuleType) -> list[str]:
    """Return what the module lists, or else every public name that it has."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", "faircg").startswith("faircg")
        and not isinstance(value, ModuleType)
        and name not in ("annotations", "TYPE_CHECKING")
    )


@dataclasses.dataclass(frozen=True)
class Written:
    """Something that is printed as it is written, without quotes or addresses."""

    text: str

    def __repr__(self) -> str:
        return self.text


def signature(function: Any, *, of_class: bool = False) -> str:
    """Parameters with types and defaults, and what comes back."""
    given = inspect.signature(function)
    parameters = []
    for parameter in given.parameters.values():
        default, annotation = parameter.default, parameter.annotation
        if inspect.isroutine(default):
            default = Written(default.__name__)
        if isinstance(annotation, str):
            annotation = Written(annotation)
        parameters.append(parameter.replace(default=default, annotation=annotation))
    result = given.return_annotation
    if of_class:
        result = inspect.Signature.empty
    elif isinstance(result, str):
        result = Written(result)
    return str(inspect.Signature(parameters, return_annotation=result))


def members(cls: type) -> Iterator[str]:
    """Yield methods, properties and constants that faircg itself defines.

    The fields of a dataclass are parameters of its constructor.
    """
    ours = [base for base in cls.__mro__ if base.__module__.startswith("faircg")]
    defined = {n: value for base in reversed(ours) for n, value in vars(base).items()}
    fields = {
        f.name for f in getattr(cls, "__dataclass_fields__", {}).values() if f.init
    }
    for name in sorted(defined):
        value = getattr(defined[name], "__func__", defined[name])
        if (name.startswith("_") and name != "__call__") or name in fields:
            continue
        if isinstance(value, property | cached_property):
            yield f".{name}: property"
        elif inspect.isfunction(value):
            yield f".{name}{signature(value)}"
        elif isinstance(value, enum.Enum):
            yield f".{name} = {value.value!r}"
        elif type(value).__module__.startswith(("builtins", "faircg")):
            yield f".{name}"


def constructor(cls: type) -> str:
    """Return the parameters of a constructor that faircg wrote, or nothing."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("faircg")]
    is_ours = any("__init__" in vars(base) for base in ours)
    is_protocol = getattr(cls, "_is_protocol", False)
    return signature(cls, of_class=True) if is_ours and not is_protocol else ""


def described() -> Iterator[str]:
    """Yield every public name, its members indented below it."""
    seen: dict[int, str] = {}
    for module_name in MODULES:
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError:
            continue
        for name in names_of(module):
            value, full = getattr(module, name), f"{module_name}.{name}"
            if id(value) in seen:
                yield f"{full} = {seen[id(value)]}"
                continue
            seen[id(value)] = full
            if inspect.isclass(value):
                yield f"class {full}{constructor(value)}"
                yield from (f"    {member}" for member in members(value))
            elif inspect.isfunction(value):
                yield f"{full}{signature(value)}"
            elif isinstance(value, Mapping):
                yield f"{full}: {', '.join(map(str, value))}"
            else:
                yield f"{full}: {type(value).__name__}"


def test_the_public_interface_is_the_one_written_down() -> None:
    """A changed name, parameter or default is seen in review, not by users first."""
    now = list(described())
    assert now == SNAPSHOT.read_text(encoding="utf-8").splitlines(), (
        "the public interface changed: if you meant it, run "
        "python tests/test_public_api.py and tell users in CHANGELOG.md"
    )


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(described()) + "\n", encoding="utf-8")
