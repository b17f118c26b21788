"""The report's layout in a real browser: paper, phones, crowds and very long names."""

import base64
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from certificates import certificate
from faircg.model import Feature, RuleSetModel
from faircg.report import Part, Point, make_report, render_report, report_of_model
from faircg.report.contents import CrossValidated
from faircg.rules import Condition, Rule, RuleSet
from report.conftest import FEATURES, RULES
from report.test_browser import Keys, looked_at, pytestmark, started, texts, visible

__all__ = ["pytestmark"]

PAPER = 688
"""Pixels between the margins of A4."""
LONG = {kind: f"{kind} " + kind[0].upper() * 290 for kind in ("group", "label", "x")}
CROWD = [(0.60, 0.0), (0.66, 0.02), (0.661, 0.021), (0.661, 0.021), (0.69, 0.2)]
"""Accuracy and gap of five points, of which three are nearly in the same place."""


@pytest.fixture(scope="module")
def browser():
    with started() as driver:
        yield driver


@pytest.fixture(scope="module")
def crowd(tmp_path_factory, halves, about):
    """Write a report of five points, three of them nearly the same."""
    rules = [*RULES.values(), RULES["few"], RULES["few"]]
    models = [
        RuleSetModel(RuleSet(r, "1"), FEATURES, (0, 1), certificate()) for r in rules
    ]
    points = [
        Point(model, 0.05, 10, CrossValidated(y, 0.01, x, 3.0, 3))
        for model, (y, x) in zip(models, CROWD, strict=True)
    ]
    parts = [Part.read(name, *data, models=models) for name, data in halves.items()]
    report = make_report(points, parts, chosen=4, about=about)
    return write(tmp_path_factory, report)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Write a report in which all that a user names is 300 characters long."""
    draw = np.random.default_rng(3)
    groups = draw.choice(["a", "B'; drop table", LONG["group"]], 300)
    table = pd.DataFrame(
        {
            LONG["x"]: draw.choice([LONG["label"], "b"], 300),
            "other " * 50: draw.normal(size=300),
        }
    )
    rules = (
        Rule((Condition(LONG["x"], "=", LONG["label"]),)),
        Rule((Condition("other " * 50, ">", 0.5), Condition(LONG["x"], "=", "b"))),
    )
    features = (
        Feature(LONG["x"], "category", (LONG["label"], "b")),
        Feature("other " * 50, "numeric"),
    )
    labels = ("no", LONG["label"])
    model = RuleSetModel(
        RuleSet(rules, LONG["label"]),
        features,
        labels,
        certificate(constraint="equalized_odds", epsilon=0.2),
    )
    report = report_of_model(
        model, table, draw.choice(labels, 300), sensitive_features=groups
    )
    return write(tmp_path_factory, report)


def write(tmp_path_factory, report):
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(render_report(report), encoding="utf-8")
    return file.as_uri()


def settled(driver):
    """Wait until the page has measured its tables."""
    driver.execute_async_script(
        """const done = arguments[0];
        requestAnimationFrame(() => requestAnimationFrame(() =>
          requestAnimationFrame(() => done())));"""
    )


def pages(driver):
    """Print on A4, and return the text of each page."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed")
    printed = driver.execute_cdp_cmd(
        "Page.printToPDF",
        {"preferCSSPageSize": True, "paperWidth": 8.27, "paperHeight": 11.69},
    )
    run = subprocess.run(
        ["pdftotext", "-layout", "-", "-"],
        input=base64.b64decode(printed["data"]),
        capture_output=True,
        check=True,
    )
    return run.stdout.decode().removesuffix("\f").split("\f")


def sizes(driver, selector):
    """Measure the displayed elements, as width and height."""
    return driver.execute_script(
        """return Array.from(document.querySelectorAll(arguments[0]))
        .map(e => e.getBoundingClientRect()).filter(r => r.width)
        .map(r => [r.width, r.height]);""",
        selector,
    )


