"""Help, configuration, progress, exit codes, and bad input."""

from __future__ import annotations

import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from rich.console import Console

from cli.people import FIT
from faircg import FairRuleSetClassifier
from faircg.cli.completion import complete_data
from faircg.cli.progress import FitProgress, SearchProgress, following
from faircg.colgen.events import CellDone, FitBegun, InCell, Incumbent, SearchBegun
from faircg.datasets import load_compas

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.people import Done

COMMANDS = (
    "fit",
    "predict",
    "explain",
    "evaluate",
    "frontier",
    "report",
    "export",
    "datasets",
    "demo",
)


def example(text: str) -> list[str]:
    """Return the command that a help page shows."""
    shown = text.split("Example:\n", 1)[1]
    lines = re.match(r"(.*\\\n)*.*\n", shown)
    assert lines is not None
    return shlex.split(lines.group().replace("\\\n", " "))


def test_every_example_works_when_pasted(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """One after the other, in an empty directory; the demo has a test of its own."""
    for command in COMMANDS:
        shown = example(faircg(command, "--help").out)
        assert shown[:2] == ["faircg", command]
        if command == "demo":
            continue
        done = faircg(*shown[1:], *(["-q"] if command != "datasets" else []))
        assert done.code == 0, (command, done.err)
        assert done.err == ""
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        "model.json",
        "decisions.csv",
        "frontier.html",
        "report.html",
        "model.sql",
        "compas.csv",
    }


def test_help_is_quick_to_import_and_tells_the_exit_codes() -> None:
    """Asking for help loads neither scikit-learn nor pandas nor the solver."""
    program = (
        "import sys; sys.argv = ['faircg', '--help']\n"
        "from faircg.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'sklearn', 'pandas', 'highspy', 'scipy', 'numpy', 'pyarrow'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(f"  {command} " in done.stdout for command in COMMANDS)
    assert "Exit codes: 0 done; 1 " in done.stdout
    assert "--install-completion" in done.stdout


def test_version(faircg: Callable[..., Done]) -> None:
    """The version can be asked for."""
    from faircg import __version__

    assert faircg("--version").out.strip() == __version__


def test_a_file_of_options(people: Path, faircg: Callable[..., Done]) -> None:
    """Options may come from a file; what I type wins, and so does my command's part."""
    (people.parent / "run.toml").write_text(
        'data = "my people.csv"\n'
        'target = "hired"\n'
        'sensitive = ["town"]\n'
        'exclude = "town"\n'
        "epsilon = 1\n"
        "max-complexity = 9\n"
        "quiet = true\n"
        "check = true\n"  # an option of another command
        "[fit]\n"
        "max_complexity = 4\n"
        "max_conditions = 2\n"
        'constraint = "equality_of_opportunity"\n'
        "json = true\n"
        "[frontier]\n"
        "folds = 3\n",
        encoding="utf-8",
    )
    done = faircg("fit", "--config", "run.toml", "--epsilon", 0.25, "-o", "m.json")
    assert done.code == 0, done.err
    certificate = done.json["certificate"]
    assert certificate["epsilon"] == 0.25
    assert certificate["max_complexity"] == 4
    assert certificate["constraint"] == "equality_of_opportunity"
    assert set(done.json["groups"]) == {"A", "B", "C"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epsilom = 0.1", "no command has an option 'epsilom'; did you mean"),
        ("[fit]\nfolds = 3", "[fit] has no option 'folds'"),
        ("epsilom = 0.1", "'epsilon'?"),
        ("[fit]\nmax_complexty = 3", "'max_complexity'"),
        ("epsilon = true", "epsilon is a text or a number, not True"),
        ("quiet = 1", "quiet is true or false, not 1"),
        ("epsilon = [1, 2]", "epsilon is a text or a number"),
        ("epsilon =", "is not a TOML file"),
    ],
)
def test_a_wrong_file_of_options(
    text: str, message: str, people: Path, faircg: Callable[..., Done]
) -> None:
    """A key that nobody knows is an error that names the nearest one."""
    (people.parent / "run.toml").write_text(text, encoding="utf-8")
    done = faircg("fit", people, *FIT, "--config", "run.toml", "-o", "m.json")
    assert done.code == 1
    assert message in done.err
    assert not (people.parent / "m.json").exists()


