"""Frozen folds: they change only with a note under "Folds changed" in the CHANGELOG."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

import stratframe as sf
from tests.helpers import KINDS, make, some_slow, values

FILE = Path(__file__).with_name("golden.json")
N = 60
DATA: dict[str, Any] = {
    "label": ["abbcabcaab"[i * i % 10] for i in range(N)],
    "sex": [("f", "m", "f", None)[i % 4] for i in range(N)],
    "age": [(i * 37) % 90 for i in range(N)],
    "price": [((i * 7919) % 1000) / 8 + 0.125 for i in range(N)],
    "id": [(i * 23) % N for i in range(N)],
    "name": [f"Zoë {(i * 23) % N}" for i in range(N)],
    "day": [dt.datetime(2024, 2, 27) + dt.timedelta(days=i % 7, microseconds=i) for i in range(N)],
}
SQUARES = [i * i for i in range(20_000)]
LARGE: dict[str, Any] = {"label": [square % 7 % 3 for square in SQUARES], "id": SQUARES}
PARTS = {"train": 0.7, "valid": 0.2, "test": 0.1}
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "plain": (None, {}),
    "class": ("label", {}),
    "class, seed 1": ("label", {"seed": 1}),
    "class, key": ("label", {"key": "id"}),
    "class, text key": ("label", {"key": "name"}),
    "class, quantiles, two keys": (["label", sf.quantiles("age", 3)], {"key": ["day", "id"]}),
    "class, circular": ("label", {"deal": "circular"}),
    "two columns, missing is a stratum": (["label", "sex"], {"missing": "stratum"}),
    "quantiles": (sf.quantiles("price", 4), {}),
    "class, quantiles": (["label", sf.quantiles("age", 3)], {}),
    "bins": ([sf.bins("age", [0, 18, 65, 120]), "label"], {}),
    "continuous": ("price", {}),
    "class, continuous": (["label", sf.continuous("age")], {}),
    "chain": (sf.chain(["age", "price"]), {}),
    "class, chain, circular": (["label", sf.chain("price", scale=None)], {"deal": "circular"}),
    "nearest": (sf.nearest(["age", "price"], scale="minmax"), {}),
    "class, nearest, key": (["label", sf.nearest(["age", "price"])], {"key": "id"}),
    "class, continuous, circular": (["label", sf.continuous("age")], {"deal": "circular"}),
    "class, total": (["label", sf.total("price")], {}),
    "class, totals, key": (["label", sf.total("age", "price")], {"key": "id"}),
    "class, total, groups": (["label", sf.total("price")], {"groups": "age"}),
    "contiguous": (None, {"deal": "contiguous"}),
    "class, contiguous": ("label", {"deal": "contiguous"}),
    "class, contiguous, key": ("label", {"key": "name", "deal": "contiguous"}),
    "groups": ("label", {"groups": "age"}),
    "margins": (sf.margins(["label", "sex"]), {"missing": "stratum"}),
    "continuous, contiguous": (sf.continuous("age"), {"deal": "contiguous"}),
    "class, continuous, contiguous": (["label", "price"], {"deal": "contiguous"}),
}


def dealt(frame: Any, by: Any, options: dict[str, Any]) -> dict[str, list[Any]]:
    """Deal folds and parts of one call."""
    options = {"rare": "ignore", **options}
    return {
        "kfold": values(sf.kfold(frame, by, 4, **options), "fold"),
        "split": values(sf.split(frame, by, PARTS, **options), "split"),
    }


def dealt_rows(kind: str) -> dict[str, Any]:
    """Folds, parts, extended columns and repeats on one kind of frame."""
    frame = make(kind, DATA)
    found: dict[str, Any] = {name: dealt(frame, *call) for name, call in CALLS.items()}
    some = sf.kfold(frame, ["label", "sex"], 4, missing="null", rare="null")
    found["nulls"] = {"kfold": values(some, "fold")}
    tags = [list(("xy", "yz", "x", "")[i * i % 7 % 4]) for i in range(N)]
    margins = sf.margins(["tags", "sex", sf.quantiles("price", 3)])
    tagged = make(kind, {**DATA, "tags": tags})
    found["margins of lists"] = dealt(tagged, margins, {"missing": "stratum"})
    given = {**DATA, "fold": [None if i % 4 == 3 else i * i % 4 for i in range(N)]}
    found["extend"] = {
        name: values(sf.extend(make(kind, given), "label", 4, groups=groups), "fold")
        for name, groups in (("rows", None), ("groups", "id"))
    }
    repeated = sf.kfold(frame, "label", 4, repeats=3)
    found["repeats"] = {name: values(repeated, name) for name in ("fold_1", "fold_2", "fold_3")}
    for key in (None, "id"):
        for name, folds in dealt(make(kind, LARGE), "label", {"key": key}).items():
            found[f"large {name}" if key is None else f"large {name}, key"] = folds
    return found


SAMPLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "n": ("label", {"n": 13}),
    "frac, seed 1": (["label", "sex"], {"frac": 0.35, "seed": 1}),
    "equal": ("label", {"n": 20, "allocation": "equal"}),
    "continuous": (["label", sf.continuous("price")], {"frac": 0.25}),
    "nearest": (["label", sf.nearest(["age", "price"])], {"n": 17}),
    "quantiles": (sf.quantiles("price", 4), {"n": 9, "allocation": "equal"}),
}
EXTENDED: dict[str, tuple[Any, dict[str, Any]]] = {
    "no strata": (None, {}),
    "two columns, missing is a stratum": (["label", "sex"], {"missing": "stratum", "seed": 1}),
    "missing stays null": (["label", "sex"], {"missing": "null"}),
    "continuous": (["label", sf.continuous("price")], {}),
    "margins": (sf.margins(["label", sf.quantiles("price", 3)]), {}),
    "margins, groups": (sf.margins(["label", sf.quantiles("price", 3)]), {"groups": "id"}),
}
MARGINS = sf.margins(["label", "sex", sf.quantiles("price", 3)])


def other_verbs(kind: str) -> dict[str, Any]:
    """Samples, circular deals, margins of groups, and extended columns on one kind of frame."""
    frame = make(kind, DATA)
    visits = make(kind, {**DATA, "who": [i // 3 for i in range(N)]})
    given = {**DATA, "fold": [None if i % 3 == 1 else i * i % 4 for i in range(N)]}
    circular = {"deal": "circular", "missing": "stratum"}
    in_order = [sf.quantiles("age", 3), sf.continuous("price")]
    found: dict[str, Any] = {}
    for name, (by, options) in SAMPLES.items():
        found[f"sample: {name}"] = values(sf.sample(frame, by, **options), "id")
    found["circular"] = {
        "no strata": dealt(frame, None, circular),
        "two columns": dealt(frame, ["label", "sex"], circular),
        "quantiles, continuous": dealt(frame, in_order, circular),
        "nearest": dealt(frame, sf.nearest("price"), circular),
        "key": dealt(frame, "label", circular | {"key": "id"}),
    }
    for seed in (0, 1):
        parted = dealt(visits, MARGINS, {"groups": "who", "missing": "stratum", "seed": seed})
        found[f"margins of groups: seed {seed}"] = parted
    for name, (by, options) in EXTENDED.items():
        extended = sf.extend(make(kind, given), by, 4, **{"rare": "ignore", **options})
        found[f"extend: {name}"] = values(extended, "fold")
    return found


def flat(found: dict[str, Any], before: str = "") -> dict[str, str]:
    """Write the folds, parts or positions of nested calls as digits, by the path to them."""
    lines: dict[str, str] = {}
    signs = {"train": "0", "valid": "1", "test": "2", None: "-"}
    for name, rows in found.items():
        if isinstance(rows, dict):
            lines |= flat(rows, f"{before}{name}: ")
        else:
            digits = [signs.get(each, str(each)) for each in rows]
            lines[before + name] = ("" if max(map(len, digits)) == 1 else " ").join(digits)
    return lines


def frozen(kind: str) -> dict[str, str]:
    """All golden calls on one kind of frame, by verb and arguments."""
    return flat(dealt_rows(kind)) | flat(other_verbs(kind))


@pytest.mark.parametrize("kind", some_slow(KINDS, {"pandas-nullable", "pandas-pyarrow"}))
def test_folds_are_those_of_the_file(kind: str) -> None:
    """Every kind of frame gets the frozen folds, parts and samples."""
    assert frozen(kind) == json.loads(FILE.read_text())


def test_the_file_holds_no_trivial_folds() -> None:
    """Different calls freeze different folds, so that the file guards something."""
    golden = json.loads(FILE.read_text())
    for kind in (": kfold", "sample: ", "extend: "):
        folds = [digits for name, digits in golden.items() if kind in f"{name}: "]
        assert len(set(folds)) == len(folds) > 5
    assert [golden["large kfold"].count(fold) for fold in "0123"] == [5000] * 4


if __name__ == "__main__":
    FILE.write_text(json.dumps(frozen("polars"), indent=0, ensure_ascii=False) + "\n")
