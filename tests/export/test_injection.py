"""Hostile names and values stay text: the output has the shape of a harmless one."""

import ast
import html
import re
import subprocess
from functools import cache
from shutil import which

import numpy as np
import onnx
import pyarrow as pa
import pytest
import sqlglot
from markdown_it import MarkdownIt

from certificates import certificate
from export.hostile import HOSTILE
from export.runners import python_function, run_duckdb, run_onnx, run_sqlite
from faircg.exceptions import ExportError
from faircg.export import DIALECTS, export_model
from faircg.fairness import GroupCounts
from faircg.features import NumericRange
from faircg.model import Asked, Feature, RuleSetModel
from faircg.printable import shown as printed
from faircg.rules import Condition, Rule, RuleSet
from faircg.table import read_table

NUMBER = "number of things"


def model_of(text):
    """Return a model with a text in every place that can hold one."""
    # Of different lengths and one feature each: sorting by name changes no shape.
    number = [(">", 0.5), ("<=", 7), ("is present", None)]
    rules = (
        Rule((Condition(text, "=", text),)),
        Rule((Condition(text, "!=", text), Condition(text, "!=", f"{text}!"))),
        Rule(tuple(Condition(NUMBER, *test) for test in number)),
    )
    return RuleSetModel(
        RuleSet(rules, label=text),
        (Feature(text, "category", (text, f"{text}!")), Feature(NUMBER, "numeric")),
        (f"not {text}", text),
        certificate=certificate(constraint=text, data=text),
        groups={text: GroupCounts(1, 2, 0, 0)},
        ranges={NUMBER: NumericRange(0.0, 9.0, whole=False)},
        asked=Asked(exclude=(text,), thresholds=text),
    )


HARMLESS = "harmless"


@cache
def export_harmless(name, dialect="duckdb"):
    """Return what the output should look like."""
    return export_model(model_of(HARMLESS), name, dialect=dialect, table=HARMLESS)


def rows_of(text):
    """Return rows that meet each rule and none."""
    column = [text, text, f"{text}!", None, "unseen", text[::-1] or "x"]
    return {text: column, NUMBER: [1.0, None, 8.0, 0.5, None, 0.0]}


def predictions(text):
    """Return what the model says; pandas cannot hold all of these names."""
    rows = rows_of(text)
    array = np.array([*zip(*rows.values(), strict=True)], dtype=object)
    return model_of(text).predict(read_table(array, names=list(rows))).tolist()


def arrow_of(text):
    types = (pa.string(), pa.float64())
    rows = rows_of(text)
    arrays = [pa.array(v, type=t) for v, t in zip(rows.values(), types, strict=True)]
    return pa.Table.from_arrays(arrays, names=list(rows))


pytestmark = [
    pytest.mark.filterwarnings("ignore::faircg.exceptions.UnseenCategoryWarning"),
]
each_text = pytest.mark.parametrize(
    "text", HOSTILE, ids=[f"{k}-{t[:12]!a}" for k, t in enumerate(HOSTILE)]
)


def sql_refusal(text, dialect):
    """Return why a database cannot hold the text as a name, None if it can."""
    if "\0" in text:
        return "the character NUL"
    if re.search("[\ud800-\udfff]", text):
        return "half a surrogate pair"
    if not text and dialect != "sqlite":
        return f"{dialect} has no columns or tables without a name"
    limits = {"bigquery": 300, "databricks": 255, "mysql": 64, "oracle": 128}
    limits |= {"postgres": 63, "snowflake": 255, "tsql": 128}
    if len(text) > limits.get(dialect, 10**9):
        return "has names of at most"
    forbidden = {"bigquery": '!"$()*,./;?@[\\]^`{}~\n', "clickhouse": "\\"}
    if set(text) & set(forbidden.get(dialect, '"' if dialect == "oracle" else "")):
        return f"{dialect} has no names with"
    if dialect == "mysql" and (text.endswith(" ") or max(text) > "\uffff"):
        return "end in a space or hold characters beyond"
    return None