@pytest.mark.parametrize("width", [1280, 360])
def test_every_mark_answers_at_its_own_centre(browser, crowd, width):
    """Points that were measured alike can be told apart, and hit with a finger."""
    with looked_at(browser, width):
        browser.get(crowd)
        hits = browser.execute_script(
            """document.querySelector("figure.current").scrollIntoView();
            return Array.from(document.querySelectorAll("figure.current .ring"), e => {
              const box = e.getBoundingClientRect(), r = 0.45 * box.width;
              const x = box.x + box.width / 2, y = box.y + box.height / 2;
              const at = [[0, 0], [r, 0], [-r, 0], [0, r], [0, -r]].map(([dx, dy]) =>
                document.elementFromPoint(x + dx, y + dy)?.closest("a")?.dataset.point);
              return [e.closest("a").dataset.point, at, box.width];
            });"""
        )
        assert len(hits) == len(CROWD)
        for point, found, across in hits:
            assert found == [point] * 5
            assert across >= 24
        browser.find_elements("css selector", "figure.current .mark-link")[2].click()
        (title,) = texts(browser, "article.point h2")
        assert title == "Point 3: rules and groups"


def test_fingers_find_every_control(browser, crowd):
    """At least 24 pixels each way, as WCAG 2.2 asks."""
    with looked_at(browser, 360):
        browser.get(crowd)
        for selector in (
            "#measure input",
            "#measure label",
            "table.points a.pick",
            "a.more",
            "nav a",
            "summary",
            ".filters input",
            ".filters select",
        ):
            found = sizes(browser, selector)
            assert found
            assert min(min(size) for size in found) >= 24, selector


def test_text_in_plots_can_be_read_on_a_phone(browser, crowd):
    """Twelve pixels or nearly so, whatever the drawing is scaled by."""
    with looked_at(browser, 360):
        browser.get(crowd)
        found = browser.execute_script(
            """return Array.from(document.querySelectorAll(
              "svg text:not(.inside)")).filter(e => e.getClientRects().length)
              .map(e => [e.textContent, parseFloat(getComputedStyle(e).fontSize) *
                e.getScreenCTM().a, e.getBoundingClientRect().left,
                e.getBoundingClientRect().right]);"""
        )
        assert len(found) > 20
        for text, size, left, right in found:
            assert size > 11.5, text
            assert left >= 0, text
            assert right <= 360, text


def test_wide_tables_say_that_they_scroll_and_keep_their_first_column(browser, crowd):
    """Whoever reads a number at the far end still sees whose it is."""
    with looked_at(browser, 360):
        browser.get(crowd)
        settled(browser)
        found = browser.execute_script(
            """return Array.from(document.querySelectorAll(".scroll"))
            .filter(e => e.getClientRects().length).map(e => {
              const wide = e.scrollWidth > e.clientWidth + 1;
              const hint = getComputedStyle(e, "::before").content;
              e.scrollLeft = 120;
              const first = e.querySelector("tbody th").getBoundingClientRect();
              return [wide, hint.includes("Scroll sideways"),
                first.left - e.getBoundingClientRect().left, first.width];
            });"""
        )
        assert sum(wide for wide, *_ in found) >= 5
        for wide, hint, left, width in found:
            assert hint == wide
            assert left == pytest.approx(0, abs=1)
            assert width < 180
    with looked_at(browser, 1280):
        browser.get(crowd)
        settled(browser)
        assert visible(browser, ".scrolls") == []


def test_very_long_names_push_nothing_off_the_page(browser, hostile):
    """At 1280 no table scrolls; on a phone the widest stays within three screens."""
    with looked_at(browser, 1280):
        browser.get(hostile)
        settled(browser)
        assert visible(browser, ".scrolls") == []
    with looked_at(browser, 360):
        settled(browser)
        assert browser.execute_script("return document.body.scrollWidth") == 360
        assert max(width for width, _ in sizes(browser, "table")) < 1100


def test_very_long_names_fit_on_paper(browser, hostile):
    """Reason and values are printed, and no cell is cut at the margin."""
    with looked_at(browser, PAPER, media="print"):
        browser.get(hostile)
        browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        outside = browser.execute_script(
            """return Array.from(document.querySelectorAll("main *, svg text"))
            .filter(e => !e.closest(".visually-hidden") &&
              (e.getBoundingClientRect().right > arguments[0] + 1 ||
               (e.matches("td, th") && e.scrollWidth > e.clientWidth + 1)))
            .map(e => e.outerHTML.slice(0, 200));""",
            PAPER,
        )
        assert outside == []
        for selector in (".people td.reason", ".people td.values"):
            assert min(width for width, _ in sizes(browser, selector)) > 150


