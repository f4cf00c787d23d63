"""Stratified folds as a column of your data frame.

`import stratframe as sf` registers the accessor `.strat` on pandas and Polars frames. Each method
of the accessor is also a function of this package, as in `df.pipe(sf.kfold, "label")`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .command import interrupt  # noqa: F401 (first, because the other imports take a second)

# isort: split

from . import theory
from .accessor import register
from .errors import StratError, StratWarning
from .judging.advise import advise
from .judging.check import Check, check
from .judging.drift import drift
from .judging.leaks import leaks
from .judging.plot import plot
from .judging.report import compare, report
from .terms.bins import bins, continuous, quantiles
from .terms.classes import classes
from .terms.clusters import clusters
from .terms.margins import margins
from .terms.neighbours import chain, nearest
from .terms.similar import similar
from .terms.together import linked
from .terms.total import total
from .verbs.deals import extend, kfold, split
from .verbs.fingerprint import fingerprint
from .verbs.from_splits import from_splits
from .verbs.sample import sample
from .verbs.select import Fold, cv, folds, parts
from .verbs.tables import balance, plan

if TYPE_CHECKING:
    from . import schemas, study
    from .verbs.splitter import FoldSplit

register()

__version__ = "0.2.0.dev0"

__all__ = [
    "Check",
    "Fold",
    "FoldSplit",
    "StratError",
    "StratWarning",
    "advise",
    "balance",
    "bins",
    "chain",
    "check",
    "classes",
    "clusters",
    "compare",
    "continuous",
    "cv",
    "drift",
    "extend",
    "fingerprint",
    "folds",
    "from_splits",
    "kfold",
    "leaks",
    "linked",
    "margins",
    "nearest",
    "parts",
    "plan",
    "plot",
    "quantiles",
    "report",
    "sample",
    "schemas",
    "similar",
    "split",
    "study",
    "theory",
    "total",
]


def __dir__() -> list[str]:
    """List the public names, but not the modules that define them."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """Import a rarely needed name on first use; for `FoldSplit`, also import scikit-learn."""
    if name in ("schemas", "study"):
        return import_module(f".{name}", __name__)
    if name != "FoldSplit":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = import_module(".verbs.splitter", __name__).FoldSplit
    return globals()[name]
