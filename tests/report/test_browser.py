"""The report in a real browser: choosing, searching, printing, on paper and phone."""

import base64
import json
import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
selenium = pytest.importorskip("selenium", reason="selenium is not installed")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.select import Select  # noqa: E402

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="Chromium and its driver are not installed (make test-browser does it)",
    ),
]


@contextmanager
def started():
    """Start a browser, and end it at the end."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
    ):
        options.add_argument(argument)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        driver.set_page_load_timeout(120)
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def chromium():
    with started() as driver:
        yield driver


@pytest.fixture(scope="module")
def address(tmp_path_factory, page):
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(page, encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def opened(chromium, address):
    """Open the report on a desktop; at the end the browser has no complaint."""
    chromium.get("about:blank")
    for kind in ("browser", "performance"):
        chromium.get_log(kind)
    with looked_at(chromium, 1280):
        chromium.get(address)
        yield chromium
    assert [entry["message"] for entry in chromium.get_log("browser")] == []
    events = [
        json.loads(entry["message"])["message"]
        for entry in chromium.get_log("performance")
    ]
    asked = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert asked == {address}


@contextmanager
def looked_at(driver, width, *, scheme="light", media=""):
    """Look at the page through a screen or on paper."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {
            "media": media,
            "features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        },
    )
    yield driver
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def visible(driver, selector):
    return [
        e for e in driver.find_elements("css selector", selector) if e.is_displayed()
    ]


def texts(driver, selector):
    """Read what is displayed of many elements in one go."""
    return driver.execute_script(
        """return Array.from(document.querySelectorAll(arguments[0]))
        .filter(e => e.getClientRects().length).map(e => e.textContent);""",
        selector,
    )


def mark(driver, point):
    (found,) = visible(driver, f'figure.current a.mark-link[data-point="{point}"]')
    return found


def shown_point(driver):
    """Which point the page shows, which must be the same everywhere."""
    (article,) = visible(driver, "article.point")
    (glance,) = visible(driver, ".glance")
    (row,) = driver.find_elements("css selector", "table.points tr.current")
    (link,) = visible(driver, "figure.current a.mark-link[aria-current]")
    points = {e.get_attribute("data-point") for e in (article, glance, row, link)}
    assert len(points) == 1
    return int(points.pop())


def test_the_chosen_point_is_shown_first(opened):
    """One rule set, its rules and its counts."""
    assert shown_point(opened) == 1
    assert len(visible(opened, "article.current .sentence")) == 1


def test_a_click_on_a_point_shows_its_rule_set(opened, report):
    """Rules, counts and individual decisions follow."""
    before = texts(opened, "#people-table .reason")
    mark(opened, 2).click()
    assert shown_point(opened) == 2
    sentences = [e.text for e in visible(opened, "article.point .sentence")]
    assert len(sentences) == 3
    assert "race is “Caucasian”" in " ".join(sentences)
    assert "Showing Point 3" in opened.find_element("id", "status").get_property(
        "textContent"
    )
    expected = [decision.reason for decision in report.shown.decisions[2]]
    after = texts(opened, "#people-table .reason")
    assert after == expected
    assert before == [decision.reason for decision in report.shown.decisions[1]]
    note = opened.find_element("id", "people-point").text
    assert note == "point 3, which was not chosen"
    visible(opened, ".notice a.pick")[0].click()
    assert shown_point(opened) == 1


def test_the_table_of_points_chooses_too(opened):
    """For whoever does not use the plot."""
    opened.find_element("css selector", 'table.points a[data-point="0"]').click()
    assert shown_point(opened) == 0
    assert visible(opened, "article.point .sentence") == []


def test_the_keyboard_reaches_every_point(opened):
    """Tab to a mark, arrows to the next, Enter and Space to choose."""
    body = opened.find_element("tag name", "body")
    body.send_keys(Keys.TAB)
    assert opened.switch_to.active_element.text == "Skip to the summary"
    for _ in range(40):
        active = opened.switch_to.active_element
        if "mark-link" in (active.get_attribute("class") or ""):
            break
        active.send_keys(Keys.TAB)
    first = opened.switch_to.active_element
    assert "mark-link" in first.get_attribute("class")
    first.send_keys(Keys.HOME)
    assert shown_point(opened) == 0
    opened.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert shown_point(opened) == 1
    opened.switch_to.active_element.send_keys(Keys.END)
    assert shown_point(opened) == 2
    ring = visible(opened, 'figure.current a.mark-link[data-point="2"] .ring')[0]
    assert ring.value_of_css_property("stroke-width") == "4px"
    opened.switch_to.active_element.send_keys(Keys.TAB)
    opened.find_element("css selector", 'table.points a[data-point="1"]').send_keys(
        Keys.ENTER
    )
    assert shown_point(opened) == 1


def test_the_measure_can_be_switched(opened):
    """By cross-validation, on train, or on test."""
    (figure,) = visible(opened, "figure.plot")
    assert figure.get_attribute("data-plot") == "0"
    opened.find_elements("css selector", "#measure input")[2].click()
    (figure,) = visible(opened, "figure.plot")
    assert figure.get_attribute("data-plot") == "2"
    assert "part “test”" in figure.text
    assert shown_point(opened) == 1


