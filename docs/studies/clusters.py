"""Count the clusters that `n="auto"` finds, beside those of Table I of Spezia et al. (2025).

    python docs/studies/clusters.py FOLDER

FOLDER holds data sets of the Penn Machine Learning Benchmarks as NAME.csv.gz, features first and
then `target`; those of the paper that it lacks are left out. Saves docs/studies/clusters.csv,
which docs/sources.md reads. Takes seconds.
"""

import sys
from pathlib import Path

import pandas as pd
from paper import CLUSTERS

import stratframe as sf

RESULT = Path(__file__).with_suffix(".csv")


def count_clusters(frame: pd.DataFrame, scale: str | None) -> int:
    """Count the clusters of all features."""
    features = list(frame.columns.drop("target"))
    plan = sf.plan(frame, sf.clusters(features, "auto", scale=scale, name="cluster"), k=2)
    return plan["cluster"].nunique()


def main(folder: Path) -> None:
    """Count the clusters of each data set that is at hand, as it is and scaled."""
    rows = []
    for name, clusters in CLUSTERS.items():
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            continue
        frame = pd.read_csv(path)
        counts = {scale: count_clusters(frame, scale) for scale in (None, "standard")}
        rows.append((name, clusters, counts[None], counts["standard"]))
    columns = ["data set", "paper", "as it is", "scaled"]
    pd.DataFrame(rows, columns=columns).to_csv(RESULT, index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
