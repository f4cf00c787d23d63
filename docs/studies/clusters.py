"""Count the clusters that `n="auto"` finds, beside those of Table I of Spezia et al. (2025).

    python docs/studies/clusters.py FOLDER

FOLDER holds data sets of the Penn Machine Learning Benchmarks as NAME.csv.gz, features first and
then `target`. Saves docs/studies/clusters.csv, which docs/sources.md reads. Takes seconds.
"""

import sys
from pathlib import Path

import pandas as pd

import stratframe as sf

RESULT = Path(__file__).with_suffix(".csv")

PAPER = {
    "cloud": 4,
    "iris": 4,
    "analcatdata_germangss": 4,
    "movement_libras": 5,
    "sonar": 4,
    "vowel": 4,
    "contraceptive": 5,
    "analcatdata_cyyoung9302": 4,
    "appendicitis": 6,
    "backache": 5,
    "new_thyroid": 6,
    "haberman": 5,
    "wine_quality_red": 5,
}
"""The clusters in Table I of the data sets that are at hand."""


def count_clusters(frame: pd.DataFrame, scale: str | None) -> int:
    """Count the clusters of all features."""
    features = list(frame.columns.drop("target"))
    plan = sf.plan(frame, sf.clusters(features, "auto", scale=scale, name="cluster"), k=2)
    return plan["cluster"].nunique()


def main(folder: Path) -> None:
    """Count the clusters of each data set, as it is and scaled."""
    rows = []
    for name, clusters in PAPER.items():
        frame = pd.read_csv(folder / f"{name}.csv.gz")
        counts = {scale: count_clusters(frame, scale) for scale in (None, "standard")}
        rows.append((name, clusters, counts[None], counts["standard"]))
    columns = ["data set", "paper", "as it is", "scaled"]
    pd.DataFrame(rows, columns=columns).to_csv(RESULT, index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
