"""Checkpoint: a search that is killed goes on where it was, and ends the same.

After each round of column generation a file is written whole: the rules of the pool in
their order, the best rule sets so far, and where the loop stands, with the last basis
of the solver; so the rounds that follow are those of a search that was never stopped.
It holds numbers and names of our own classes, nothing that could run.

What a file says is not believed. Rule sets are recounted, and a bound counts as far as
the prices that come with it prove it today (:mod:`faircg.colgen.recounted`).
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import warnings
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.colgen.coverage.large import LargeCoverage
from faircg.colgen.coverage.master import CoverageMaster
from faircg.colgen.coverage.near import Likeness
from faircg.colgen.coverage.pair_cuts import PairCuts
from faircg.colgen.coverage.restricted import RestrictedCoverage
from faircg.colgen.deepening import Paused, Step
from faircg.colgen.duals import DualBound, Duals, Prices
from faircg.colgen.events import Round
from faircg.colgen.loop import PROOF, Generation, Standing
from faircg.colgen.master import Master
from faircg.colgen.pool import Pool
from faircg.colgen.pricing.base import TOLERANCE
from faircg.colgen.problem import fingerprint
from faircg.colgen.recounted import priced_again
from faircg.colgen.restricted import MasterValue, RestrictedMaster
from faircg.colgen.row_cuts import RowCuts
from faircg.exceptions import CheckpointError
from faircg.solver.highs import Basis, LpSolution, Status
from faircg.whole_files import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from faircg.colgen.options import SearchOptions
    from faircg.colgen.problem import Problem
    from faircg.colgen.select import Selection
    from faircg.typing import Conditions

TITLE: Final = b"faircg checkpoint\n"
STARTS: Final = 4
"""Rule sets of the fewest errors that are kept: so many a later step starts from."""
MASTERS: Final = (RestrictedMaster, RestrictedCoverage, LargeCoverage)
KINDS: Final[Mapping[str, type]] = {
    kind.__name__: kind
    for kind in (
        *MASTERS,
        Basis,
        CoverageMaster,
        DualBound,
        Duals,
        Generation,
        Likeness,
        LpSolution,
        Master,
        MasterValue,
        PairCuts,
        Paused,
        Prices,
        Round,
        RowCuts,
        Standing,
        Status,
        Step,
    )
}
"""What a file may hold besides numbers and arrays."""


@dataclass(frozen=True, slots=True, eq=False)
class Resumed:
    """What a search goes on from: rules, rule sets to be judged, and its last round."""

    pool: Pool
    known: tuple[tuple[Conditions, ...], ...]
    paused: Paused

    @property
    def seconds(self) -> float:
        """How long the search had taken."""
        return self.paused.history[-1].seconds


class Checkpoint:
    """A file that holds the last round of a search.

    ``asked`` says in words what the search depends on beside problem and options.
    """

    def __init__(self, path: Path, asked: str = "") -> None:
        self.path, self.asked = path, asked
        self._question = ""
        self._known: tuple[int, list[tuple[Conditions, ...]]] = (-1, [])
        self._has_failed = False

    @property
    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return self.path.exists()

    def open(self, problem: Problem, options: SearchOptions) -> Resumed | None:
        """Read what an earlier search has left; None if there is no file.

        A file of another question is refused, and so is one that cannot be written.
        """
        self._question = _digest(problem, options, self.asked)
        if not self.exists:
            with tempfile.TemporaryFile(dir=self.path.parent):
                return None  # a file can be written there
        damaged = f"the checkpoint {self._name} is damaged; remove it to begin anew"
        content = self._content(damaged)
        try:
            return _verified(_unpacked(content, problem), problem, options)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise CheckpointError(damaged) from None

    def write(self, pool: Pool, selection: Selection, paused: Paused) -> None:
        """Keep a round; where that fails, the file of an earlier round stays."""
        arrays: list[np.ndarray] = []
        refs = {"problem": pool.problem, "pool": pool}
        if self._known[0] != selection.n_judged:
            self._known = selection.n_judged, _best_sets(selection)
        arrays += [*_flat(pool.rules), *_flat(r for s in self._known[1] for r in s)]
        arrays.append(np.array([len(rules) for rules in self._known[1]], np.int64))
        same = paused.last is paused.generation
        packed = _packed(replace(paused, last=None) if same else paused, refs, arrays)
        body = io.BytesIO()
        tree = np.frombuffer(json.dumps([same, packed]).encode(), np.uint8)
        np.savez(body, tree, *arrays)
        content = body.getvalue()
        head = {
            "version": version("faircg"),
            "question": self._question,
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        try:
            with replacing(self.path) as file:
                file.write(TITLE + json.dumps(head).encode() + b"\n" + content)
        except OSError as error:
            if not self._has_failed:
                self._has_failed = True
                warnings.warn(
                    f"the checkpoint {self._name} could not be written "
                    f"({error.strerror}); the search goes on, and the file of an "
                    "earlier round is left as it was",
                    stacklevel=2,
                )

    def remove(self) -> None:
        """Remove the file: the search is done."""
        self.path.unlink(missing_ok=True)

    @property
    def _name(self) -> str:
        return repr(str(self.path))

    def _content(self, damaged: str) -> bytes:
        """Read the file, if it is whole and of this question."""
        name = self._name
        if not self.path.is_file():
            raise CheckpointError(f"{name} is no file; give another checkpoint")
        with self.path.open("rb") as file:
            if file.read(len(TITLE)) != TITLE:
                raise CheckpointError(
                    f"{name} is no checkpoint of faircg; give another path"
                )
            try:
                head, content = json.loads(file.readline()), file.read()
                is_whole = hashlib.sha256(content).hexdigest() == head["sha256"]
                told, question = head["version"], head["question"]
            except (ValueError, KeyError, TypeError):
                is_whole = False
        if not is_whole:
            raise CheckpointError(damaged)
        if told != version("faircg"):
            raise CheckpointError(
                f"the checkpoint {name} is of faircg {told}; go on with that version, "
                "or remove it to begin anew"
            )
        if question != self._question:
            raise CheckpointError(
                f"the checkpoint {name} is of another question or of other data; give "
                "another path, or remove it to begin anew"
            )
        return content


def _digest(problem: Problem, options: SearchOptions, asked: str) -> str:
    """Return a hash of all that the rounds of a search depend on.

    Not of limits on time and threads: a search may go on with others.
    """
    rows = problem.rate_rows
    words = (
        fingerprint(problem),
        problem.max_complexity,
        problem.objective,
        problem.by_proxy,
        str(problem.units),
        [array.tolist() for array in (rows.missed, rows.hit, rows.constant, rows.of)],
        [array.tolist() for array in (rows.weight, rows.lower, rows.upper)],
        tuple(options.depths),
        options.seed,
        type(options.pricer).__qualname__,
        options.known_bound,
        options.counts_errors,
        asked,
    )
    return hashlib.sha256(repr(words).encode()).hexdigest()


def _best_sets(selection: Selection) -> list[tuple[Conditions, ...]]:
    """Return the rule sets that a later step can ask for."""
    winners = (selection.objective_winner, selection.returned_winner)
    kept = [winner for winner in winners if winner is not None]
    return [candidate.rules for candidate in kept + selection.fewest_errors(STARTS)]


def _verified(found: Resumed, problem: Problem, options: SearchOptions) -> Resumed:
    """Return what was read with bounds that are proven today."""

    def proven(bound: DualBound | None) -> DualBound | None:
        if bound is None:
            return None
        return priced_again(problem, bound, options.pricer, options.deadline)

    def is_proven(
        claim: bool | None, value: MasterValue | None, bound: DualBound | None
    ) -> bool:
        if not claim or value is None or bound is None:
            return False
        slack = PROOF * max(1.0, abs(value.value)) + TOLERANCE * problem.max_complexity
        return bound.value >= value.value - slack

    def generation(told: Generation | None) -> Generation | None:
        if told is None:
            return None
        bound = proven(told.proof)
        is_sure = is_proven(told.is_proven, told.master, bound)
        return replace(told, proof=bound, is_proven=is_sure)

    paused, at = found.paused, found.paused.at
    kept = generation(paused.generation)
    same = paused.last is paused.generation
    best = proven(at.best)
    ended = at.is_proven
    if ended and not is_proven(ended, at.solved, best):
        ended = None  # then there are rounds to come
    at = replace(
        at,
        best=best,
        is_proven=ended,
    )
    last = kept if same else generation(paused.last)
    return replace(found, paused=replace(paused, generation=kept, last=last, at=at))


def _flat(rules: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the conditions of all rules one after another, and how many each has."""
    rules = list(rules)
    flat = np.array([j for rule in rules for j in rule], dtype=np.int64)
    return flat, np.array([len(rule) for rule in rules], dtype=np.int64)


