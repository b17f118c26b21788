"""The file: inert whatever the names, complete, the same every time, and small."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser

import pandas as pd
import pytest

from faircg.datasets import load_adult
from faircg.model import Feature, RuleSetModel
from faircg.printable import number, shown
from faircg.report import About, render_report, report_of_model
from faircg.report.rendering import safe_json
from faircg.report.words import points_of
from faircg.rules import Condition, Rule, RuleSet

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "{{ 7 * 7 }}{% raw %}",
    "</style></title></textarea><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "&lt;b&gt;&amp;#60;",
    "a\u2028b\u2029c\u202ed\x00e\x1b[31m",
    "naïve 汉字 🙂 עברית",
    "x" * 10_000,
    " ",
    "",
]
VOID = {"meta", "input", "path", "circle", "polyline"}


class Structure(HTMLParser):
    """All elements with the names of their attributes, and all text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.text = []
        self.open = []
        self.scripts = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(sorted(name for name, _ in attrs))))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src"):
                assert re.fullmatch(r"#[a-z0-9-]+", value), value

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data[:40]}")


def parse(page):
    structure = Structure()
    structure.feed(page)
    structure.close()
    assert structure.open == []
    return structure


def report_named(text, other="other"):
    """Make a report in which every name and value that a user gives is this text."""
    text = text or "(empty)"
    label, group, name, value = (f"{text}{k}" for k in range(4))
    rules = RuleSet((Rule((Condition(name, "=", value),)),), label)
    model = RuleSetModel(
        rules, (Feature(name, "category", (value, other)),), (other, label)
    )
    table = pd.DataFrame({name: [value, other, value, "unseen"], other: [1, 2, 3, 4]})
    about = About(
        **dict.fromkeys(
            (
                "title",
                "data_name",
                "data_description",
                "target",
                "date",
                "owner",
                "intended_use",
                "out_of_scope",
                "positive",
                "negative",
            ),
            text,
        ),
        sensitive=(text,),
        excluded=(text,),
        settings={text: text},
    )
    return report_of_model(
        model,
        table,
        [label, other, other, label],
        sensitive_features=[group, group, other, other],
        part=text,
        about=about,
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_names_and_values_stay_inert(text):
    """Whatever a column is called, the elements and attributes are the same.

    A text with a NUL is refused before (tests/test_told_apart.py).
    """
    harmless = parse(render_report(report_named("harmless")))
    hostile = parse(render_report(report_named(text.replace("\0", ""))))
    assert Counter(hostile.elements) == Counter(harmless.elements)
    assert hostile.scripts[1] == harmless.scripts[1]
    json.loads(hostile.scripts[0])


def test_every_text_arrives_as_it_was_written():
    """Escaping loses nothing: what a person reads is the name itself."""
    text = "</script> & \"quotes\" 'n' <b>"
    assert text in "".join(parse(render_report(report_named(text))).text)


def test_the_structure_is_well_formed(page):
    """Each element is closed where it was opened; ids are unique; no remote asset."""
    structure = parse(page)
    names = Counter(tag for tag, _ in structure.elements)
    assert names["script"] == 2
    assert names["style"] == 1
    for tag in ("img", "link", "iframe", "object", "embed", "base", "font"):
        assert names[tag] == 0
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert not re.search(r"https?://", page)
    assert not [attrs for _, attrs in structure.elements if "style" in attrs]
    for target in re.findall(r'href="#([^"]+)"', page):
        assert target in ids


def test_tables_have_captions_and_headers(page):
    """A screen reader can say what a table is and what a cell belongs to."""
    tables = re.findall(r"<table.*?</table>", page, re.S)
    assert tables
    for table in tables:
        assert "<caption>" in table
        assert 'scope="col"' in table
        assert 'scope="row"' in table


def test_the_policy_allows_our_script_and_style_only(page):
    """By hash; nothing else may run or be loaded."""
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    policy = policy.replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind, element in (
        ("script", r"<script>(.*?)</script>"),
        ("style", r"<style>(.*?)</style>"),
    ):
        (content,) = re.findall(element, page, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_json_cannot_leave_its_element():
    """No tag, no comment, no line separator; and it reads back unchanged."""
    values = [*HOSTILE, {"a": "<!--", "b": [1, None, "\u2028"]}]
    text = safe_json(values)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == values


def test_the_same_report_gives_the_same_bytes(report, page):
    """Within a process, and in another with other hashes and another time zone."""
    assert render_report(report) == page
    code = (
        "import hashlib, pandas as pd;"
        "from faircg import Condition, Rule, RuleSet, RuleSetModel;"
        "from faircg.model import Feature;"
        "from faircg.report import render_report, report_of_model;"
        "m = RuleSetModel(RuleSet((Rule((Condition('a', '=', 'x'),)),)),"
        "(Feature('a', 'category', ('x', 'y')),), (0, 1));"
        "t = pd.DataFrame({'a': list('xyxy') * 9});"
        "r = report_of_model(m, t, [0, 1] * 18, sensitive_features=list('ghij') * 9);"
        "print(hashlib.sha256(render_report(r).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "TZ": zone, "PATH": ""},
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(digests) == 1


def test_the_words_are_careful(page):
    """We say what was counted, on which data; never that rules are fair."""
    text = " ".join("".join(parse(page).text).split())
    assert "Satisfies the constraint on this data" in text
    assert "Does not satisfy the constraint on this data" in text
    assert not re.search(r"\b(is|are) fair\b|debias|bias-free|unbiased", text, re.I)
    assert "The rules do not test race, which defines the groups." in text
    assert "The rules test" not in text.split("Choices")[0]


def test_all_numbers_of_the_headline_are_there(report, page):
    """Accuracy with its counts, the gap beside epsilon, and what was proven."""
    main = report.points[1].main
    headline = page[page.index('id="summary"') : page.index('id="choices"')]
    counts = main.overall.counts
    assert f"{number(counts.true_positives + counts.true_negatives)} of" in headline
    assert points_of(main.widest.value, 0.2) in headline
    assert "of 20 points allowed" in headline
    assert "has a Hamming loss below 1,900 on the training data" in headline


def test_every_point_is_in_the_file_without_any_script(report, page):
    """Rules and counts of all points are plain HTML."""
    for k, result in enumerate(report.points):
        article = page[page.index(f'id="point-{k}"') :].split("</article>")[0]
        for group in result.main.groups:
            assert f">{number(group.counts.true_negatives)}<" in article
        assert article.count('class="sentence"') == len(result.point.model.rule_set)


def test_a_report_of_adult_is_small():
    """A file that can be sent by mail: 32,561 people, two parts, 200 rows."""
    adult = load_adult()
    features = (
        Feature("age", "numeric"),
        Feature("education", "category", tuple(sorted(set(adult.X["education"])))),
    )
    rules = tuple(
        Rule((Condition("age", ">", age), Condition("education", "!=", "HS-grad")))
        for age in range(20, 60, 5)
    )
    model = RuleSetModel(RuleSet(rules, ">50K"), features, (0, 1))
    report = report_of_model(
        model, adult.X, adult.y, sensitive_features=adult.sensitive_features
    )
    assert len(render_report(report).encode()) < 250_000


def test_without_jinja_the_error_names_the_extra(monkeypatch, report):
    """An optional part says how to install it."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'faircg\[report\]'"):
        render_report(report)


def test_counting_needs_no_jinja():
    """Importing the package is possible without the extra."""
    code = "import sys; sys.modules['jinja2'] = None; import faircg.report"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_gap_never_rounds_across_its_limit():
    """5.004 points must not read as the 5.00 that are allowed."""
    assert points_of(Fraction(5, 100), 0.05) == "5.00"
    assert points_of(Fraction(5004, 100_000), 0.05) == "5.004"
    assert points_of(Fraction(49_999, 1_000_000), 0.05) == "5.00"


def test_long_names_are_cut_and_say_so():
    """A name of ten thousand characters does not fill the page."""
    assert len(shown("x" * 10_000)) < 160
    assert shown("x" * 10_000).endswith("(10000 characters)")
    assert shown("\u202eabc") == "\\u202eabc"
