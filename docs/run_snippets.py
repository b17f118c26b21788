"""Run the code of the guide, page by page; with ``--write``, renew what it shows.

The ``python`` blocks of a page run in one namespace, one after the other. What a block
prints stands in the ``output`` block right below it; three dots there match anything.
In ``console`` blocks, lines with ``$`` in front are commands of faircg, and what
follows them is what they print (or nothing, where it is left out). A ``toml`` block is
the file settings.toml. Figures that a page shows are saved by its own code.

    python docs/run_snippets.py --write [page ...]
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from faircg.cli import app

DOCS = Path(__file__).resolve().parent
FENCE = re.compile(r"^```(\S*)\s*$")
IMAGE = re.compile(r"!\[[^\]]*\]\((\S+?)\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text, and the line on which the text begins."""

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Shown:
    """What a block printed, and what the page shows (None if it shows nothing)."""

    block: Block
    got: str
    expected: str | None
    output: Block | None = None

    @property
    def is_right(self) -> bool:
        """Whether the page shows what was printed, up to white space and dots."""
        if self.expected is None:
            return self.block.language == "console" or not self.got.strip()
        checker = doctest.OutputChecker()
        return checker.check_output(self.expected, self.got, FLAGS)


def pages() -> list[Path]:
    """List the pages of the guide that hold code to run; results are generated."""
    return [
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.name != "results.md"
        and {b.language for b in blocks(path.read_text("utf-8"))}
        & {"python", "console"}
    ]


def blocks(text: str) -> list[Block]:
    """Find the fenced blocks of a page."""
    found: list[Block] = []
    opened: tuple[str, int] | None = None
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if match is None:
            continue
        if opened is None:
            opened = (match[1], number + 1)
        elif not match[1]:
            body = "".join(f"{one}\n" for one in lines[opened[1] : number])
            found.append(Block(opened[0], body, opened[1]))
            opened = None
    return found


def images(path: Path) -> set[str]:
    """Name the files of the pictures that a page shows."""
    return {Path(name).name for name in IMAGE.findall(path.read_text("utf-8"))}


def run_page(path: Path) -> list[Shown]:
    """Run a page in the current directory, where it may write files."""
    found = blocks(path.read_text("utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, block in enumerate(found):
        if block.language == "python":
            following = found[number + 1] if number + 1 < len(found) else None
            is_output = following is not None and following.language == "output"
            output = following if is_output else None
            got = _run_python(path, block, namespace)
            expected = None if output is None else output.text
            shown.append(Shown(block, got, expected, output))
        elif block.language == "toml":
            Path("settings.toml").write_text(block.text, "utf-8")
        elif block.language == "console":
            for command, expected in _commands(block.text):
                got = _run_command(command)
                shown.append(Shown(block, got, expected or None))
    return shown


def _run_python(path: Path, block: Block, namespace: dict[str, Any]) -> str:
    printed = io.StringIO()
    # The empty lines in front make tracebacks point into the page.
    code = compile("\n" * block.line + block.text, str(path), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def _commands(text: str) -> list[tuple[str, str]]:
    """Split a console block into commands and what they print."""
    joined = text.replace("\\\n", " ")
    found: list[tuple[str, str]] = []
    for line in joined.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            command, printed = found[-1]
            found[-1] = (command, f"{printed}{line}\n")
    return found


def _run_command(command: str) -> str:
    words = shlex.split(command)
    if words[0] != "faircg":
        raise ValueError(f"console blocks run faircg only, not {command!r}")
    # In this process: to start Python for each command takes longer than most of them.
    done = CliRunner().invoke(app, words[1:], env={"COLUMNS": "100", "NO_COLOR": "1"})
    if done.exit_code:
        raise ValueError(f"{command}: exit {done.exit_code}\n{done.stderr}")
    return done.stdout


def write_page(path: Path) -> None:
    """Put what was printed into the page where it differs, and save its figures."""
    shown = run_page(path)
    lines = path.read_text("utf-8").splitlines()
    for entry in reversed(shown):
        if entry.output is not None and not entry.is_right:
            start = entry.output.line
            end = start + len(entry.output.text.splitlines())
            lines[start:end] = entry.got.rstrip("\n").splitlines()
    path.write_text("\n".join(lines) + "\n", "utf-8")
    for name in images(path):
        Path(name).replace(DOCS / "images" / name)


def main() -> None:
    """Run pages, and renew them on demand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    chosen = [page.resolve() for page in arguments.page] or pages()
    wrong = 0
    for path in chosen:
        with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):
            if arguments.write:
                write_page(path)
                continue
            for entry in run_page(path):
                if not entry.is_right:
                    wrong += 1
                    sys.stdout.write(
                        f"{path}:{entry.block.line}: printed\n{entry.got}\n"
                        f"but the page shows\n{entry.expected}\n"
                    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