def test_numbers_of_a_file_are_checked_as_if_typed(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """Half a condition is wrong usage, not zero conditions."""
    (people.parent / "run.toml").write_text("max_conditions = 1.5", encoding="utf-8")
    args = ("fit", people, "--target", "hired", "--config", "run.toml", "-o", "m.json")
    done = faircg(*args)
    assert done.code == 2
    assert "--max-conditions" in done.err


TWICE = ("--weight", "Größe", "--exclude", "Größe")
GROUPS = ("--target", "hired", "--sensitive", "town")
BAD = {
    "missing file": (["fit", "nowhere.csv", "--target", "y"], 1, "no file"),
    "unknown suffix": (["fit", "people.dat", "--target", "y"], 1, "must end in .csv"),
    "no target": (["fit", "PEOPLE"], 1, "--target"),
    "missing column": (
        ["fit", "PEOPLE", "--target", "hire"],
        1,
        "no column 'hire'; did you mean 'hired'?",
    ),
    "missing group column": (
        ["fit", "PEOPLE", "--target", "hired", "--sensitive", "race"],
        1,
        "no column 'race'",
    ),
    "target with many values": (
        ["fit", "PEOPLE", "--target", "job, title"],
        1,
        "is missing in",
    ),
    "three labels": (
        ["fit", "PEOPLE", "--target", "town"],
        1,
        "has 3 values (A, B, C); two are needed",
    ),
    "unknown positive value": (
        ["fit", "PEOPLE", "--target", "hired", "--positive", "maybe"],
        1,
        "'maybe' is not a value of 'hired'",
    ),
    "unknown constraint": (
        ["fit", "PEOPLE", "--target", "hired", "--constraint", "goodness"],
        1,
        "'goodness' is not known; use one of",
    ),
    "unknown option": (["fit", "PEOPLE", "--epsilom", "1"], 2, "epsilom"),
    "constraint without groups": (
        ["fit", "PEOPLE", "--target", "hired", "--constraint", "equalized_odds"],
        1,
        "--sensitive",
    ),
    "frontier without groups": (
        ["frontier", "PEOPLE", "--target", "hired"],
        1,
        "--sensitive",
    ),
    "negative epsilon": (
        [
            "fit",
            "PEOPLE",
            "--target",
            "hired",
            "--sensitive",
            "town",
            "--constraint",
            "equalized_odds",
            "--epsilon",
            "-0.1",
        ],
        1,
        "epsilon",
    ),
    "excluded column that is not there": (
        ["fit", "PEOPLE", "--target", "hired", "--exclude", "race"],
        1,
        "no column 'race'",
    ),
    "a target that is excluded": (
        ["fit", "PEOPLE", "--target", "hired", "--exclude", "hired"],
        1,
        "'hired' cannot be both --target and --exclude",
    ),
    "a weight that is excluded": (
        [
            "fit",
            "PEOPLE",
            "--target",
            "hired",
            "--weight",
            "Größe",
            "--exclude",
            "Größe",
        ],
        1,
        "'Größe' cannot be both --weight and --exclude",
    ),
    "a weight of groups": (
        [
            "frontier",
            "PEOPLE",
            "--target",
            "hired",
            "--weight",
            "town",
            "--sensitive",
            "town",
        ],
        1,
        "'town' cannot be both --weight and --sensitive",
    ),
    "a weight to predict": (
        ["fit", "PEOPLE", "--target", "hired", "--weight", "hired"],
        1,
        "'hired' cannot be both --weight and --target",
    ),
    "garbage for a model": (["predict", "GARBAGE", "PEOPLE"], 1, "not a faircg model"),
    "no model": (["evaluate", "no.json", "PEOPLE"], 1, "no file no.json"),
    "unknown labels": (
        ["evaluate", "MODEL", "PEOPLE", "--target", "town"],
        1,
        "the model knows 'no' and 'yes'",
    ),
    "unknown dialect": (
        ["export", "MODEL", "--to", "sql", "--dialect", "cobol"],
        2,
        "'cobol' is not one of 'bigquery', 'clickhouse',",
    ),
    "unknown format": (["export", "MODEL", "--to", "pmml"], 2, "pmml"),
    "report without target": (["report", "MODEL", "PEOPLE"], 1, "--target"),
}


@pytest.mark.parametrize(("arguments", "code", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_ends_with_a_clear_line_and_no_file(
    arguments: list[str],
    code: int,
    message: str,
    people: Path,
    model: Path,
    faircg: Callable[..., Done],
) -> None:
    """A reason on standard error, nothing written, never a traceback."""
    garbage = people.parent / "garbage.json"
    garbage.write_text("{}", encoding="utf-8")
    names = {"PEOPLE": people, "GARBAGE": garbage, "MODEL": model}
    before = set(people.parent.iterdir())
    output = [] if arguments[0] == "evaluate" else ["-o", "output"]
    done = faircg(*(names.get(a, a) for a in arguments), *output)
    assert done.code == code, done.words
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.words
    if code == 1:
        assert done.err.startswith("faircg: error: ")
        assert done.err.count("\n") == 1
    assert done.out == ""
    assert set(people.parent.iterdir()) == before


def test_a_missing_directory_is_said_before_the_work(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """I do not wait minutes to hear that the output has no place."""
    done = faircg("fit", people, *FIT, "-o", "nowhere/m.json")
    assert (done.code, "no directory nowhere" in done.err) == (1, True)
    done = faircg("fit", people, *FIT, "-o", ".")
    assert (done.code, "is a directory" in done.err) == (1, True)


def test_rows_longer_than_the_header_are_refused(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """Pandas takes the first column for names of rows then, and shifts all others."""
    people.write_text("a,hired\n1,2,yes\n2,3,no\n", encoding="utf-8")
    done = faircg("fit", people, "--target", "hired", "-o", "m.json")
    assert (done.code, "row 0 has 3 values and the header has 2" in done.err) == (
        1,
        True,
    )


def test_a_time_limit_is_a_note_and_an_interrupt_an_exit_code(
    people: Path, faircg: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was cut short is written all the same, and said."""
    args = ("fit", "compas", "--time-limit", 0.05, "-o", "m.json", "--json")
    done = faircg(*args)
    assert (done.code, done.json["certificate"]["status"]) == (0, "time_limit")
    assert "faircg: note: the time limit of 0.05 s was reached" in done.err
    assert faircg(*args, "--quiet").err == ""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FairRuleSetClassifier, "fit", interrupted)
    done = faircg("fit", people, *FIT, "-o", "x.json")
    assert (done.code, done.err) == (130, "faircg: interrupted\n")


def test_reports_without_their_extra(
    people: Path,
    model: Path,
    faircg: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error says how to install it, before any work."""
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    for command in (("report", model, people), ("frontier", people)):
        done = faircg(*command, "--target", "hired", "-o", "r.html")
        assert (done.code, "pip install 'faircg[report]'" in done.err) == (1, True)


def test_progress_shows_bound_and_gap() -> None:
    """The bar listens to the events of a fit; at the end the gap is closed."""
    seen: list[tuple[str, float | None]] = []
    progress = FitProgress(lambda text, share: seen.append((text, share)))
    data = load_compas()
    clf = FairRuleSetClassifier(
        max_complexity=6, max_conditions=2, callbacks=(progress,)
    ).fit(data.X, data.y)
    assert progress.depth == clf.history_[-1].max_conditions
    assert progress.bound >= clf.history_[-1].lower_bound
    assert progress.loss == clf.certificate_.objective
    text, share = seen[-1]
    assert re.search(
        r"complexity at most 6 \| rules of up to \d conditions? \| best accuracy "
        r"[\d.]+% \| gap [\d.]+% \| \d+ s left",
        text,
    )
    assert share is not None
    assert 0.9 < share <= 1.0


def test_progress_on_a_terminal_and_elsewhere() -> None:
    """A terminal gets a bar, a file and --quiet nothing, and nobody has to listen."""
    for terminal, quiet in ((True, False), (True, True), (False, False)):
        out = io.StringIO()
        console = Console(file=out, force_terminal=terminal, width=200)
        with following("[x] people", quiet=quiet, console=console) as callbacks:
            for callback in callbacks:
                callback(Incumbent(loss=12, errors=10))
        is_shown = terminal and not quiet
        assert len(callbacks) == is_shown
        assert ("best loss 12" in out.getvalue()) == is_shown
        assert ("[x] people" in out.getvalue()) == is_shown


def test_finished_cells_are_counted() -> None:
    """A search tells its cells, and then the fits that follow."""
    seen: list[tuple[str, float | None]] = []
    progress = SearchProgress(lambda text, share: seen.append((text, share)))
    cell = CellDone(0, "I", 0.1, 5, 100.0, 99.0, seconds=1.0, is_kept=False)
    progress(SearchBegun(n_folds=2, n_coarse=1, n_fine=3))
    progress(InCell(0, "I", 0.1, 5, Incumbent(100, 90)))
    assert not seen
    progress(cell)
    progress(replace(cell, phase="II"))
    assert seen == [
        ("phase I: 1 of 2 cells | last: loss 100, bound 99, gap 1.00%", 0.5),
        (
            "phase I: 1 of 2 cells | phase II: 1 cells | last: loss 100, bound 99, "
            "gap 1.00%",
            0.5,
        ),
    ]
    progress(FitBegun(0.1, 5))
    assert seen[-1] == ("epsilon 0.1, complexity at most 5", None)


REGISTRIES = {
    "faircg.fairness.CRITERIA": ("fit", "frontier", "evaluate", "report"),
    "faircg.colgen.pricing.PRICERS": ("fit", "frontier"),
    "faircg.cuts.THRESHOLDS": ("fit", "frontier"),
    "faircg.mining.MINERS": ("fit", "frontier"),
    "faircg.export.FORMATS": ("export",),
    "faircg.export.DIALECTS": ("export",),
}


@pytest.mark.parametrize("registry", REGISTRIES)
def test_the_choices_of_an_option_are_those_of_its_registry(registry: str) -> None:
    """What is registered appears in the help by itself, and is taken."""
    module, name = registry.rsplit(".", 1)
    for command in REGISTRIES[registry]:
        code = (
            f"import sys, {module} as home; "
            f"home.{name} = {{**home.{name}, 'newest': None}}; "
            "from faircg.cli import main; "
            f"sys.argv = ['faircg', {command!r}, '--help']; main()"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        known = vars(importlib.import_module(module))[name]
        for entry in (*known, "newest"):
            assert re.search(rf"[<\[|]{entry}[|>\]]", done.stdout), entry


def test_the_help_of_everything_loads_nothing_heavy() -> None:
    """``faircg --help`` answers before NumPy could be loaded."""
    code = (
        "import sys; from faircg.cli import app; sys.argv = ['faircg', '--help']\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'scipy', 'highspy', 'rich'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Learn a rule set" in done.stdout


def test_a_command_ends_without_a_word_about_leaks(people: Path) -> None:
    """Skipping the last collection of garbage made DuckDB 2.0 report "leaks"."""
    code = (
        "import sys; from faircg.cli import main\n"
        f"sys.argv = ['faircg', 'fit', {str(people)!r}, '--target', 'hired',"
        f" '--max-complexity', '4', '-o', {str(people.parent / 'm.json')!r}]\n"
        "kept = []\n"  # an object of the kernel in a cycle
        "from faircg._kernel import StopFlag\n"
        "kept += [kept, StopFlag()]\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "leak" not in done.stderr


def test_a_limit_of_one_is_no_limit(
    people: Path, faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """Nobody is told that a constraint is satisfied where none could be missed."""
    loose = [1 if argument == 0.1 else argument for argument in FIT]
    done = faircg("fit", people, *loose, "-o", "m.json")
    assert done.code == 0, done.err
    assert "epsilon 1 allows every difference" in done.words
    assert "satisf" not in done.out
    groups = ("--target", "hired", "--sensitive", "town")
    done = faircg("evaluate", "m.json", people, *groups, "--check")
    assert (done.code, "nothing to check" in done.err) == (3, True)
    done = faircg("report", "m.json", people, *groups, "-o", "r.html")
    assert done.code == 0, done.err
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "Satisfies the constraint" not in page.split("<h2", 2)[1]
    assert "allows every difference, so nothing was asked" in page


def test_every_held_out_table_is_shown_or_refused(
    people: Path, model: Path, faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """A second --test was dropped without a word; validation had no place."""
    groups = ("--target", "hired", "--sensitive", "town")
    args = ("report", model, people, *groups, "-o", "r.html")
    done = faircg(*args, "--validation", people, "--test", people)
    assert done.code == 0, done.err
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "Train, validation, test side by side" in page
    done = faircg(*args, "--test", people, "--test", people)
    assert (done.code, "--test was given 2 times" in done.err) == (1, True)
    grid = ("--epsilon", 0.1, "--max-complexity", 4, "--max-conditions", 2)
    search = ("frontier", people, *groups, "--positive", "yes", *grid, "--folds", 2)
    done = faircg(*search, "--test", people, "-q")
    assert (done.code, "give it -o" in done.err) == (1, True)
    card = ("--owner", "Credit risk", "--intended-use", "a first look")
    done = faircg(*search, "--test", people, "-o", "f.html", *card)
    assert done.code == 0, done.err
    page = (tmp_path / "f.html").read_text("utf-8")
    assert "Train, test side by side" in page
    assert "Credit risk" in page
    assert "a first look" in page
    assert "no cell was cut short" in page


def test_a_check_of_one_group_does_not_pass(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Nobody to compare with is no evidence."""
    frame = pd.read_csv(people)
    frame[frame["town"] == "A"].to_csv(people.parent / "a.csv", index=False)
    groups = ("--target", "hired", "--sensitive", "town")
    done = faircg("evaluate", model, "a.csv", *groups, "--check")
    assert (done.code, "cannot be told" in done.err) == (3, True)
    frame[frame["town"] != "C"].to_csv(people.parent / "ab.csv", index=False)
    done = faircg("evaluate", model, "ab.csv", *groups, "--check")
    assert done.code == 3
    assert "The group C of the training data has nobody" in done.words


def test_tab_offers_data_sets_tables_and_directories(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever presses Tab sees what a command can read."""
    monkeypatch.chdir(people.parent)
    (people.parent / "notes.md").touch()
    (people.parent / "more").mkdir()
    (people.parent / "more" / "a.parquet").touch()
    assert complete_data("") == ["adult", "compas", "default", "more/", people.name]
    assert complete_data("co") == ["compas"]
    assert complete_data("more/") == ["more/a.parquet"]
    assert complete_data("./mo") == ["./more/"]
    assert complete_data("/nowhere/x") == []
    shell = {"_FAIRCG_COMPLETE": "complete_bash", "COMP_WORDS": "faircg fit com"}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "faircg")],
        env={**os.environ, **shell, "COMP_CWORD": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["compas"]