def test_paper_says_whose_decisions_are_listed_and_how_many(browser, crowd):
    """A point that was not chosen and a filter leave a trace without controls."""
    with looked_at(browser, 1280):
        browser.get(crowd)
        browser.find_element(
            "css selector", 'table.points a[data-point="1"]'
        ).send_keys(Keys.ENTER)
        browser.find_element("id", "filter-text").send_keys("Caucasian")
    with looked_at(browser, PAPER, media="print"):
        rows = len(texts(browser, "#people-table tbody tr"))
        assert 0 < rows < 200
        assert texts(browser, "#people-point") == ["point 2, which was not chosen"]
        expected = f"Filtered: {rows} of 200 rows (with “Caucasian”)"
        assert texts(browser, "#filter-count") == [expected]
        assert expected in " ".join(" ".join(pages(browser)).split())


def test_what_is_secondary_is_not_larger_on_paper(browser, crowd):
    """Counts beside rates, notes beside text."""
    with looked_at(browser, PAPER, media="print"):
        browser.get(crowd)
        found = browser.execute_script(
            """const size = (selector) => Array.from(
              document.querySelectorAll(selector)).filter(
              e => e.getClientRects().length).map(
              e => parseFloat(getComputedStyle(e).fontSize));
            return Object.fromEntries(["body", "td .rate", "td .count", "td .interval",
              ".quiet", ".note", "figcaption", "dd"].map(s => [s, size(s)]));"""
        )
        (body,) = found["body"]
        assert body == pytest.approx(9.5 * 96 / 72, abs=0.1)
        for name in ("td .count", "td .interval"):
            assert max(found[name]) < min(found["td .rate"])
        for name in (".quiet", ".note", "figcaption", "dd", "td .rate"):
            assert max(found[name]) <= body


def test_paper_is_filled_and_tables_stay_whole(browser, crowd):
    """No row is alone on a page, no page is nearly empty, and pages are numbered."""
    with looked_at(browser, 1280):
        browser.get(crowd)
        browser.find_element("css selector", ".glance.current a.more").click()
        found = pages(browser)
    assert len(found) > 5
    for number, page in enumerate(found, 1):
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        assert lines[-1] == f"{number} / {len(found)}"
        assert len(lines) > (30 if number < len(found) else 4)
        assert not lines[0].startswith("everybody")
    table = [
        number
        for number, page in enumerate(found)
        for _ in re.findall(r"^ *Point \d (?:.*%.*){3}$", page, re.MULTILINE)
    ]
    assert len(table) == len(CROWD)
    assert len(set(table)) == 1


def test_focus_is_not_printed(browser, crowd):
    """The article that a link led to has a ring on a screen only."""
    with looked_at(browser, 1280):
        browser.get(crowd)
        browser.find_element("css selector", ".glance.current a.more").send_keys(
            Keys.ENTER
        )
        article = browser.switch_to.active_element
        assert article.get_attribute("id") == "point-4"
        assert article.value_of_css_property("outline-style") == "solid"
    with looked_at(browser, PAPER, media="print"):
        assert article.value_of_css_property("outline-style") == "none"


def test_sections_say_that_they_are_about_the_chosen_point(browser, crowd, hostile):
    """Whatever point is looked at; where there is one point there is nothing to say."""
    browser.get(crowd)
    of = "of the chosen point (Point 5)"
    assert texts(browser, "h2 .whose") == [of] * 3
    for section in ("summary", "asked", "card"):
        (title,) = texts(browser, f"#{section}-title")
        assert title.endswith(of)
    (note,) = texts(browser, "#data > p.quiet")
    assert "chosen point (Point 5)" in " ".join(note.split())
    browser.get(hostile)
    assert texts(browser, "h2 .whose") == []
    assert texts(browser, "#data > p.quiet") == []


def test_without_scripts_nothing_is_blank_and_no_advice_is_idle(browser, crowd):
    """Plots and rule sets use the whole width; keys that do nothing are not named."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        with looked_at(browser, 1280):
            browser.get(crowd)
            shown = browser.find_element("id", "choices").text
            assert "arrow keys" not in shown
            assert len(visible(browser, "#people-point, #filter-count")) == 2
            plots, glances = (
                browser.find_element("css selector", s).rect
                for s in (".plots", ".glances")
            )
            assert glances["y"] > plots["y"] + plots["height"] - 1
            assert glances["width"] > 1000
            columns = {e.rect["x"] for e in visible(browser, ".glance")}
            assert len(columns) >= 2
    finally:
        browser.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )
