"""ONNX: a graph with one input per feature, for runtimes outside of Python.

Inputs are called like the features and have one value per row. Numeric and boolean
features, and categories that are numbers, are doubles, NaN where missing. Categories
that are text are strings, :data:`MISSING_TEXT` where missing. There are two outputs:
the label, and the position of the first rule that covers the row, -1 where none does.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from faircg.exceptions import ExportError
from faircg.export.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.export.plan import Check, Input, Plan
    from faircg.model import RuleSetModel
    from faircg.typing import Value

MISSING_TEXT: Final = "\uffff"
"""Stands for a missing text in a graph: Unicode keeps it out of all real text."""

OPSET: Final = 19
"""The first in which texts can be compared."""
IR_VERSION: Final = 9


def to_onnx(model: RuleSetModel) -> bytes:
    """Return the bytes of an ONNX file."""
    try:
        import onnx
        from onnx import helper
    except ImportError:
        raise ImportError(
            "writing ONNX needs onnx: pip install 'faircg[export]'"
        ) from None

    plan = make_plan(model)
    if not plan.inputs:
        raise ExportError(
            "the rule set tests no feature, so that an ONNX graph would have no input "
            "and could not know how many rows there are"
        )
    _check_texts(model, plan)
    inputs = [
        helper.make_tensor_value_info(feature.name, _tensor_type(feature), ["rows"])
        for feature in plan.inputs
    ]
    graph = _Graph(feature.name for feature in plan.inputs)
    label, rule = _outputs(graph, plan)
    outputs = [
        helper.make_tensor_value_info(label, _label_type(plan), ["rows"]),
        helper.make_tensor_value_info(rule, onnx.TensorProto.INT64, ["rows"]),
    ]
    built = helper.make_model(
        helper.make_graph(graph.nodes, "faircg", inputs, outputs, graph.constants),
        producer_name="faircg",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(built, {"faircg.missing_text": MISSING_TEXT})
    onnx.checker.check_model(built, full_check=True)
    written: bytes = built.SerializeToString(deterministic=True)
    return written


class _Graph:
    """Nodes and constants under construction; no two values share a name."""

    def __init__(self, names: Iterable[str]) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._used = set(names)

    def free(self, wish: str) -> str:
        """Return a name that nothing has: the wish, or the wish and underscores."""
        while wish in self._used:
            wish += "_"
        self._used.add(wish)
        return wish

    def node(
        self, operator: str, *inputs: str, output: str | None = None, **options: Any
    ) -> str:
        """Add a node and return the name of its output."""
        from onnx import helper

        if output is None:
            output = self.free(f"n{len(self.nodes)}")
        made = helper.make_node(operator, inputs, [output], name=output, **options)
        self.nodes.append(made)
        return output

    def constant(self, kind: int, values: list[Any], shape: tuple[int, ...]) -> str:
        """Add a tensor and return its name."""
        from onnx import helper

        name = self.free(f"c{len(self.constants)}")
        values = [v.encode() if isinstance(v, str) else v for v in values]
        self.constants.append(helper.make_tensor(name, kind, shape, values))
        return name


def _outputs(graph: _Graph, plan: Plan) -> tuple[str, str]:
    """Add everything, and return the names of the two outputs."""
    from onnx import TensorProto

    # Named first, so that only a feature of the same name changes them.
    label, rule = graph.free("label"), graph.free("rule")
    shape = graph.node("Shape", plan.inputs[0].name)
    none = graph.constant(TensorProto.INT64, [-1], ())
    fired = graph.node("Expand", none, shape)
    for planned in reversed(plan.rules):
        position = graph.constant(TensorProto.INT64, [planned.position], ())
        tests = [_test(graph, check) for check in planned.checks]
        covers = reduce(lambda left, right: graph.node("And", left, right), tests)
        fired = graph.node("Where", covers, position, fired)
    graph.node("Identity", fired, output=rule)
    covered = graph.node("Greater", fired, none)
    index = graph.node("Cast", covered, to=TensorProto.INT64)
    labels = graph.constant(_label_type(plan), [plan.otherwise, plan.covered], (2,))
    graph.node("Gather", labels, index, output=label)
    return label, rule


def _test(graph: _Graph, check: Check) -> str:
    name = check.input.name
    match check.operator:
        case "is missing":
            return _missing(graph, check.input)
        case "is present":
            return graph.node("Not", _missing(graph, check.input))
        case "<=":
            return graph.node("LessOrEqual", name, _value(graph, check))
        case ">":
            return graph.node("Greater", name, _value(graph, check))
        case "=":
            return graph.node("Equal", name, _value(graph, check))
        case "!=":
            same = graph.node("Equal", name, _value(graph, check))
            other = graph.node("Or", same, _missing(graph, check.input))
            return graph.node("Not", other)


def _missing(graph: _Graph, feature: Input) -> str:
    if feature.storage != "text":
        return graph.node("IsNaN", feature.name)
    marker = graph.constant(_tensor_type(feature), [MISSING_TEXT], ())
    return graph.node("Equal", feature.name, marker)


def _value(graph: _Graph, check: Check) -> str:
    value = check.value
    if check.input.storage != "text" and value is not None:
        value = float(value)
        # From here on, whole numbers share their doubles with others.
        if value != check.value or (check.input.is_category and abs(value) >= 2**53):
            raise ExportError(
                f"feature {check.input.name!a}: {check.value!r} is too large to be "
                "compared exactly as a double"
            )
    return graph.constant(_tensor_type(check.input), [value], ())


def _tensor_type(feature: Input) -> int:
    from onnx import TensorProto

    if feature.storage == "mixed":
        raise ExportError(
            f"feature {feature.name!a} has categories of several types; an input of "
            "an ONNX graph has one"
        )
    is_text = feature.storage == "text"
    return int(TensorProto.STRING if is_text else TensorProto.DOUBLE)


def _label_type(plan: Plan) -> int:
    from onnx import TensorProto

    types = {
        str: TensorProto.STRING,
        bool: TensorProto.BOOL,
        int: TensorProto.INT64,
        float: TensorProto.DOUBLE,
    }
    labels: tuple[Value, Value] = (plan.otherwise, plan.covered)
    kind = type(labels[0])
    if type(labels[1]) is not kind or kind not in types:
        raise ExportError(f"an ONNX graph has no type for the labels {labels!r}")
    if kind is int and not all(-(2**63) <= int(v or 0) < 2**63 for v in labels):
        raise ExportError(f"the labels {labels!r} are beyond the integers of ONNX")
    if any(isinstance(label, str) and "\0" in label for label in labels):
        raise ExportError(
            f"one of the labels {labels!r} holds a NUL, where ONNX's readers cut a text"
        )
    return int(types[kind])


def _check_texts(model: RuleSetModel, plan: Plan) -> None:
    """Refuse what the file cannot hold, and a category that would seem missing."""
    for feature in model.features:
        if MISSING_TEXT in feature.categories:
            raise ExportError(
                f"feature {feature.name!a} has the category {MISSING_TEXT!a}, which "
                "stands for a missing text in an ONNX graph"
            )
    values = [check.value for rule in plan.rules for check in rule.checks]
    names = [feature.name for feature in plan.inputs]
    if "" in names:
        raise ExportError("an input of an ONNX graph needs a name; a feature has none")
    for text in (*names, *values, plan.otherwise, plan.covered):
        if isinstance(text, str) and any("\ud800" <= c <= "\udfff" for c in text):
            raise ExportError(
                f"an ONNX file cannot hold half a surrogate pair, as in {text[:60]!a}"
            )
        if text == MISSING_TEXT and text in values:
            raise ExportError(f"a rule tests for {MISSING_TEXT!a}, the missing text")
