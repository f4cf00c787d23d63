"""Measure what a second run of five folds is worth for samples of 200, 800 and 3,200 rows.

    python docs/studies/rows.py

The rows are the blobs of docs/studies/strategies.py, in a population of 20,000, the models
three of those there. Saves docs/studies/rows.parquet, which docs/study-choice.md reads.
Takes ten minutes on two cores.
"""

import os

# One thread in each process; it is too late to say so when NumPy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import sklearn
import strategies as study
from strategies import CLASSIFIERS, blobs, population, run, save

import stratframe as sf

RESULT = Path(__file__).with_suffix(".parquet")

SIZES = (200, 800, 3200)
SAMPLES = 200
MODELS = ("linear", "nearest neighbours", "tree")


def main() -> None:
    """Run all sizes, and save the estimates."""
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    study.N_ROWS = 20_000
    drawn = blobs()
    found = [
        run(
            population(f"{size} rows", *drawn, size=size),
            strategies={"SCV": sf.classes("target")},
            estimators={name: CLASSIFIERS[name] for name in MODELS},
            k=(5,),
            samples=SAMPLES,
            repeats=2,
        )
        for size in SIZES
    ]
    save(found, RESULT)


if __name__ == "__main__":
    main()