def test_rows_can_be_searched_and_filtered(opened, report):
    """By words, group, decision, and whether it is right."""
    people = report.shown
    pairs = list(zip(people.rows, people.decisions[1], strict=True))

    def rows():
        return texts(opened, "#people-table tbody th")

    Select(opened.find_element("id", "filter-group")).select_by_visible_text(
        "Caucasian"
    )
    assert rows() == [p.row for p, _ in pairs if p.group == "Caucasian"]
    Select(opened.find_element("id", "filter-right")).select_by_visible_text("wrong")
    expected = [
        p.row
        for p, d in pairs
        if p.group == "Caucasian" and p.is_positive != d.is_positive
    ]
    assert rows() == expected
    count = opened.find_element("id", "filter-count").text
    assert count == (
        f"Filtered: {len(expected)} of 200 rows (group Caucasian; decision is wrong)"
    )
    opened.find_element("id", "filter-text").send_keys("meets rule 1")
    assert rows() == [
        p.row
        for p, d in pairs
        if p.group == "Caucasian" and not p.is_positive and d.is_positive
    ]


def test_one_row_can_be_asked_for_by_its_number(opened, report):
    """Whoever complains has a row number, and 2 is not 26."""
    field = opened.find_element("id", "filter-text")
    row = report.shown.rows[1].row
    for text in (f"row {row}", f"#{row}"):
        field.clear()
        field.send_keys(text)
        assert texts(opened, "#people-table tbody th") == [str(row)]
    field.clear()
    field.send_keys(f"row {row}0000000")
    assert texts(opened, "#people-table tbody th") == []


def test_a_phone_needs_no_sideways_scrolling(opened):
    """At 360 pixels the page fits; wide tables scroll in their own box."""
    with looked_at(opened, 360):
        for point in (1, 2):
            opened.find_element(
                "css selector", f'table.points a[data-point="{point}"]'
            ).send_keys(Keys.ENTER)
            width = opened.execute_script("return document.documentElement.scrollWidth")
            assert width == 360
            outside = opened.execute_script(
                """return Array.from(document.querySelectorAll("main *")).filter(
                  e => !e.closest(".scroll, .visually-hidden, .skip, svg") &&
                       e.getBoundingClientRect().right > 360.5).map(e => e.outerHTML);
                """
            )
            assert outside == []


def colours(driver, selector):
    return driver.execute_script(
        """const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
        const found = new Map();
        for (const e of document.querySelectorAll(arguments[0])) {
          if (!e.getClientRects().length || !e.textContent.trim()) continue;
          if (e.matches("svg a")) continue;
          let ground = e;
          while (ground && rgb(getComputedStyle(ground).backgroundColor)[3] === 0)
            ground = ground.parentElement;
          const back = ground ? rgb(getComputedStyle(ground).backgroundColor) :
                                [255, 255, 255];
          const style = getComputedStyle(e);
          const ink = rgb(e.closest("svg") ? style.fill : style.color);
          const key = JSON.stringify([ink.slice(0, 3), back.slice(0, 3)]);
          if (!e.classList.contains("inside")) found.set(key, e.outerHTML.slice(0, 80));
        }
        return Array.from(found);""",
        selector,
    )


def contrast(first, second):
    """Return the contrast of two colours as WCAG 2 defines it."""

    def light(colour):
        channels = [
            c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
            for c in (value / 255 for value in colour)
        ]
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]

    bright, dark = sorted((light(first), light(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(opened, scheme):
    """AA everywhere: 4.5 to 1, by day and by night."""
    with looked_at(opened, 1280, scheme=scheme):
        mark(opened, 2).click()
        found = colours(
            opened, "h1,h2,h3,p,li,a,td,th,caption,dt,dd,span,label,summary,svg text"
        )
        assert len(found) > 5
        for key, where in found:
            assert contrast(*json.loads(key)) >= 4.5, (scheme, key, where)
        body = opened.find_element("tag name", "body")
        ground = body.value_of_css_property("background-color")
        channels = [float(c) for c in ground[ground.index("(") + 1 : -1].split(",")]
        assert (sum(channels[:3]) < 200) == (scheme == "dark")


def test_paper_shows_everything_and_no_controls(opened):
    """Details are open, boxes do not scroll, and all rule sets are listed."""
    with looked_at(opened, 800, media="print"):
        opened.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        assert visible(opened, "nav, .control, input, select, .skip") == []
        details = opened.find_elements("css selector", "article.current details")
        assert details
        assert all(e.get_attribute("open") for e in details)
        assert len(visible(opened, ".glance")) == 3
        overflow = {
            e.value_of_css_property("overflow-x") for e in visible(opened, ".scroll")
        }
        assert overflow == {"visible"}
        opened.execute_script("window.dispatchEvent(new Event('afterprint'))")
        assert not any(e.get_attribute("open") for e in details)
    pdf = opened.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert base64.b64decode(pdf).startswith(b"%PDF")


def test_without_javascript_everything_is_still_there(opened, address):
    """All points are shown one after the other, without controls that do nothing."""
    opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.refresh()
        assert len(visible(opened, "article.point")) == 3
        assert len(visible(opened, "figure.plot")) == 3
        assert len(texts(opened, "#people-table tbody tr")) == 200
        assert visible(opened, ".control") == []
    finally:
        opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_an_injected_script_does_not_run(chromium, address, tmp_path, page):
    """The policy stops a script that is not ours, should one ever get in."""
    file = tmp_path / "tampered.html"
    tampered = page.replace("</main>", "<script>window.broken = 1</script></main>")
    file.write_text(tampered, encoding="utf-8")
    chromium.get(file.as_uri())
    assert chromium.execute_script("return window.broken") is None
    complaints = [entry["message"] for entry in chromium.get_log("browser")]
    assert any("Content Security Policy" in text for text in complaints)
