"""Rendering: a report becomes one HTML file that needs nothing else.

Everything a user named passes through Jinja's escaping; scripts and styles are ours,
and the policy in the file allows exactly them, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from faircg.colgen.certificate import certificate_words, status_words
from faircg.policy import apart_words, direction_words
from faircg.printable import number, percent, plural, shown
from faircg.report import words
from faircg.report.plot import frontier_plots, interval_charts

if TYPE_CHECKING:
    from jinja2 import Environment

    from faircg.report.contents import Report

_POLICY: Final = (
    "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; "
    "form-action 'none'"
)


def render_report(report: Report) -> str:
    """Return the report as the text of one HTML file.

    The same report gives the same text: no clock and no chance is involved. The file
    needs no network and no other file, and works without JavaScript, apart from
    searching rows and switching between points.

    Examples
    --------
    >>> import pandas as pd
    >>> from faircg import RuleSet, RuleSetModel
    >>> from faircg.report import render_report, report_of_model
    >>> nobody = RuleSetModel(RuleSet((), label="risk"), (), ("safe", "risk"))
    >>> table = pd.DataFrame({"age": [31, 45]})
    >>> page = render_report(report_of_model(nobody, table, ["safe", "risk"]))
    >>> "It never predicts “risk”: everybody is “safe”." in page
    True
    """
    environment = _environment()
    from markupsafe import Markup

    style, script = _asset("report.css"), _asset("report.js")
    page: str = environment.get_template("report.html").render(
        report=report,
        about=report.about,
        chosen=report.points[report.chosen],
        names=_label_names(report),
        plots=frontier_plots(report),
        policy=_POLICY.format(script=_hash(script), style=_hash(style)),
        style=Markup(style),
        script=Markup(script),
        data=Markup(safe_json(_data(report))),
    )
    return page


def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "reports need Jinja: install it with pip install 'faircg[report]'"
        ) from error
    environment = Environment(
        loader=PackageLoader("faircg.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "shown": shown,
        "number": number,
        "percent": percent,
        "points": words.points_of,
    }
    environment.globals |= {
        "plural": plural,
        "apart_words": apart_words,
        "direction_words": direction_words,
        "verdict": words.verdict,
        "one_sided_words": words.one_sided_words,
        "gap_words": words.gap_words,
        "gap_value": words.gap_value,
        "gap_limit": words.gap_limit,
        "certificate_words": certificate_words,
        "status_words": status_words,
        "outcomes": words.outcomes,
        "what_it_does": words.what_it_does,
        "spelled": words.spelled,
        "value_words": words.value_words,
        "condition_words": words.condition_words,
        "criterion_words": words.criterion_words,
        "charts": interval_charts,
    }
    return environment


def _asset(name: str) -> str:
    return (files("faircg.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _label_names(report: Report) -> tuple[str, str]:
    """Return what the negative and the positive label are called in sentences."""
    negative, positive = report.points[0].point.model.labels
    about = report.about
    return (
        shown(about.negative) if about.negative else words.value_words(negative),
        shown(about.positive) if about.positive else words.value_words(positive),
    )


def _data(report: Report) -> dict[str, Any]:
    """Return what the script needs: decisions of all points, each reason once."""
    reasons: dict[str, int] = {}
    decisions = [
        [
            [int(d.is_positive), reasons.setdefault(d.reason, len(reasons))]
            for d in of_point
        ]
        for of_point in (report.shown.decisions if report.shown else ())
    ]
    return {
        "chosen": report.chosen,
        "reasons": list(reasons),
        "decisions": decisions if len(decisions) > 1 else [],
    }


def safe_json(value: object) -> str:
    r"""Return JSON that no HTML parser mistakes for markup.

    Examples
    --------
    >>> print(safe_json("</script><!-- \u2028 &"))
    "\u003c/script\u003e\u003c!-- \u2028 \u0026"
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
