"""The model file, its schema, and damaged files."""

import json
import random
from dataclasses import asdict
from pathlib import Path

import jsonschema
import pytest

from certificates import certificate
from export.random_models import random_model
from faircg.exceptions import ExportError, ModelFormatError
from faircg.export import export_model, json_schema
from faircg.fairness import GroupCounts
from faircg.model import RuleSetModel
from faircg.rules import RuleSet

SCHEMA = jsonschema.Draft202012Validator(json_schema())


def test_the_schema_is_a_schema():
    """It says what it is, and is valid itself."""
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("seed", range(40))
def test_models_are_valid(seed):
    """Every exported model meets the schema."""
    model, _ = random_model(random.Random(seed))
    SCHEMA.validate(json.loads(export_model(model, "json")))


NO_COUNTS = {"groups": {}, "held_out": {}}


def changed(**entries):
    model, _ = random_model(random.Random(0))
    return {**model.to_dict(), **entries}


def with_condition(operator, value):
    condition = {"feature": "x", "operator": operator, "value": value}
    return changed(rule_set={"label": "", "rules": [[condition]]})


@pytest.mark.parametrize(
    "data",
    [
        [],
        changed(format="other"),
        changed(version=3),
        changed(labels=[0]),
        changed(labels=[0, 0]),
        changed(labels=[0, [1]]),
        changed(features=[{"name": "x", "kind": "date", "categories": []}]),
        changed(rule_set={"label": "x", "rules": [[]]}),
        with_condition("<=", "3"),
        with_condition("<=", True),
        with_condition("=", None),
        with_condition("is missing", 3),
        with_condition("~", 3),
        {k: v for k, v in changed().items() if k != "groups"},
        {k: v for k, v in changed().items() if k != "ranges"},
        {k: v for k, v in changed().items() if k != "asked"},
        changed(certificate={"status": "optimal"}),
        changed(certificate=asdict(certificate(gap="0"))),
        changed(certificate=asdict(certificate(status="fair"))),
        changed(certificate=asdict(certificate(max_conditions=-1))),
        changed(certificate=asdict(certificate(proven_optimal=1))),
        changed(groups={"a": {"true_positives": 1}}),
        changed(groups={"a": asdict(GroupCounts(1, 2, 3, -1))}),
        changed(groups={"a": asdict(GroupCounts(1, 2, 3, 2**53))}),
        changed(ranges={"x": {"low": 0, "high": 1}}),
        changed(ranges={"x": {"low": None, "high": 1, "whole": True}}),
        changed(asked={"excluded": []}),
        changed(asked={**changed()["asked"], "exclude": "race"}),
        changed(asked={**changed()["asked"], "random_state": 0.5}),
        changed(asked={**changed()["asked"], "target": 3}),
        changed(held_out={"a": {"true_positives": 1}}),
        changed(scores={"covered": [1, -2], "meant": [1, 1]}),
        changed(scores={"covered": [], "meant": []}),
        changed(baseline={"tree": True}),
        changed(baseline={"tree": {"root": 1, "features": []}, **NO_COUNTS}),
        changed(
            baseline={"tree": {"root": {"yes": True}, "features": []}, **NO_COUNTS}
        ),
    ],
    ids=range(36),
)
def test_the_schema_refuses_what_is_no_model(data):
    """A wrong file is wrong by the schema, and by the loader."""
    assert not SCHEMA.is_valid(data)
    with pytest.raises(ModelFormatError):
        RuleSetModel.from_json(json.dumps(data))


SCRAPS = [None, -1, 0, 1.5, 1e308, 10**400, "", "<=", "=", "is missing", True, False]
SCRAPS += [[], {}, ["a"], {"a": 1}, "\ud800", "numeric", "category", [[]], [0, 1]]
SCRAPS += ["x" * 5_000, 2**53, 3, {"": None}]
SCRAPS += ["1e999"]  # written as a number: one that Python reads as infinity


def damaged(data, rng):
    """Replace, drop, repeat or add one thing somewhere in a tree."""
    if data and isinstance(data, dict | list) and rng.random() < 0.85:
        keys = sorted(data) if isinstance(data, dict) else range(len(data))
        key = rng.choice(keys)
        copy = data.copy()
        match rng.randrange(12):
            case 0:
                del copy[key]
            case 1 if isinstance(data, list):
                copy.insert(key, copy[key])
            case 1:
                copy[rng.choice(["", "value", "kind"])] = rng.choice(SCRAPS)
            case _:
                copy[key] = damaged(data[key], rng)
        return copy
    return rng.choice(SCRAPS)


def torn(text, rng):
    """Cut, repeat or overwrite a piece of a text."""
    start, stop = sorted(rng.sample(range(len(text)), 2))
    piece = rng.choice(["", '"', "{", "]", ",", "NaN", "\\u0000", "\0", "é"])
    match rng.randrange(3):
        case 0:
            return text[:start] + piece + text[stop:]
        case 1:
            return text[:stop] + text[start:]
        case _:
            return text[:start] + piece + text[start + 1 :]


GOLDEN = sorted((Path(__file__).parents[1] / "golden_models").glob("*.model.json"))


@pytest.mark.parametrize(
    "number", [200, pytest.param(5_000, marks=pytest.mark.long)], ids=str
)
def test_damaged_files_are_refused_or_models(number, record_property):
    """Each damaged file is refused in one line that can be read, or a valid model.

    A text of 5,000 letters where an operator should be was repeated in full.
    """
    record_property("cases", number)
    rng = random.Random(0)
    models = [random_model(random.Random(seed))[0] for seed in range(20)]
    models += [RuleSetModel.load(path) for path in GOLDEN]
    n_refused = 0
    for k in range(number):
        model = models[k % len(models)]
        if (k // len(models)) % 2:
            text = torn(model.to_json(), rng)
        else:
            text = json.dumps(damaged(model.to_dict(), rng))
            text = text.replace('"1e999"', "1e999")
        try:
            loaded = RuleSetModel.from_json(text)
        except ModelFormatError as error:
            said = str(error)
        else:
            data = loaded.to_dict()
            assert SCHEMA.is_valid(data), data
            assert RuleSetModel.from_json(loaded.to_json()) == loaded
            json.dumps(export_model(loaded, "json"))
            continue
        n_refused += 1
        assert "\n" not in said
        assert len(said) < 3_000
    assert 0.4 * number < n_refused < number


def test_halves_that_would_be_joined_are_refused():
    """Two halves of a character are not the character."""
    model = RuleSetModel(RuleSet(()), (), ("no", "\ud83d\ude00"))
    with pytest.raises(ExportError, match="JSON would join them"):
        export_model(model, "json")
