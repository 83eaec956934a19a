"""Surrogate of the evaluation: fitness of a rule set, predicted from its lines by a random forest.

Playing a rule set takes thousands of times as long as making one. A surrogate is a model learned from the rule sets
that were played; of several children it picks the one to be played (Jin: Surrogate-Assisted Evolutionary Computation,
2011, pre-selection). It never stands in for playing: what is told to the generator was played.

The model is a forest of extremely randomised trees (Geurts, Ernst, Wehenkel 2006, from scikit-learn) over which rules,
pairs, effects and terminations there are. It is learned anew for every generation, from the rule sets played last. Of
rule sets that promise as much, that is preferred on which the trees differ: to pick the highest guess each time makes
generations alike, and a search that is stuck learns nothing new (an upper confidence bound, as in Hutter, Hoos,
Leyton-Brown: Sequential Model-Based Optimization for General Algorithm Configuration, 2011).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.rules.genes import RuleSet

MEMORY = 1000
"""Rule sets that are learned from: what was bred long ago is unlike what is bred now."""
FEWEST = 100
"""Rule sets played before the model has a say."""
_TREES = 40
_LEAF = 2
_SHARE = 0.1
"""Of the features, looked at for each split."""
_OPTIMISM = 0.5
"""Standard deviations of the trees' guesses that are added to their mean."""
_RARE = 3
"""Rule sets that must have a feature; of what fewer have nothing is learned."""


def load_sklearn() -> tuple[Any, Any]:
    """scikit-learn's trees, and what makes a table of named features.

    Raises:
        PcgError: when it is not installed; says how to install it.
    """
    try:
        from sklearn.ensemble import ExtraTreesRegressor
        from sklearn.feature_extraction import DictVectorizer
    except ImportError:
        raise PcgError(
            "a surrogate needs scikit-learn, which is not installed: pip install 'pcg-toolkit[surrogate]'"
        ) from None
    return ExtraTreesRegressor, DictVectorizer


def features_of(genotype: RuleSet) -> Mapping[str, int]:
    """Return the features of a rule set: the number of times it has each thing that can matter.

    >>> from pcg.generators.rules.genes import Rule
    >>> sorted(features_of(RuleSet((Rule("avatar", "wall", "stepBack"),), ())))[:3]
    ['* * > stepBack', '* wall > stepBack', 'avatar * > stepBack']
    """
    # features are sorted by name, and the forest draws by column: a new name would change runs
    found: Counter[str] = Counter(rules=len(genotype.rules), endings=len(genotype.terminations))
    for rule in genotype.rules:
        a, b, effect = rule.first, rule.second, rule.effect
        found.update((f"{a} {b}", f"{a} {b} > {effect}", f"{a} * > {effect}", f"* {b} > {effect}", f"* * > {effect}"))
        change = rule.get("scoreChange") or ""
        if change:
            found[f"{a} {b} scores {'less' if change.startswith('-') else 'more'}"] += 1
    for termination in genotype.terminations:
        result = "wins" if termination.wins else "loses"
        found.update((f"{termination.name} {result}", f"{termination.name} {termination.get('stype')} {result}"))
    return found


class Surrogate:
    """Predictor of fitness.

    Args:
        seed: equal seeds and equal memories give equal guesses.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.seen: deque[tuple[RuleSet, float]] = deque(maxlen=MEMORY)
        """Rule sets played, with their values: fitness and 1 of the feasible, the constraints kept of the others."""
        self._trees, self._table = load_sklearn()
        self._model: tuple[Any, NDArray[np.bool_], Any] | None = None

    def tell(self, genotype: RuleSet, *, feasible: bool, fitness: float, constraint: float) -> None:
        """Take what playing showed."""
        self.seen.append((genotype, 1.0 + fitness if feasible else constraint))

    def learn(self, generation: int) -> bool:
        """Fit the model to all remembered evaluations; return True if there are enough."""
        self._model = None
        if len(self.seen) < FEWEST:
            return False
        table = self._table(dtype=np.float32, sparse=False)
        rows = table.fit_transform([features_of(genotype) for genotype, _ in self.seen])
        common = (rows > 0).sum(axis=0) >= _RARE
        values = np.array([value for _, value in self.seen])
        trees = self._trees(
            _TREES, min_samples_leaf=_LEAF, max_features=_SHARE, n_jobs=1,
            random_state=int(np.random.default_rng([self.seed, generation]).integers(2**31)),
        )  # fmt: skip
        self._model = table, common, trees.fit(rows[:, common], values)
        return True

    def predict(self, genotypes: Sequence[RuleSet]) -> NDArray[np.float64]:
        """Predict what each may be worth, shape (rule sets,): the fitness (1 more where feasible), and more where the
        trees differ; `learn` comes first.

        Raises:
            RuntimeError: when nothing was learned.
        """
        if self._model is None:
            raise RuntimeError("nothing was learned yet")
        table, common, trees = self._model
        rows = table.transform([features_of(one) for one in genotypes])[:, common]
        guesses = np.array([tree.predict(rows) for tree in trees.estimators_])
        # rounded, so that the order of a sum does not decide between equals
        return np.asarray(np.round(guesses.mean(axis=0) + _OPTIMISM * guesses.std(axis=0), 9), np.float64)

    def to_json(self) -> list[Any]:
        """The memory as a JSON array."""
        return [[genotype.to_json(), value] for genotype, value in self.seen]

    def restore(self, data: Iterable[Sequence[Any]]) -> None:
        """The inverse of `to_json`."""
        self.seen.clear()
        self.seen.extend((RuleSet.from_json(genotype), float(value)) for genotype, value in data)
