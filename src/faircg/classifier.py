"""FairRuleSetClassifier: validate, binarize, solve, select, expose."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import sklearn.tree  # noqa: F401 (takes most of a second, not of a fit's time limit)
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from faircg.colgen.events import FitBegun
from faircg.colgen.problem import LARGEST_COMPLEXITY
from faircg.counted import TableColumns, counted
from faircg.grouping import Grouping
from faircg.groups import attribute_names
from faircg.labelled import LabelledTable
from faircg.learned import asked_of, check_recount, learned_model, warn_of_sensitive
from faircg.limits import limit_words
from faircg.listening import telling
from faircg.plain_tree import PlainTree
from faircg.predicts import Predicts
from faircg.question import Question
from faircg.sides import learn
from faircg.validation import LIMIT, TakesTables

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    import numpy as np
    from numpy.typing import ArrayLike

    from faircg.colgen.events import Event
    from faircg.colgen.pricing.base import Pricer
    from faircg.fairness.constraint import Constraint
    from faircg.rules import Rule


class FairRuleSetClassifier(Predicts, TakesTables, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A short OR of ANDs under a bound on the difference between groups.

    Implements Fair CG (Lawless and Günlük, "Fair Decision Rules for Binary
    Classification"): column generation over all rules, an integer program over those
    that matter, and selection by recounted true rates.

    Parameters
    ----------
    constraint : None, str, Criterion or callable, default=None
        The name of a criterion, such as ``"equality_of_opportunity"`` or
        ``"equalized_odds & precision_floor=0.7"``; a criterion, such as
        ``EqualizedOdds(0.1) & FourFifths()``; or what makes one from an epsilon, such
        as the class :class:`~faircg.fairness.EqualizedOdds` itself.
    epsilon : float, Fraction or None, default=None
        Largest allowed gap between any two groups; None is 0.05. A criterion has its
        own: another one beside it is an error.
    max_complexity : int, default=20
        Limit on the sum over rules of one plus the number of conditions.
    max_conditions : int or None, default=None
        Limit on the conditions of one rule. None deepens step by step, two conditions,
        three, and so on, while that pays and the time limit allows for it (six at once
        unless ``pricing`` is exact); ``certificate_.depths`` says how far.
    objective : {"hamming", "zero_one"}, default="hamming"
        Loss that the integer program minimises. The rule set returned is always the
        one of lowest 0-1 loss among the feasible ones seen.
    rates : {"auto", "exact", "proxy"}, default="auto"
        How a search by Hamming loss counts false positives in the constraint: each
        person once, or, as in the paper, also once for every rule. What is returned
        satisfies the true rates in any case. ``"auto"`` is the proxy for more than
        2,000 distinct rows, where only that is quick (``certificate_.rates`` says it).
    cost_false_positive, cost_false_negative : float, default=1
        What a covered negative and a missed positive cost in the loss: numbers of at
        least 0, not both 0, counted exactly (0.1 is a tenth). Losses in the certificate
        are in these units. Rates of groups count people, never costs.
    class_weight : None, "balanced" or mapping, default=None
        More costs, as in scikit-learn: those of a wrong prediction are multiplied by
        the weight of its true label. ``"balanced"`` makes both labels weigh the same:
        all people divided by twice those with the label.
    pricing : str or Pricer, default="exact"
        How rules are searched: ``"exact"`` (bitset search on all data), ``"ip"`` and
        ``"ip_dash"`` (greedy first, then the integer program of the paper or of Dash
        et al.), ``"greedy"``, ``"sampled"`` (the paper's for large data), or an object.
    warm_start_rules : None, str or iterable of Rule, default="forest"
        Rules to begin with: mined from a ``"tree"``, a ``"forest"`` or a
        ``"fair_tree"``, or given.
    thresholds, n_thresholds, exclude : default="auto", 10 and ()
        Cut points of numeric features, and features that rules may not test, by name or
        by position: as for :class:`~faircg.binarize.ConditionBinarizer`.
    monotone : mapping or None, default=None
        Directions of numeric and boolean features, such as ``{"priors": "increasing",
        "age": "decreasing"}``: a higher value of an increasing feature may only help
        the positive label, so that rules test ``priors > t`` and never ``priors <= t``.
        Of booleans true is the higher; whether a value is missing may be tested.
    not_together : sequence of sequences, default=()
        Sets of features of which a rule may test one at most, such as ``[("race",
        "sex")]``.
    time_limit, work_limit : float or None, default=None
        Limits of the whole fit: in seconds, 60 by default, or in units of work that
        take about a second each. Counted are bits read, steps of solvers and the like,
        on one thread: so limited, a fit is the same under any load (of one kernel).
    pricing_time_limit : float, default=45.0
        Seconds, or units of work, for one pricing.
    memory_limit : float or None, default=None
        Gigabytes that a fit may take beside its table; None is half of what is free. A
        table that needs more is refused before that is taken.
    random_state : int, RandomState or None, default=0
        Seed of the warm start and of sampled pricing.
    n_jobs : int or None, default=None
        Threads of the exact search; -1 uses all cores; no result depends on it.
    verbose : int, default=0
        1 shows the events of a fit, such as each round, on standard error (they are
        logged in any case, see :mod:`logging`), 2 more.
    pos_label : label or None, default=None
        The positive class; ``classes_[1]`` by default.
    rules_for : {"rarer", "positive", "negative", "auto"}, default="rarer"
        The label of people whom a rule covers: by default the one that fewer people
        have (counted by what their errors cost), which takes fewer rules. Rules for the
        negative one say whom to refuse; constraint and directions speak of the positive
        label, and so do given ``warm_start_rules`` unless another is named. ``"auto"``
        searches both, in half of the time each, and keeps the rule set with fewer wrong
        predictions; its certificate speaks of rule sets of either kind.
    missing_groups : {"raise", "group"}, default="raise"
        Whether missing values in ``sensitive_features`` are an error or a group.
    groups : str, sequence, mapping or Grouping, default="intersection"
        How several sensitive columns make groups: every combination, or each column
        alone (``"marginal"``), or a list of columns and combinations, perhaps with
        epsilons; strata, bins, small groups: :class:`~faircg.grouping.Grouping`.
    strict : bool or None, default=None
        Refuse, rather than warn of, categories never seen in training when predicting;
        None refuses a feature of which most values are such, False none.
    on_interrupt : {"raise", "return"}, default="raise"
        After Ctrl-C the best rule set so far is kept; then either
        ``KeyboardInterrupt`` is raised or ``fit`` returns.
    callbacks : sequence of callables, default=()
        Each is called with every event of the fit (:mod:`faircg.colgen.events`): a
        round, a better rule set, a step of the proof. What one raises ends the fit.
    checkpoint : path or None, default=None
        A file that each round is kept in: a fit that is killed, or that its time limit
        or Ctrl-C ends, goes on from there when it is started again with the same data
        and settings (limits on time and ``n_jobs`` may change). It is removed at the
        end of a fit that nothing cut short.

    Attributes
    ----------
    rule_set_, certificate_ : RuleSet, Certificate
        The rules, which print as English, and what was proven about them.
    fairness_ : Fairness
        Counts and rates of each group on the training data, and the gap, in integers.
    history_ : tuple of Round
        One record per column generation round.
    model_ : RuleSetModel
        What prediction needs; ``model_.save(path)`` writes JSON.
    classes_ : ndarray of shape (2,)
        The labels.
    features_ : Features
        The columns of ``X`` in fit, and which of them were excluded, by name.
    n_features_in_, feature_names_in_ : int, ndarray
        Number of features seen in fit; their names, when ``X`` was a frame.

    Examples
    --------
    >>> from faircg.datasets import load_compas
    >>> data = load_compas()
    >>> clf = FairRuleSetClassifier(
    ...     constraint="equality_of_opportunity", epsilon=0.05, max_complexity=5
    ... )
    >>> clf = clf.fit(data.X, data.y, sensitive_features=data.sensitive_features)
    >>> print(clf.rule_set_)
    Predict 1 if
        ...
    >>> clf.fairness_.within_epsilon
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "constraint": [str, HasMethods(["rates"]), callable, None],
        "epsilon": [Fraction, Interval(Real, 0, 1, closed="both"), None],
        "max_complexity": [Interval(Integral, 0, LARGEST_COMPLEXITY, closed="both")],
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "objective": [StrOptions({"hamming", "zero_one"})],
        "rates": [StrOptions({"auto", "exact", "proxy"})],
        "cost_false_positive": [Fraction, Interval(Real, 0, None, closed="left")],
        "cost_false_negative": [Fraction, Interval(Real, 0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), Mapping, None],
        "pricing": [str, HasMethods(["price"])],
        "warm_start_rules": [str, Iterable, None],
        "thresholds": [str, Mapping],
        "n_thresholds": [Interval(Integral, 2, None, closed="left")],
        "exclude": ["array-like"],
        "monotone": [Mapping, None],
        "not_together": [Iterable],
        "time_limit": [LIMIT, None],
        "work_limit": [LIMIT, None],
        "pricing_time_limit": [LIMIT],
        "memory_limit": [LIMIT, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "rules_for": [StrOptions({"rarer", "positive", "negative", "auto"})],
        "missing_groups": [StrOptions({"raise", "group"})],
        "groups": [str, Sequence, Mapping, Grouping],
        "strict": ["boolean", None],
        "on_interrupt": [StrOptions({"raise", "return"})],
        "callbacks": ["array-like"],
        "checkpoint": [str, PathLike, None],
    }

    def __init__(
        self,
        *,
        constraint: Constraint | None = None,
        epsilon: float | Fraction | None = None,
        max_complexity: int = 20,
        max_conditions: int | None = None,
        objective: str = "hamming",
        rates: str = "auto",
        cost_false_positive: float = 1,
        cost_false_negative: float = 1,
        class_weight: str | Mapping[Any, float] | None = None,
        pricing: str | Pricer = "exact",
        warm_start_rules: str | Iterable[Rule] | None = "forest",
        thresholds: str | Mapping[Any, Sequence[float]] = "auto",
        n_thresholds: int = 10,
        exclude: Sequence[str | int] = (),
        monotone: Mapping[Any, str] | None = None,
        not_together: Sequence[Sequence[str | int]] = (),
        time_limit: float | None = None,
        work_limit: float | None = None,
        pricing_time_limit: float = 45.0,
        memory_limit: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        pos_label: Any = None,
        rules_for: str = "rarer",
        missing_groups: str = "raise",
        groups: Any = "intersection",
        strict: bool | None = None,
        on_interrupt: str = "raise",
        callbacks: Sequence[Callable[[Event], object]] = (),
        checkpoint: str | PathLike[str] | None = None,
    ) -> None:
        self.constraint, self.epsilon = constraint, epsilon
        self.max_complexity, self.max_conditions = max_complexity, max_conditions
        self.objective, self.rates = objective, rates
        self.cost_false_positive = cost_false_positive
        self.cost_false_negative = cost_false_negative
        self.class_weight = class_weight
        self.pricing = pricing
        self.warm_start_rules = warm_start_rules
        self.thresholds, self.n_thresholds = thresholds, n_thresholds
        self.exclude, self.monotone = exclude, monotone
        self.not_together = not_together
        self.time_limit, self.work_limit = time_limit, work_limit
        self.pricing_time_limit, self.memory_limit = pricing_time_limit, memory_limit
        self.random_state = random_state
        self.n_jobs, self.verbose = n_jobs, verbose
        self.pos_label, self.rules_for = pos_label, rules_for
        self.missing_groups, self.groups = missing_groups, groups
        self.strict, self.on_interrupt = strict, on_interrupt
        self.callbacks, self.checkpoint = callbacks, checkpoint

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        costs: ArrayLike | None = None,
    ) -> Self:
        """Learn a rule set.

        Parameters
        ----------
        X
            Frame or array of shape (n_samples, n_features).
        y
            Two labels.
        sensitive_features
            Group of each sample: one column, or several, of which ``groups`` says how
            they make groups. Only used here; prediction never needs it.
        sample_weight
            How often each sample counts, as a person and in the loss; not negative.
            Whole numbers are repeated rows; others, such as 0.25, are counted exactly
            in parts of a person.
        costs
            What a wrong prediction of each sample costs, times the cost of its kind;
            one each by default. Only the loss counts them: rates of groups count
            people.
        """
        return self._learn(
            lambda question: LabelledTable.read(
                self, question, X, y, sensitive_features, sample_weight, costs
            ),
            attribute_names(sensitive_features),
        )

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_table(
        self,
        table: Any,
        *,
        target: str,
        sensitive: str | Sequence[str] = (),
        weight: str | None = None,
        features: Sequence[str] | None = None,
    ) -> Self:
        """Learn a rule set from a table where it lives, by the names of its columns.

        Only distinct rows leave a database, with the number of people of each; of very
        many, numbers are cut into intervals there. The model is the same as from a
        frame.

        Parameters
        ----------
        table
            A relation of DuckDB, a table of ibis (in any database that it knows), or a
            frame.
        target
            Column of the labels.
        sensitive
            Columns of the groups. Rules do not test them, unless they are ``features``
            too.
        weight
            Column that says how often each row counts.
        features
            Columns that rules may test; by default all others.

        Examples
        --------
        >>> import duckdb
        >>> people = duckdb.sql("SELECT i % 50 AS age, i % 7 < 3 AS member, "
        ...     "i % 50 > 20 AS paid FROM range(100000) AS t(i)")
        >>> clf = FairRuleSetClassifier().fit_table(people, target="paid")
        >>> print(clf.rule_set_)
        Predict False if
            age <= 20
        """
        asked = TableColumns.of(table, target, sensitive, weight, features)
        return self._learn(
            lambda question: counted(self, question, table, asked), asked.sensitive
        )

    def _learn(
        self,
        read: Callable[[Question], LabelledTable],
        attributes: Iterable[str | int],
    ) -> Self:
        """Learn a rule set from people who are read; ``attributes`` name groups."""
        question = Question.of(self)
        deadline, criterion = question.deadline(), question.criterion
        listening = telling(self.callbacks, self.verbose)
        with listening as tell, deadline.listening():
            people = read(question).counting()
            deadline = deadline.but_for(question.kept(deadline))
            question = question.about(people)
            cutting = question.cutting(people.features, people.table.kinds)
            data = people.reduced(cutting, deadline)
            epsilon = None if criterion is None else criterion.epsilon
            allowed = None if epsilon is None else float(epsilon)
            count = float(data.weights.sum() / data.parts)
            tell(FitBegun(allowed, question.max_complexity, count, question.time_limit))
            # Before the search, which leaves no time after it.
            truth, seconds = data.labels.is_positive, deadline.seconds()
            tree = PlainTree.learn(data.table, truth, data.weights, data.cuts, seconds)
            found = learn(question, data, deadline, tell)
        solution = found.solution
        self.model_, self.certificate_, self.fairness_ = learned_model(
            solution,
            found.conditions,
            data,
            criterion,
            asked_of(self, data),
            found.rules_for,
            question.grouping,
            tree,
        )
        check_recount(self.model_, people)
        self.classes_, self._positive = data.labels.classes, data.labels.positive
        self.rule_set_, self.history_ = self.model_.rule_set, solution.history
        if (ended := self.certificate_.status) in ("time_limit", "work_limit"):
            name = ended.replace("_", " ")
            limit = limit_words(self.time_limit, self.work_limit)
            warnings.warn(
                f"the {name} of {limit} was reached; the best rule set so far is kept. "
                f"{self.certificate_}",
                ConvergenceWarning,
                stacklevel=4,  # whoever called fit
            )
        warn_of_sensitive(self.rule_set_, attributes, stacklevel=5)
        if deadline.interrupted.is_set() and self.on_interrupt == "raise":
            raise KeyboardInterrupt
        return self
