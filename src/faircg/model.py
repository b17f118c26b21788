"""RuleSetModel: what prediction needs, and what is to be known about it; a JSON file.

The model is typed values: the rules, the features they test and their ranges, the two
labels, and the certificate, the group counts and the settings of its fit for the
record. Loading one never runs code.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from faircg.exceptions import ModelFormatError, UnseenCategoryWarning
from faircg.fairness.constraint import criterion_of
from faircg.fairness.recorded import RecordedCriterion, rates_from_json, rates_to_json
from faircg.grouping import Grouping, families_from_list, families_to_list
from faircg.model_entries import (
    ASKED,
    CERTIFICATE,
    RANGE,
    SCORES,
    Baseline,
    counts_to_json,
    read_counts,
    read_labels,
    upgraded,
)
from faircg.model_parts import Asked as Asked
from faircg.model_parts import Feature as Feature
from faircg.model_parts import check_declared, label_array, parsed_features
from faircg.parsing import named, parse_json
from faircg.printable import one_line, shown
from faircg.rules import RuleSet
from faircg.table import Kind, Table, read_table
from faircg.unseen import mostly_unseen, unseen_words
from faircg.whole_files import write_text

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from faircg.colgen.certificate import Certificate
    from faircg.fairness import Criterion, Family, GroupCounts, Linear, Rate
    from faircg.features import NumericRange
    from faircg.rule_scores import RuleScores
    from faircg.typing import BoolVector, FloatVector, Value

FORMAT: Final = "faircg-model"
VERSION: Final = 2
OLDER_VERSION: Final = 1
"""Version that is still read: it recorded no ranges, and anything as the rest."""
LARGEST_FILE: Final = 16 * 2**20
"""Bytes beyond which a file is no model: a guard against filling the memory."""
_HALF: Final = re.compile("[\ud800-\udfff]")
_TWO_HALVES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class RuleSetModel:
    """A rule set with the labels it predicts.

    Parameters
    ----------
    rule_set
        The rules.
    features
        The features that they test; a rule on any other is a ``ValueError``, as is a
        test that does not fit the kind of its feature.
    labels
        The negative and the positive label.
    certificate
        What was proven; None if nobody recorded it.
    groups
        The training counts of each group.
    ranges
        Range in the training data of each numeric feature that rules test: the unit of
        changes in :func:`faircg.explain.explain`. Empty if nobody recorded it.
    asked
        Settings of the fit.
    rates
        What the criterion of the fit bounds, each rate with its own limit. Empty if
        there was none, or nobody recorded it.
    grouping, families
        How sensitive attributes made the groups, and which of them were compared; no
        families if every part of the people was a group.
    held_out
        Counts of each group on people who were kept apart from the fit, if any were.
    baseline
        A plain tree to compare with; None if nobody recorded one.
    scores
        Training people of each rule, for :meth:`score`; None if nobody recorded them.
    """

    rule_set: RuleSet
    features: tuple[Feature, ...]
    labels: tuple[Value, Value]
    certificate: Certificate | None = None
    groups: Mapping[str, GroupCounts] = field(default_factory=dict)
    ranges: Mapping[str, NumericRange] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    rates: tuple[Rate | Linear, ...] = ()
    grouping: Grouping = field(default_factory=Grouping)
    families: tuple[Family, ...] = ()
    held_out: Mapping[str, GroupCounts] = field(default_factory=dict)
    baseline: Baseline | None = None
    scores: RuleScores | None = None

    def __post_init__(self) -> None:
        kinds = self.kinds
        if len(kinds) < len(self.features):
            raise ValueError("a feature is declared twice")
        for feature in self.features:
            if feature.kind not in get_args(Kind):
                raise ValueError(
                    f"feature {feature.name!r} has the unknown kind {feature.kind!r}; "
                    f"use one of {list(get_args(Kind))}"
                )
        for rule in self.rule_set:
            for condition in rule.conditions:
                check_declared(condition, kinds)
        for name in self.ranges:
            if kinds.get(name) != "numeric":
                raise ValueError(f"a range of {name!r}, which is no numeric feature")
        known = self.scores
        if known is not None and len(known.covered) != len(self.rule_set) + 1:
            raise ValueError("the scores are not those of the rules")
        asked = {name for name, known in self.ranges.items() if known.is_yes_or_no}
        object.__setattr__(self, "rule_set", self.rule_set.reading(yes_or_no=asked))

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each feature."""
        return {feature.name: feature.kind for feature in self.features}

    @property
    def criterion(self) -> Criterion | None:
        """The criterion of the fit; None if there was none, or nobody knows it."""
        known = self.certificate
        if known is None or known.constraint is None:
            return None
        if self.rates:
            return RecordedCriterion(known.constraint, known.epsilon, self.rates)
        try:  # a file without rates
            return criterion_of(known.constraint, known.epsilon)
        except ValueError:
            return None

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups that were compared; every part, if nothing else is recorded."""
        names = (name for family in self.families for name in family.groups)
        return tuple(dict.fromkeys(names)) or tuple(self.groups)

    @property
    def stratum(self) -> str | None:
        """The column within whose strata groups were compared, if it has a name."""
        within = self.grouping.within
        return within if isinstance(within, str) else None

    def read(self, X: Any) -> Table:
        """Read the features that rules test; a table was read before."""
        return X if isinstance(X, Table) else read_table(X, kinds=self.kinds)

    def covers(self, X: Any, *, strict: bool | None = None) -> BoolVector:
        """Say for each row of a frame or table whether a rule covers it.

        Columns that no rule tests may be absent, as may the sensitive feature.
        ``strict`` raises, rather than warns, when a category was never seen in
        training. By default it raises where most values of a feature are such (see
        :func:`faircg.unseen.mostly_unseen`), as in another encoding; False only warns.
        """
        return self.rule_set.covers(self._seen(X, strict))

    def accepts(self, X: Any, *, strict: bool | None = None) -> BoolVector:
        """Say for each row of a frame or table whether it gets the positive label.

        Takes what :meth:`covers` does.
        """
        return self.rule_set.accepts(self._seen(X, strict))

    def _seen(self, X: Any, strict: bool | None) -> Table:
        """Read the features, and warn of categories never seen in training."""
        table = self.read(X)
        # A category that is new: ``=`` is false for it and ``!=`` true.
        for name, (count, example) in self.unseen(table).items():
            message = unseen_words(name, count, example)
            n_values = int((~table[name].missing).sum())
            if strict:
                raise ValueError(message)
            if strict is None and mostly_unseen(count, n_values):
                raise ValueError(
                    f"{message}; most of its {n_values:,} values are such, so that it "
                    "seems to be written in another way (strict=False, or "
                    "--allow-unseen, goes on)"
                )
            warnings.warn(message, UnseenCategoryWarning, stacklevel=4)
        return table

    def predict(self, X: Any, *, strict: bool | None = None) -> NDArray[Any]:
        """Predict one of the two labels for each row, exactly as the model has it.

        The array holds objects where NumPy has no type for both labels as they are.
        """
        accepted = self.accepts(X, strict=strict)
        predictions: NDArray[Any] = label_array(self.labels)[accepted.astype(int)]
        return predictions

    def score(self, X: Any, *, strict: bool | None = None) -> FloatVector:
        """Return a score of each row for the positive label, from 0 to 1.

        It is the share of training people with that label among those of the rules that
        cover the row (:mod:`faircg.rule_scores`). Decisions never use it.
        """
        if self.scores is None:
            raise ValueError(
                "the model does not record the people of its rules, which scores need; "
                "fit it again"
            )
        parts = self.asked.people_parts or 1
        return self.scores.of(self.rule_set, self._seen(X, strict), parts)

    def unseen(self, table: Table) -> dict[str, tuple[int, Value]]:
        """Count rows with categories never seen in training, with one example each.

        Only features with such rows are returned.
        """
        counts: dict[str, tuple[int, Value]] = {}
        for feature in self.features:
            if feature.kind != "category":
                continue
            known = set(feature.categories)
            found = table[feature.name].counts().items()
            new = {value: count for value, count in found if value not in known}
            if new:
                counts[feature.name] = sum(new.values()), next(iter(new))
        return counts

    def to_dict(self) -> dict[str, Any]:
        """Return the model as JSON values."""
        proven = None if self.certificate is None else self.certificate.to_dict()
        if proven is not None:
            del proven["seconds"]  # the only thing that differs when a fit is repeated
        return {
            "format": FORMAT,
            "version": VERSION,
            "labels": list(self.labels),
            "rule_set": self.rule_set.to_dict(),
            "features": [feature.to_dict() for feature in self.features],
            "certificate": proven,
            "groups": counts_to_json(self.groups),
            "ranges": {name: asdict(known) for name, known in self.ranges.items()},
            "asked": {name: _plain(v) for name, v in asdict(self.asked).items()},
            "rates": rates_to_json(self.rates),
            "grouping": {
                **self.grouping.to_dict(),
                "families": families_to_list(self.families),
            },
            **self._records(),
        }

    def _records(self) -> dict[str, Any]:
        """Return what a fit may record beside the rules, as far as it did."""
        known: dict[str, Any] = {"held_out": counts_to_json(self.held_out)}
        if self.baseline is not None:
            known["baseline"] = self.baseline.to_dict()
        if self.scores is not None:
            covered, meant = map(list, astuple(self.scores))
            known["scores"] = {"covered": covered, "meant": meant}
        return {name: value for name, value in known.items() if value}

    def to_json(self) -> str:
        """Return the model as JSON text, the same for the same model.

        Half a character (a lone surrogate), which no file can hold, is written as an
        escape that reads back as itself.
        """
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        halves = _TWO_HALVES.search(text)
        if halves:
            raise ValueError(
                f"the model holds {halves.group()!a}, two halves of a character, "
                "and JSON would join them; use the whole character"
            )
        return _HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; the file is complete or untouched."""
        write_text(path, self.to_json() + "\n")

    @classmethod
    def from_json(cls, text: str) -> RuleSetModel:
        """Rebuild a model from :meth:`to_json`; refuse anything else."""
        try:
            data = parse_json(text)
        except (ValueError, RecursionError) as error:
            raise ModelFormatError(f"not a faircg model: {error}") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ModelFormatError(f"not a faircg model: no 'format': {FORMAT!r}")
        version = data.get("version")
        if type(version) is not int or version not in (OLDER_VERSION, VERSION):
            is_newer = isinstance(version, int) and version > VERSION
            raise ModelFormatError(
                f"the model has format version {shown(repr(version))}; this faircg "
                f"reads versions {OLDER_VERSION} and {VERSION}"
                + ("; a newer faircg wrote it; install that" if is_newer else "")
            )
        if version == OLDER_VERSION:
            data = upgraded(data)
        grouping = {**Grouping().to_dict(), **named(data.get("grouping", {}), "groups")}
        families = grouping.pop("families", [])
        proven = data.get("certificate")
        ranges = named(data.get("ranges"), "ranges")
        plain, counted = data.get("baseline"), data.get("scores")
        try:
            return cls(
                rule_set=RuleSet.from_dict(data.get("rule_set")),
                features=parsed_features(data.get("features")),
                labels=read_labels(data.get("labels")),
                certificate=None if proven is None else CERTIFICATE.read(proven),
                groups=read_counts(data.get("groups"), "groups"),
                ranges={name: RANGE.read(entry) for name, entry in ranges.items()},
                asked=ASKED.read(data.get("asked")),
                rates=rates_from_json(data.get("rates", [])),
                grouping=Grouping.from_dict(grouping),
                families=families_from_list(families),
                held_out=read_counts(data.get("held_out", {}), "held_out"),
                baseline=None if plain is None else Baseline.from_dict(plain),
                scores=None if counted is None else SCORES.read(counted),
            )
        except ValueError as error:
            raise ModelFormatError(one_line(str(error))) from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RuleSetModel:
        """Read a model from a file."""
        with Path(path).open("rb") as file:  # a device has no size of its own
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise ModelFormatError(
                f"{path} is too large to be a faircg model: it has more than "
                f"{LARGEST_FILE // 2**20} MiB"
            )
        try:
            return cls.from_json(content.decode())
        except UnicodeDecodeError:
            raise ModelFormatError(f"{path} is not a text file") from None


def _plain(value: object) -> object:
    """Return tuples as the lists that JSON has."""
    return [*map(_plain, value)] if isinstance(value, tuple) else value
