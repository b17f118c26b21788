"""Adding a criterion, a pricer or an export takes two files of the package.

Each is added to a copy of the package as docs/architecture.md says it, and then used by
name, in Python and on the command line.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import faircg

PACKAGE = Path(faircg.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
# An editable install finds the package by a finder of its own: it must not.
START = """
import sys
sys.meta_path = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
sys.path.insert(0, {copy!r})
import faircg
assert faircg.__file__.startswith({copy!r}), faircg.__file__
"""
PEOPLE = """
import pandas as pd
from faircg import FairRuleSetClassifier
X = pd.DataFrame({"a": [0, 1, 2, 3] * 6, "b": [0, 0, 1] * 8})
y = [0, 0, 1, 1] * 5 + [1, 0, 1, 0]
groups = ["x", "y", "y"] * 8
def fit(**asked):
    clf = FairRuleSetClassifier(max_complexity=6, max_conditions=2, **asked)
    return clf.fit(X, y, sensitive_features=groups)
"""


class Copy:
    """A copy of the package that may be changed, and how often it was."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "faircg"
        self.touched: set[str] = set()
        shutil.copytree(PACKAGE, self.root, ignore=shutil.ignore_patterns("*.so"))

    def write(self, name: str, text: str) -> None:
        """Add a file."""
        assert not (self.root / name).exists()
        (self.root / name).write_text(text, encoding="utf-8")
        self.touched.add(name)

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a file in one place."""
        file = self.root / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} has {text.count(old)} times {old!r}"
        file.write_text(text.replace(old, new), encoding="utf-8")
        self.touched.add(name)

    def run(self, code: str) -> str:
        """Run code with the copy instead of the package."""
        start = START.format(copy=str(self.root.parent))
        done = subprocess.run(
            [sys.executable, "-c", start + code],
            env={**os.environ, "FAIRCG_KERNEL": "numpy", "COLUMNS": "300"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def command(self, *arguments: str) -> str:
        """Run the command line of the copy."""
        code = "from faircg.cli import main\n"
        return self.run(f"{code}sys.argv = ['faircg', *{arguments!r}]\nmain()\n")


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


def is_on_the_page(kind: str, touched: set[str]) -> bool:
    """Whether the page names the files, a new one by its folder, in at most three."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith(f"| {kind} |"))
    names = [part for part in line.split("`")[1::2] if "/" in part]
    folders = {f"{Path(name).parent}/" for name in touched}
    known = {name for name in names if name in touched or name in folders}
    return len(names) <= 3 and len(known) == len(touched)


def test_a_criterion_is_a_class_and_a_name(copy):
    """Differences of error rates: asked for by name, bounded, and in --help."""
    copy.edit(
        "fairness/criteria.py",
        "\n\n@dataclass(frozen=True, slots=True)\nclass DemographicParity",
        '''

@dataclass(frozen=True, slots=True)
class ErrorParity(_OneGap):
    """Shares of wrong predictions differ by at most epsilon."""

    name = "error_parity"

    def rates(self):
        wrong = ("false_negatives", "false_positives")
        everybody = ("positives", "negatives")
        return (Rate("error rate", wrong, everybody, Difference(self.epsilon)),)


@dataclass(frozen=True, slots=True)
class DemographicParity''',
    )
    copy.edit(
        "fairness/__init__.py",
        '    "four_fifths": FourFifths,\n',
        '    "four_fifths": FourFifths,\n    "error_parity": ErrorParity,\n',
    )
    copy.edit(
        "fairness/__init__.py",
        "from faircg.fairness.criteria import FourFifths as FourFifths\n",
        "from faircg.fairness.criteria import FourFifths as FourFifths\n"
        "from faircg.fairness.criteria import ErrorParity as ErrorParity\n",
    )
    told = copy.run(
        PEOPLE + "clf = fit(constraint='error_parity', epsilon=0.1)\n"
        "print(clf.fairness_.within_epsilon, list(clf.fairness_.gaps))\n"
    )
    assert told == "True ['error rate']\n"
    assert "error_parity" in copy.command("fit", "--help")
    assert "error_parity" in copy.command("evaluate", "--help")
    assert is_on_the_page("a criterion", copy.touched)


def test_a_pricer_is_a_module_and_a_name(copy):
    """Rules of one condition only: asked for by name, and in --help."""
    copy.write(
        "colgen/pricing/single.py",
        '''"""Rules of one condition."""
from faircg.colgen.pricing.base import best_rules


class SinglePricer:
    """Try each condition alone."""

    is_exact = False

    def price(self, asked):
        """Price all rules of one condition; that proves nothing about longer ones."""
        rules = [(j,) for j in range(asked.bits.n_conditions)]
        return best_rules(asked, rules, is_complete=False)
''',
    )
    copy.edit(
        "colgen/pricing/__init__.py",
        '    "greedy": lambda seed, threads: GreedyPricer(),\n',
        '    "greedy": lambda seed, threads: GreedyPricer(),\n'
        '    "single": lambda seed, threads: SinglePricer(),\n',
    )
    copy.edit(
        "colgen/pricing/__init__.py",
        "from faircg.colgen.pricing.ip import IntegerPricer as IntegerPricer\n",
        "from faircg.colgen.pricing.ip import IntegerPricer as IntegerPricer\n"
        "from faircg.colgen.pricing.single import SinglePricer as SinglePricer\n",
    )
    told = copy.run(
        PEOPLE + "clf = fit(pricing='single', warm_start_rules=None)\n"
        "print(max(len(rule.conditions) for rule in clf.rule_set_))\n"
    )
    assert told == "1\n"
    assert "single" in copy.command("fit", "--help")
    assert is_on_the_page("a pricer", copy.touched)


def test_an_export_is_a_module_and_a_name(copy, tmp_path):
    """One rule a line: written by name, in Python and by the command."""
    copy.write(
        "export/lines.py",
        '''"""One rule a line."""


def to_lines(model):
    """Write each rule."""
    return "".join(f"{rule}\\n" for rule in model.rule_set)
''',
    )
    copy.edit(
        "export/formats.py",
        "from faircg.export.latex import to_latex\n",
        "from faircg.export.latex import to_latex\n"
        "from faircg.export.lines import to_lines\n",
    )
    copy.edit(
        "export/formats.py",
        '        "markdown": _Format(',
        '        "lines": _Format(".txt", "one rule a line", to_lines),\n'
        '        "markdown": _Format(',
    )
    model = tmp_path / "model.json"
    told = copy.run(
        PEOPLE + "from faircg.export import export_model\n"
        f"clf = fit()\nclf.model_.save({str(model)!r})\n"
        "print(export_model(clf.model_, 'lines'), end='')\n"
    )
    assert told.strip()
    assert "lines" in copy.command("export", "--help")
    assert copy.command("export", str(model), "--to", "lines", "-o", "-") == told
    assert is_on_the_page("an export", copy.touched)