def _parts(flat: Sequence[Any], lengths: np.ndarray) -> list[tuple[Any, ...]]:
    """Cut a sequence into parts of these lengths."""
    ends = np.cumsum(lengths).tolist()
    if len(flat) != (ends[-1] if ends else 0) or (lengths < 0).any():
        raise ValueError("lengths do not fit")
    return [
        tuple(flat[end - n : end])
        for end, n in zip(ends, lengths.tolist(), strict=True)
    ]


def _packed(value: Any, refs: Mapping[str, Any], arrays: list[np.ndarray]) -> Any:
    """Return a value as JSON; arrays are put aside, and the problem stays outside."""
    for name, known in refs.items():
        if value is known:
            return {"ref": name}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Status):
        return {"kind": "Status", "of": {"value": value.value}}
    if isinstance(value, tuple | list):
        return [_packed(part, refs, arrays) for part in value]
    if isinstance(value, MASTERS) or is_dataclass(value):
        names = [field.name for field in fields(value)] if is_dataclass(value) else None
        kept = vars(value) if names is None else {n: getattr(value, n) for n in names}
        packed = {name: _packed(part, refs, arrays) for name, part in kept.items()}
        return {"kind": type(value).__name__, "of": packed}
    return value


def _unpacked(content: bytes, problem: Problem) -> Resumed:
    """Return what :meth:`Checkpoint.write` has written."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        tree, *arrays = (file[f"arr_{k}"] for k in range(len(file.files)))
    flat, lengths, set_flat, set_lengths, sizes = arrays[:5]
    pool = Pool.in_order(problem, _parts(flat.tolist(), lengths))
    known = _parts(_parts(set_flat.tolist(), set_lengths), sizes)
    refs = {"problem": problem, "pool": pool}

    def value(packed: Any) -> Any:
        if isinstance(packed, list):
            return tuple(map(value, packed))
        if not isinstance(packed, dict):
            return packed
        if "ref" in packed:
            return refs[packed["ref"]]
        if "array" in packed:
            return arrays[packed["array"]]
        kind = KINDS[packed["kind"]]
        parts = {name: value(part) for name, part in packed["of"].items()}
        if kind not in MASTERS:
            return kind(**parts)
        master = object.__new__(kind)
        vars(master).update(parts)
        return master

    same, packed = json.loads(tree.tobytes())
    paused = value(packed)
    if not isinstance(paused, Paused) or not paused.history:
        raise ValueError("nothing was paused")
    if same:
        paused = replace(paused, last=paused.generation)
    return Resumed(pool, tuple(known), paused)
