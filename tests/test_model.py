import builtins
import json
import os
import pickle
import random
import stat
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from certificates import certificate
from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet, RuleSetModel
from faircg.datasets import load_compas
from faircg.exceptions import FairCGError, ModelFormatError, UnseenCategoryWarning
from faircg.explain import explain
from faircg.fairness import GroupCounts
from faircg.features import NumericRange
from faircg.model import LARGEST_FILE, Asked, Feature
from faircg.whole_files import write_text

RULES = RuleSet(
    (
        Rule((Condition("age", ">", 40.5), Condition("job", "=", "cook"))),
        Rule((Condition("member", "=", True), Condition("pay", "is missing"))),
    ),
    label="yes",
)
MODEL = RuleSetModel(
    RULES,
    (
        Feature("age", "numeric"),
        Feature("job", "category", ("cook", "nurse")),
        Feature("member", "boolean"),
        Feature("pay", "numeric"),
    ),
    ("no", "yes"),
    certificate=certificate(status="optimal", lp_value=1.5, constraint=None),
    groups={"a": GroupCounts(3, 1, 0, 2)},
    ranges={"age": NumericRange(18.0, 90.0, whole=True)},
    asked=Asked(("race",), "quantile", 10, 300.0, 0),
)
PEOPLE = pd.DataFrame(
    {
        "age": [50, 50, 30, np.nan],
        "job": ["cook", "nurse", "cook", None],
        "member": [False, False, True, True],
        "pay": [1.0, 2.0, 3.0, np.nan],
    }
)
DECISIONS = ["yes", "no", "no", "yes"]


def test_a_model_survives_its_file(tmp_path):
    """What I load predicts what I saved, and saving it again gives the same bytes."""
    path = tmp_path / "model.json"
    MODEL.save(path)
    again = RuleSetModel.load(path)
    assert again == MODEL
    assert again.predict(PEOPLE).tolist() == DECISIONS
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_a_fitted_classifier_survives_its_file(tmp_path):
    """The file of a fitted classifier gives its predictions on every person."""
    data = load_compas()
    clf = FairRuleSetClassifier(max_complexity=6, max_conditions=2, pricing="greedy")
    clf.fit(data.X, data.y)
    clf.model_.save(tmp_path / "compas.json")
    model = RuleSetModel.load(str(tmp_path / "compas.json"))
    predictions = clf.predict(data.X)
    assert 0 < predictions.sum() < len(predictions)
    assert (model.predict(data.X) == predictions).all()
    assert model.predict(data.X).dtype.kind == predictions.dtype.kind
    assert str(model.rule_set) == str(clf.rule_set_)
    used = list(clf.rule_set_.features)
    assert (model.predict(data.X[used[::-1]]) == predictions).all()
    assert (model.predict(pl.from_pandas(data.X)) == predictions).all()
    assert model == clf.model_
    assert model.certificate == clf.certificate_
    assert model.groups == clf.fairness_.groups
    assert model.asked.exclude == ()


@pytest.mark.parametrize(
    "labels", [(0, 1), (False, True), ("no", "yes"), (-1.5, 2.0), (1, 0)]
)
def test_labels_keep_their_type(labels):
    """A model that predicts booleans predicts booleans after loading, too."""
    model = RuleSetModel(RULES, MODEL.features, labels)
    again = RuleSetModel.from_json(model.to_json())
    predictions = again.predict(PEOPLE)
    assert predictions.tolist() == [labels[1], labels[0], labels[0], labels[1]]
    assert predictions.dtype == np.array(labels).dtype


@pytest.mark.parametrize(
    "labels",
    [
        ("no", 1),
        (0, "yes"),
        (1, 2**63),
        (-(2**63) - 1, 0),
        (2**60, 0.5),
        (False, 2),
        ("no", "yes\0"),
        ("no", "\0"),
        (None, "yes"),
    ],
)
def test_labels_are_predicted_exactly(labels):
    """NumPy made text of numbers, floats of large ones, and dropped a final NUL."""
    predictions = RuleSetModel(RULES, MODEL.features, labels).predict(PEOPLE)
    expected = [labels[1], labels[0], labels[0], labels[1]]
    assert predictions.tolist() == expected
    assert [*map(type, predictions.tolist())] == [*map(type, expected)]