def sql_types(text, dialect):
    """Return the types of all nodes of all statements."""
    return [
        type(node)
        for statement in sqlglot.parse(text, read=dialect)
        for node in statement.dfs()
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
@each_text
def test_sql_keeps_its_shape(text, dialect):
    """One statement, of the same nodes as a harmless one, with my names in it."""
    refusal = sql_refusal(text, dialect)
    model = model_of(text)
    if refusal is not None:
        with pytest.raises(ExportError, match=re.escape(refusal)):
            export_model(model, "sql", dialect=dialect)
        return
    written = export_model(model, "sql", dialect=dialect, table=text)
    harmless = export_harmless("sql", dialect)
    assert sql_types(written, dialect) == sql_types(harmless, dialect)
    [read] = sqlglot.parse(written, read=dialect)
    # T-SQL has a node of its own for tables whose names begin with #.
    names = {
        "#" * bool(node.args.get("temporary")) + node.name
        for node in read.find_all(sqlglot.exp.Identifier)
    }
    assert names == {text, NUMBER, "t", "prediction"}


ACCEPTED = [
    (run, text)
    for run in (run_duckdb, run_sqlite)
    for text in HOSTILE
    if sql_refusal(text, run.__name__.removeprefix("run_")) is None
]


@pytest.mark.parametrize(("run", "text"), ACCEPTED, ids=range(len(ACCEPTED)))
def test_databases_give_the_right_answers(run, text):
    """A table with a hostile name and hostile columns is only read."""
    assert run(model_of(text), arrow_of(text), text) == predictions(text)


def python_shape(source):
    """Return the syntax tree without the contents of its literals."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = type(node.value).__name__
    return ast.dump(tree)


@each_text
def test_python_keeps_its_shape(text):
    """The source is ASCII, has the tree of a harmless one, and decides rightly."""
    model = model_of(text)
    source = export_model(model, "python")
    assert source.isascii()
    assert "\0" not in source
    assert "\r" not in source
    assert python_shape(source) == python_shape(export_harmless("python"))
    if "\0" in text:
        with pytest.raises(ValueError, match="NUL character"):
            predictions(text)
        return
    predict = python_function(model)
    rows = [
        dict(zip(rows_of(text), values, strict=True))
        for values in zip(*rows_of(text).values(), strict=True)
    ]
    assert [predict(row) for row in rows] == predictions(text)


@each_text
def test_json_keeps_every_text(text):
    """The file can be written as UTF-8 and gives back the same model."""
    model = model_of(text)
    written = export_model(model, "json").encode("utf-8").decode("utf-8")
    assert RuleSetModel.from_json(written) == model


@each_text
def test_onnx_keeps_its_shape(text):
    """The graph has the nodes of a harmless one and decides rightly."""
    model = model_of(text)
    if not text or re.search("[\ud800-\udfff]", text):
        with pytest.raises(ExportError, match=r"needs a name|half a surrogate pair"):
            export_model(model, "onnx")
        return
    if "\0" in text:
        with pytest.raises(ExportError, match="holds a NUL"):
            export_model(model, "onnx")
        return
    graph, harmless = (
        onnx.load_from_string(written).graph
        for written in (export_model(model, "onnx"), export_harmless("onnx"))
    )
    assert [n.op_type for n in graph.node] == [n.op_type for n in harmless.node]
    assert [i.name for i in graph.input] == [text, NUMBER]
    columns = {text: "text", NUMBER: "number"}
    assert run_onnx(model, columns, rows_of(text))[0] == predictions(text)


def markdown_shape(source):
    """Return the types of all tokens, and the texts that people see."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(source)
    shape = [token.type for token in tokens]
    inline = [token for token in tokens if token.type == "inline"]
    shape += [child.type for token in inline for child in token.children]
    shown = ["".join(c.content for c in token.children) for token in inline]
    return shape, shown


@each_text
def test_markdown_keeps_its_shape(text):
    """Tables with the same cells as a harmless one; each shows just my text."""
    shape, shown = markdown_shape(export_model(model_of(text), "markdown"))
    harmless, _ = markdown_shape(export_harmless("markdown"))
    assert shape == harmless
    assert set(shape) >= {"table_open", "text"}
    assert not {"html_inline", "html_block", "link_open", "image"} & set(shape)
    rule_set = model_of(text).rule_set
    expected = {printed(text, None), *(printed(rule, None) for rule in rule_set)}
    assert expected <= set(shown)


LATEX_TEXT = re.compile(
    r"(?:\\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater"
    r"|textbar|textasciigrave)\{\}|\\symbol\{34\}|\\[{}$&#%_]|\{['\-,\[\]*!?=:;/@]\}"
    r"|[^\\{}$&#%_^~<>|\"`'\-,\[\]*!?=:;/@\n\r\x00-\x1f\ud800-\udfff])*"
)
LATEX_STACK = re.compile(r"\\shortstack\[r\]\{(.*)\}")
LATEX_LINE = re.compile(
    r"\\paragraph\{[\w ]+\}|\\noindent|\\hline|"
    r"\\(?:begin|end)\{tabular\}(?:\{[^\n]*\})?|"
)


def latex_shape(source):
    """Return what each line is: a command, a row of so many cells, or a sentence."""
    shape = []
    for line in source.split("\n"):
        if LATEX_LINE.fullmatch(line):
            shape.append(line)
            continue
        row = line.removesuffix(r" \\")
        cells = row.split(" & ")
        for cell in cells:
            stack = LATEX_STACK.fullmatch(cell)
            texts = stack.group(1).split(r" \\ ") if stack else [cell]
            assert all(map(LATEX_TEXT.fullmatch, texts)), line[:200]
        shape.append((len(cells), row != line))
    return shape


@each_text
def test_latex_keeps_its_shape(text):
    """Nothing but text between the commands of a harmless document."""
    source = export_model(model_of(text), "latex")
    assert latex_shape(source) == latex_shape(export_harmless("latex"))
    source.encode("utf-8")


@pytest.mark.skipif(not which("pdflatex"), reason="pdflatex is not installed")
def test_latex_compiles(tmp_path):
    """A real engine accepts every text that its standard fonts can show."""
    texts = [text for text in HOSTILE if text.isascii()]
    parts = [export_model(model_of(text), "latex") for text in texts]
    body = "\n\\clearpage\n".join(parts)
    page = f"\\documentclass{{article}}\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")
    assert (tmp_path / "page.pdf").stat().st_size > 1000


def test_documents_show_html_as_text():
    """Rendered to a page, a script in a name is no script."""
    source = export_model(model_of("<script>alert(1)</script>"), "markdown")
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    assert "<script" not in page
    assert "<script>alert(1)</script>" in html.unescape(page)
