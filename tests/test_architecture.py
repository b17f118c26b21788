"""The shape of the house: who may import whom, and what is public."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import faircg

ROOT = Path(faircg.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in sorted(ROOT.rglob("*.py"))
}
LAYERS = [
    {
        "exceptions",
        "typing",
        "printable",
        "notebook",
        "unseen",
        "suspects",
        "written_numbers",
        "told_apart",
        "limits",
        "begun",
    },
    {"_kernel", "parsing", "whole_files", "amounts", "memory"},
    {"rules", "table", "fairness", "solver", "datasets", "cuts"},
    {"colgen", "features", "grouping", "model_parts"},
    {"plain_tree", "rule_scores", "reduction"},
    {"model_entries", "group_columns"},
    {"mining", "groups", "labels", "validation", "model", "policy"},
    {"grid", "evaluate", "labelled", "error_costs"},
    {"binarize", "counted", "explain", "export"},
    {"tables"},
    {"simplify"},
    {"question", "listening", "learned", "predicts"},
    {"sides"},
    {"classifier"},
    {"folds", "policy_price"},
    {"search"},
    {"plotting"},
    {"report"},
    {"cli"},
]
LAYER = {part: number for number, parts in enumerate(LAYERS) for part in parts}


def is_type_checking(node):
    """Whether the node is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def walk(node):
    """Every node outside of ``if TYPE_CHECKING`` blocks."""
    yield node
    for child in ast.iter_child_nodes(node):
        if is_type_checking(child):
            for branch in child.orelse:
                yield from walk(branch)
        else:
            yield from walk(child)


def imports(path):
    """Full names of the modules that a file imports when it runs."""
    for node in walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module


def package_of(module):
    return module.split(".")[0]


@pytest.mark.parametrize("module", [m for m in MODULES if m != "__init__"])
def test_imports_go_downwards_only(module):
    """A part knows only the parts below it, so each can be read on its own."""
    part = package_of(module)
    assert part in LAYER, f"{part} is in no layer"
    for name in imports(MODULES[module]):
        if not name.startswith("faircg"):
            continue
        if name == "faircg":
            assert part == "cli"
            continue
        target = name.split(".")[1]
        assert target == part or LAYER[target] < LAYER[part], f"{module} -> {name}"


@pytest.mark.parametrize(
    "module", [m for m in MODULES if package_of(m) in ("fairness", "colgen")]
)
def test_the_engine_knows_arrays_only(module):
    """Fairness and column generation know neither frames nor scikit-learn."""
    outside = {name.split(".")[0] for name in imports(MODULES[module])}
    assert not outside & {"pandas", "polars", "narwhals", "sklearn"}


def test_one_module_talks_to_the_solver():
    """Another solver would touch one file."""
    users = [
        module
        for module, path in MODULES.items()
        if any(name.split(".")[0] == "highspy" for name in imports(path))
    ]
    assert users == ["solver.highs"]


def test_pricers_do_not_know_fairness():
    """A pricer sees prices; the research code gave it the fairness module as well."""
    for module, path in MODULES.items():
        if module.startswith("colgen.pricing"):
            assert not any("fairness" in name for name in imports(path)), module


def test_only_the_commands_that_write_html_know_the_report():
    """To print a fit, the command line once loaded the report that it did not write."""
    users = [
        module
        for module, path in MODULES.items()
        if package_of(module) != "report"
        and any(name.startswith("faircg.report") for name in imports(path))
    ]
    assert users == ["cli.embedded", "cli.reports", "cli.searching", "cli.writing"]
    for module in users:
        top = ast.parse(MODULES[module].read_text(encoding="utf-8")).body
        names = [n.module for n in top if isinstance(n, ast.ImportFrom)]
        assert not [n for n in names if n.startswith("faircg.report")], module
    for module in ("cli.show", "cli.scoring"):
        assert any("faircg.evaluate" in n for n in imports(MODULES[module])), module


@pytest.mark.parametrize("module", [m for m in MODULES if m != "cli"])
def test_only_the_command_line_prints(module):
    """A library does not write to my terminal."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    calls = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not calls & {"print", "sys.stdout.write", "sys.stderr.write"}


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_evaluated(module):
    """Rules and models are data; no module evaluates text or unpickles."""
    path = MODULES[module]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not calls & {"eval", "exec", "compile", "__import__"}
    assert not {"pickle", "joblib", "marshal"} & set(imports(path))


def run(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_importing_faircg_is_cheap():
    """``import faircg`` alone loads neither scikit-learn nor pandas nor the solver."""
    run(
        "import sys, faircg; faircg.__version__; dir(faircg);"
        "heavy = {'sklearn', 'pandas', 'polars', 'scipy', 'highspy', 'fairlearn'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )


def test_the_rules_need_no_solver_and_no_scikit_learn():
    """Reading and applying rules loads neither."""
    run(
        "import sys; from faircg import Condition, Rule, RuleSet, RuleSetModel;"
        "assert not {'sklearn', 'highspy'} & set(sys.modules)"
    )


def test_public_names_are_listed_and_loaded_on_demand():
    """Every public name can be imported, and others are an error."""
    for name in faircg.__all__:
        assert getattr(faircg, name).__name__ == name
        assert name in dir(faircg)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        faircg.Nothing  # noqa: B018


def described(owner, prefix):
    """Public classes, functions, methods and properties, with their docstrings."""
    for name, value in vars(owner).items():
        if name.startswith("_"):
            continue
        value = getattr(value, "__func__", value)
        if inspect.isclass(value) or inspect.isfunction(value):
            if value.__module__.startswith("faircg"):
                yield f"{prefix}.{name}", value.__doc__
                if inspect.isclass(value) and value.__qualname__ == name:
                    yield from described(value, f"{prefix}.{name}")
        elif isinstance(value, property):
            yield f"{prefix}.{name}", value.__doc__


@pytest.mark.parametrize("module", [m for m in MODULES if m != "__main__"])
def test_everything_public_has_a_docstring(module):
    """Whatever I can call, ``help`` explains."""
    name = f"faircg.{module}".removesuffix(".__init__")
    loaded = importlib.import_module(name)
    assert loaded.__doc__, name
    undescribed = [name for name, text in described(loaded, name) if not text]
    # Scikit-learn writes the methods that request metadata, and describes them.
    assert not [n for n in undescribed if not n.rsplit(".")[-1].startswith("set_")]