def test_two_numbers_are_floats_together():
    """A whole and a broken number fit one column of numbers, as databases have it."""
    predictions = RuleSetModel(RULES, MODEL.features, (2, 0.5)).predict(PEOPLE)
    assert predictions.dtype == float
    assert predictions.tolist() == [0.5, 2, 2, 0.5]


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (MODEL.features[1:], "undeclared feature 'age'"),
        ((*MODEL.features, Feature("age", "numeric")), "declared twice"),
        (
            (Feature("age", "category"), *MODEL.features[1:]),
            "'age > 40.5' does not fit a category feature",
        ),
        (
            (Feature("age", "date"), *MODEL.features[1:]),  # type: ignore[arg-type]
            "'age' has the unknown kind 'date'",
        ),
    ],
    ids=["undeclared", "twice", "kind", "unknown kind"],
)
def test_a_model_put_together_wrongly_is_refused_at_once(features, message):
    """It used to fail later, at the first prediction or when its file was read."""
    with pytest.raises(ValueError, match=message) as caught:
        RuleSetModel(RULES, features, ("no", "yes"))
    assert not isinstance(caught.value, ModelFormatError)


def test_half_a_character_survives_its_file(tmp_path):
    """Saving a lone surrogate used to end in a bare UnicodeEncodeError."""
    name = "x\ud800"
    model = RuleSetModel(
        RuleSet((Rule((Condition(name, "=", "\udfff"),)),)),
        (Feature(name, "category", ("\udfff", "\udc00\ud800")),),
        ("no", "yes"),
    )
    model.save(tmp_path / "model.json")
    assert RuleSetModel.load(tmp_path / "model.json") == model
    whole = RuleSetModel(RuleSet(()), (), ("no", "\N{GRINNING FACE}"))
    assert RuleSetModel.from_json(whole.to_json()) == whole
    halves = RuleSetModel(RuleSet(()), (), ("no", "\ud83d\ude00"))
    with pytest.raises(ValueError, match="two halves of a character"):
        halves.save(tmp_path / "halves.json")
    assert not (tmp_path / "halves.json").exists()


def test_the_file_is_json_that_people_can_read():
    """Names keep their letters, and the file tells its format and version."""
    model = RuleSetModel(
        RuleSet((Rule((Condition("größe", ">", 1),)),)),
        (Feature("größe", "numeric"),),
        (0, 1),
        certificate=certificate(lp_value=None),
    )
    text = model.to_json()
    assert "größe" in text
    data = json.loads(text)
    assert (data["format"], data["version"]) == ("faircg-model", 2)
    assert data["certificate"]["lp_value"] is None
    infinite = replace(model, certificate=certificate(lower_bound=float("-inf")))
    with pytest.raises(ValueError, match="not JSON compliant"):
        infinite.to_json()


def test_an_unseen_category_is_said():
    """A job that training never saw gives a warning with count and example."""
    people = PEOPLE.assign(job=["pilot", "pilot", "cook", None])
    message = r"'job': 2 rows hold categories never seen .*'pilot'"
    with pytest.warns(UnseenCategoryWarning, match=message):
        predictions = MODEL.predict(people)
    assert predictions.tolist() == ["no", "no", "no", "yes"]
    with pytest.raises(ValueError, match=message):
        MODEL.predict(people, strict=True)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """When the disk fails in the middle, my old model is still there, whole."""
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "umask", fail)
    with pytest.raises(OSError, match="disk full"):
        MODEL.save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_text_that_cannot_be_encoded_leaves_the_old_file(tmp_path):
    """Half a character writes nothing."""
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_writing_into_a_missing_directory_says_so(tmp_path):
    """A wrong path is an error that names it."""
    with pytest.raises(FileNotFoundError, match="nowhere"):
        MODEL.save(tmp_path / "nowhere" / "model.json")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_the_file_has_ordinary_permissions(tmp_path):
    """Colleagues can read the file as they could any other that I write."""
    MODEL.save(tmp_path / "model.json")
    (tmp_path / "other").write_text("", encoding="utf-8")
    mode, usual = (
        stat.S_IMODE((tmp_path / name).stat().st_mode)
        for name in ("model.json", "other")
    )
    assert mode == usual


def changed(**entries):
    """Return the file of the model with some entries replaced."""
    return json.dumps({**MODEL.to_dict(), **entries})


def within(part, key, value):
    """Return the file of the model with one entry of a part replaced."""
    return changed(**{part: {**MODEL.to_dict()[part], key: value}})


def with_condition(feature, operator, value):
    rule = {"feature": feature, "operator": operator, "value": value}
    return changed(rule_set={"label": "yes", "rules": [[rule]]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a faircg model"),
        ("garbage", "not a faircg model"),
        ("[]", "no 'format'"),
        ("{}", "no 'format'"),
        ("[" * 100_000, "not a faircg model"),
        ('{"a":' * 100_000, "not a faircg model"),
        (changed(format="pickle"), "no 'format'"),
        (changed(version=3), "version 3; this faircg reads versions 1 and 2"),
        (changed(version="1"), "version '1'"),
        (changed(version=True), "version True"),
        (changed(version=None), "version None"),
        (changed(labels=[0]), "two different labels"),
        (changed(labels=[0, 0]), "two different labels"),
        (changed(labels=[0, [1]]), "two different labels"),
        (changed(labels=[0, float("nan")]), "NaN is not a number"),
        (changed(rule_set=None), "a rule set must have exactly the keys"),
        (changed(features=None), "features must be a list"),
        (changed(features=["age"]), "name, kind and categories"),
        (changed(features=[]), "undeclared feature 'age'"),
        (
            changed(features=[{"name": "age", "kind": "date", "categories": []}]),
            "unknown kind of feature: 'date'",
        ),
        (
            changed(features=[{"name": "age", "kind": "numeric", "categories": [[]]}]),
            "categories must be plain values",
        ),
        (
            changed(features=MODEL.to_dict()["features"] * 2),
            "a feature is declared twice",
        ),
        (changed(certificate=[]), "a certificate must have exactly the keys"),
        (changed(certificate={}), "a certificate must have exactly the keys"),
        (within("certificate", "gap", "none"), "gap of a certificate cannot be 'none'"),
        (within("certificate", "gap", True), "gap of a certificate cannot be True"),
        (within("certificate", "gap", 10**400), "gap of a cert.* be such a int"),
        (within("certificate", "status", "fair"), "status of a certificate cannot be"),
        (
            within("certificate", "max_conditions", -1),
            "max_conditions of a certificate",
        ),
        (changed(groups=3), "groups must be an object"),
        (changed(groups={"a": 3}), "the counts of a group must have exactly the keys"),
        (
            changed(groups={"a": asdict(GroupCounts(2**53, 0, 0, 0))}),
            "more people than can be counted exactly",
        ),
        (changed(ranges=None), "ranges must be an object"),
        (changed(ranges={"age": 3}), "a range must have exactly the keys"),
        (
            changed(ranges={"age": {"low": 2, "high": 1, "whole": True}}),
            r"a range: a range cannot go from 2\.0 to 1\.0",
        ),
        (
            changed(ranges={"job": {"low": 1, "high": 2, "whole": True}}),
            "a range of 'job', which is no numeric feature",
        ),
        (changed(asked=None), "what was asked must have exactly the keys"),
        (within("asked", "exclude", "race"), "exclude of what was asked cannot be"),
        (within("asked", "time_limit", "long"), "time_limit of what was asked cannot"),
        (with_condition("job", "<=", 3), "'job <= 3' does not fit a category feature"),
        (with_condition("age", "=", "x"), "'age = x' does not fit a numeric feature"),
        (with_condition("age", ">", 10**400), "finite number"),
        (with_condition("nobody", ">", 1), "undeclared feature 'nobody'"),
        (changed().replace("40.5", "1e999"), "finite number"),
        (changed().replace("40.5", "Infinity"), "Infinity is not a number"),
        (changed().replace("40.5", "9" * 5_000), "not a faircg model"),
        (changed()[:-1] + ', "version": 1}', "a key is repeated"),
        (changed(labels=[0, 3.25]).replace("3.25", "1e999"), "1e999 is not a finite"),
        (changed().replace('"nurse"', "-1e999"), "-1e999 is not a finite"),
        (changed().replace("1.5", "1e999"), "1e999 is not a finite"),
    ],
    ids=range(50),
)
def test_what_is_no_model_is_refused(text, message):
    """A wrong, newer or damaged file gives one clear sentence."""
    with pytest.raises(ModelFormatError, match=message) as caught:
        RuleSetModel.from_json(text)
    assert isinstance(caught.value, FairCGError)


