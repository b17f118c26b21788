"""Modules and functions stay small enough to be read at one sitting."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SOURCES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for folder in ("src", "experiments", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.*"))
    if path.suffix in (".py", ".cpp", ".hpp")
}
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60


def tree(name: str) -> ast.Module:
    return ast.parse(SOURCES[name])


def python(*folders: str) -> list[str]:
    return [n for n in SOURCES if n.endswith(".py") and n.startswith(folders)]


def functions(name: str) -> Iterator[tuple[str, int]]:
    """Yield each function and its lines without those of its docstring."""
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node) is not None:
                text = node.body[0]
                assert text.end_lineno is not None
                lines -= text.end_lineno - text.lineno + 1
            yield node.name, lines


@pytest.mark.parametrize("name", [n for n in SOURCES if n.startswith("src")])
def test_a_module_holds_one_thing(name: str) -> None:
    """Above four hundred lines two things live in it, in C++ as in Python."""
    assert len(SOURCES[name].splitlines()) <= MOST_LINES


@pytest.mark.parametrize("name", python("src"))
def test_a_function_does_one_thing(name: str) -> None:
    """It is seen whole on a screen; its docstring is not counted."""
    long = {f: n for f, n in functions(name) if n > MOST_LINES_OF_A_FUNCTION}
    assert not long


@pytest.mark.parametrize("name", python("src", "experiments", "benchmarks"))
def test_arguments_are_written_plainly(name: str) -> None:
    """``f(*(a, b), c)`` saves lines and hides which argument is which."""
    starred = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Starred)
        and isinstance(node.value, ast.Tuple | ast.List)
    ]
    assert not starred