def older(**entries):
    """Return the model as a file of version 1, with some entries replaced."""
    data = {**MODEL.to_dict(), "version": 1}
    del data["ranges"]
    return json.dumps({**data, **entries})


def test_a_file_of_version_1_has_no_ranges():
    """Everything else is there, in its type."""
    model = RuleSetModel.from_json(older())
    assert model == replace(MODEL, ranges={})
    assert json.loads(model.to_json())["version"] == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"lower_bound": "<b>0</b>"},
        {"max_conditions": 2.5},
        {"objective": None},
        {"constraint": 7},
        {"proven_optimal": "yes"},
        {"extra": 1},
    ],
    ids=str,
)
def test_a_strange_certificate_of_version_1_is_no_certificate(changes):
    """What is shown as a proof has the form of one; version 1 took anything."""
    entries = {**MODEL.to_dict()["certificate"], **changes}
    model = RuleSetModel.from_json(older(certificate=entries))
    assert model == replace(MODEL, ranges={}, certificate=None)
    with pytest.raises(ModelFormatError, match="certificate"):
        RuleSetModel.from_json(changed(certificate=entries))


@pytest.mark.parametrize(
    "groups",
    [
        {"a": 3},
        {"a": {"true_positives": 1}},
        {"a": dict.fromkeys("abcd", 1)},
        {"a": asdict(GroupCounts(1, 1, 1, -1))},
        {
            "b": asdict(GroupCounts(1, 1, 1, 1)),
            "a": asdict(GroupCounts(2**60, 1, 1, 1)),
        },
    ],
    ids=str,
)
def test_strange_counts_of_version_1_are_left_out(groups):
    """A file may hold anything."""
    assert RuleSetModel.from_json(older(groups=groups)).groups == {}
    with pytest.raises(ModelFormatError):
        RuleSetModel.from_json(changed(groups=groups))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, Asked()),
        ({"exclude": "race", "time_limit": 9}, Asked(time_limit=9.0)),
        ({"exclude": ["race"], "random_state": True}, Asked(exclude=("race",))),
        ({"exclude": [1], "n_thresholds": -2, "other": 1}, Asked()),
    ],
    ids=str,
)
def test_strange_settings_of_version_1_are_left_out(asked, found):
    """What has another form is not recorded, and the rest is."""
    assert RuleSetModel.from_json(older(asked=asked)).asked == found
    without = {k: v for k, v in json.loads(older()).items() if k != "asked"}
    assert RuleSetModel.from_json(json.dumps(without)).asked == Asked()


def test_a_file_explains_as_the_estimator_does(tmp_path):
    """The same row cost 0.333 from the file and 0.125 from the estimator.

    The file did not know the ranges of the training data, so the cut point took their
    place; ``--train`` had to bring them back.
    """
    data = load_compas()
    clf = FairRuleSetClassifier(max_complexity=6, max_conditions=2, pricing="greedy")
    clf.fit(data.X, data.y)
    clf.model_.save(tmp_path / "model.json")
    model = RuleSetModel.load(tmp_path / "model.json")
    people = data.X[:200].assign(priors=data.X["priors"][:200].astype(float))
    by_estimator = clf.explain(people, direction="both").to_dicts()
    assert explain(model, people, direction="both").to_dicts() == by_estimator
    unknown = explain(replace(model, ranges={}), people, direction="both").to_dicts()
    assert unknown != by_estimator


def test_a_binary_file_is_refused(tmp_path):
    """A pickle or an image is no model."""
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(MODEL.labels, protocol=5))
    with pytest.raises(ModelFormatError, match="is not a text file"):
        RuleSetModel.load(path)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    """A file of many megabytes never fills my memory."""
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ModelFormatError, match="too large"):
        RuleSetModel.load(path)


def test_a_missing_file_is_an_ordinary_error(tmp_path):
    """A wrong file name is a FileNotFoundError."""
    with pytest.raises(FileNotFoundError, match=r"absent\.json"):
        RuleSetModel.load(tmp_path / "absent.json")


SCRAPS = ["null", "-1", "1e999", '""', "[]", "{}", "true", '"<="', "NaN", '"\\ud800"']


def mutated(text, rng):
    """Damage a text in one of several ways."""
    start, stop = sorted(rng.sample(range(len(text)), 2))
    match rng.randrange(5):
        case 0:
            return text[:start] + chr(rng.randrange(32, 127)) + text[start + 1 :]
        case 1:
            return text[:start] + text[stop:]
        case 2:
            return text[:stop] + text[start:]
        case 3:
            return text[:start] + rng.choice(SCRAPS) + text[start:]
        case _:
            parts = text.split('"')
            position = rng.randrange(1, len(parts), 2)
            parts[position] = rng.choice(["", "age", "job", "=", "numeric", "x"])
            return '"'.join(parts)


def replaced(data, rng):
    """Replace one value somewhere in the tree by a scrap."""
    scraps = [None, -1, 1e308, "", [], {}, True, "<=", ["a"], {"a": 1}, 10**400]
    if isinstance(data, dict) and data and rng.random() < 0.85:
        key = rng.choice(sorted(data))
        return {**data, key: replaced(data[key], rng)}
    if isinstance(data, list) and data and rng.random() < 0.85:
        at = rng.randrange(len(data))
        return [*data[:at], replaced(data[at], rng), *data[at + 1 :]]
    return rng.choice(scraps)


@pytest.mark.filterwarnings("ignore::faircg.exceptions.UnseenCategoryWarning")
def test_a_damaged_file_is_refused_or_still_a_model():
    """Of 5,000 damaged files each is refused properly or works."""
    rng = random.Random(0)
    text = MODEL.to_json()
    damaged = [mutated(text, rng) for _ in range(2_500)]
    damaged += [json.dumps(replaced(MODEL.to_dict(), rng)) for _ in range(2_500)]
    n_refused = 0
    for candidate in damaged:
        try:
            model = RuleSetModel.from_json(candidate)
        except ModelFormatError:
            n_refused += 1
            continue
        str(model.rule_set)
        assert RuleSetModel.from_json(model.to_json()) == model
        # What still is a model may test other columns, but never breaks otherwise.
        with suppress(ValueError):
            assert len(model.predict(PEOPLE)) == len(PEOPLE)
    assert 4_000 < n_refused < 5_000


def test_loading_runs_no_code(tmp_path, monkeypatch):
    """A model file is data: loading it never evaluates or imports anything."""
    marker = tmp_path / "ran"
    code = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    hostile = RuleSetModel(
        RuleSet((Rule((Condition(code, "=", code),)),), label=code),
        (Feature(code, "category", (code,)),),
        ("no", code),
    )
    hostile.save(tmp_path / "model.json")

    def refuse(*_, **__):
        raise AssertionError("loading a model must not run code")

    with monkeypatch.context() as patch:
        for name in ("eval", "exec", "compile"):
            patch.setattr(builtins, name, refuse)
        patch.setattr(pickle, "loads", refuse)
        model = RuleSetModel.load(tmp_path / "model.json")
    assert model == hostile
    assert model.predict(pd.DataFrame({code: [code]})).tolist() == [code]
    assert not marker.exists()


def test_a_saved_model_predicts_without_scikit_learn(tmp_path):
    """Deploying a model needs neither scikit-learn nor the solver."""
    path = tmp_path / "model.json"
    MODEL.save(path)
    code = (
        "import sys, pandas as pd; from faircg import RuleSetModel;"
        f"model = RuleSetModel.load({str(path)!r});"
        "X = pd.DataFrame("
        "{'age': [50], 'job': ['cook'], 'member': [True], 'pay': [1]});"
        "assert model.predict(X).tolist() == ['yes'];"
        "assert not {'sklearn', 'highspy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
