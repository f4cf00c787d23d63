"""`by` on a frame -> strata: which rows are alike, in what order, and which get no part."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import columns, frames
from .core.strata import edge_bins, first_rows, nest, number, quantile_bins
from .core.types import Flags, Ints, Values
from .errors import StratError, plural, some, warn
from .schemas import Rule, check_rows
from .terms import Bins, Classes, Continuous, Plain, Quantiles, Term, shown


class Entry(NamedTuple):
    """One entry of `by`, read from its column."""

    term: Term
    series: Any
    codes: Ints | None
    """Codes of classes, shape (n_rows,), -1 where missing."""
    n_codes: int
    values: Values | None
    """Numbers, shape (n_rows,), where the entry is cut into bins or orders the rows."""
    missing: Flags
    """Where the value is missing, shape (n_rows,)."""


class Level(NamedTuple):
    """One level of nesting: the strata down to one entry of `by`."""

    name: Hashable
    codes: Ints
    """The stratum of every dealt row at this level, shape (n_dealt,)."""
    values: Callable[[Ints], Any]
    """From the first dealt row of each stratum to the values that name it."""


class Strata(NamedTuple):
    """The strata of a frame."""

    codes: Ints
    """The joint stratum of every dealt row, shape (n_dealt,), range 0..n_strata-1."""
    n_strata: int
    coarser: tuple[Ints, ...]
    """For each level of nesting above, finest first, the stratum that holds each joint
    stratum; each of shape (n_strata,), nondecreasing."""
    order: Values | None
    """What orders the rows inside their stratum, shape (n_dealt,)."""
    rows: Ints | None
    """The positions of the dealt rows; None if all are, in the order of the frame."""
    levels: tuple[Level, ...]


def stratify(
    terms: Sequence[Term],
    series: Sequence[Any],
    n_rows: int,
    *,
    key: Sequence[Any] = (),
    missing: str = "stratum",
    rare: str = "ignore",
    n_parts: int = 2,
) -> Strata:
    """Fit the entries of `by`, each inside the strata of the entries before it.

    Parameters
    ----------
    terms : sequence of Term
    series : sequence of Series, one for each term
    n_rows : int
    key : sequence of Series
        Take the rows in the order of these.
    missing, rare : str
        As for `kfold`.
    n_parts : int
        Fewer rows than this make a class rare.

    Returns
    -------
    Strata

    Raises
    ------
    StratError
        If the data break a rule of the call.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> stratify([Plain("a")], [pl.Series(["x", "y", "x"])], 3).codes
    array([0, 1, 0])
    """
    entries = [read_entry(term, column) for term, column in zip(terms, series, strict=True)]
    check_order(entries)
    check_values(entries, missing)
    rows = key_order(key) if key else None
    if missing == "null" and any(entry.missing.any() for entry in entries):
        whole = ~np.logical_or.reduce([entry.missing for entry in entries])
        rows = np.flatnonzero(whole) if rows is None else rows[whole[rows]]
    rows = without_rare(entries, rows, rare, n_parts)
    return fit(entries, rows, n_rows)


def read_entry(term: Term, series: Any) -> Entry:
    """Read the column of one entry into arrays.

    Examples
    --------
    >>> import polars as pl
    >>> read_entry(Plain("a"), pl.Series([1.5, 2.0])).values
    array([1.5, 2. ])
    """
    if isinstance(term, Plain):
        may = columns.may_have_fractions(series)
        continuous = may and columns.has_fractions(columns.floats(series))
        term = (Continuous if continuous else Classes)(term.column, term.name)
    if isinstance(term, Classes):
        codes, n_codes = columns.encode(series)
        return Entry(term, series, codes, n_codes, None, codes < 0)
    values, missing = columns.numbers(series, shown(term))
    return Entry(term, series, None, 0, values, missing)


def check_order(entries: Sequence[Entry]) -> None:
    """Refuse a column that turns out continuous but is not the last entry."""
    for entry in entries[:-1]:
        if isinstance(entry.term, Continuous):
            column = frames.shown(entry.term.column)
            msg = (
                f"A continuous entry of `by` must be the last, but {column} holds fractions"
                f" and others follow.\nHint: cut it, as in `sf.quantiles({column}, 10)`,"
                f" or take its values as they are, `sf.classes({column})`."
            )
            raise StratError(msg)


def check_values(entries: Sequence[Entry], missing: str) -> None:
    """Refuse missing, infinite and outlying values, all at once."""
    rules = [rule_of(entry, missing) for entry in entries]
    if any(is_broken(rule, entry) for rule, entry in zip(rules, entries, strict=True)):
        check_rows(frames.library(entries[0].series), rules)


def rule_of(entry: Entry, missing: str) -> Rule:
    """Say what the call asks of the values of an entry."""
    name = frames.shown(frames.ref_name(entry.term.column, entry.series))
    hint = "`missing=\"stratum\"` makes missing values a stratum of their own."
    if entry.values is None:
        return Rule(name, entry.series, present=missing == "error", hint=hint)
    values = np.where(entry.missing, np.nan, entry.values)
    match entry.term:
        case Continuous():
            return Rule(name, values, finite=True)
        case Bins(edges=edges):
            within = (edges[0], edges[-1])
            return Rule(name, values, present=missing == "error", within=within, hint=hint)
        case _:
            return Rule(name, values, present=missing == "error", hint=hint)


def is_broken(rule: Rule, entry: Entry) -> bool:
    """Say, in one pass and without pandera, whether any row breaks the rule."""
    if rule.present and entry.missing.any():
        return True
    if rule.finite and not np.isfinite(rule.values).all():
        return True
    return rule.within is not None and bool(
        (np.nanmin(rule.values, initial=np.inf) < rule.within[0])
        | (np.nanmax(rule.values, initial=-np.inf) > rule.within[1])
    )


def key_order(key: Sequence[Any]) -> Ints:
    """Order the rows by their keys, the first key first.

    Raises
    ------
    StratError
        If a key is missing, or two rows have the same.

    Examples
    --------
    >>> import polars as pl
    >>> key_order([pl.Series(["b", "a"])])
    array([1, 0])
    """
    library = frames.library(key[0])
    if any(columns.missing(series).any() for series in key):
        check_rows(library, [Rule(f"{series.name!r}", series) for series in key])
    ranked = [columns.ranks(series) for series in key]
    rows = np.lexsort(ranked[::-1])
    repeats = np.ones(max(len(rows) - 1, 0), dtype=np.bool_)
    for ranks in ranked:
        repeats &= np.diff(ranks[rows]) == 0
    if repeats.any():
        places = np.empty(len(rows), dtype=np.int64)
        places[rows] = np.cumsum(np.append(True, ~repeats))
        rules = [Rule(f"{series.name!r}", series) for series in key]
        named = ", ".join(rule.column for rule in rules)
        check_rows(library, [*rules, Rule(f"`key` ({named})", places, unique=True)])
    return rows


def without_rare(entries: Sequence[Entry], rows: Ints | None, rare: str, n_parts: int) -> Ints | None:
    """Deal with classes of the first entry that have fewer rows than parts.

    Returns
    -------
    ndarray of int64 or None
        The rows that stay.
    """
    if rare == "ignore" or not entries or entries[0].codes is None:
        return rows
    entry = entries[0]
    # Missing values, coded -1, count last.
    codes = entry.codes if rows is None else entry.codes[rows]
    sizes = np.bincount(codes + (codes < 0) * (entry.n_codes + 1), minlength=entry.n_codes + 1)
    few = (sizes > 0) & (sizes < n_parts)
    if not few.any():
        return rows
    if rare != "null":
        report_rare(entry, codes, sizes, few, rare, n_parts)
        return rows
    keep = np.flatnonzero(~few[codes])
    return keep if rows is None else rows[keep]


def report_rare(
    entry: Entry, codes: Ints, sizes: Ints, few: Flags, rare: str, n_parts: int
) -> None:
    """Warn of rare classes, or refuse them."""
    order = np.flatnonzero(few)
    order = order[np.argsort(sizes[order], kind="stable")]
    first = first_rows(np.where(entry.codes < 0, entry.n_codes, entry.codes), entry.n_codes + 1)
    values = frames.listed(frames.take(entry.series, first[order[:5]]))
    named = [
        f"{value!r} ({plural(int(sizes[code]), 'row')})"
        for value, code in zip(values, order, strict=False)
    ]
    column = frames.shown(frames.ref_name(entry.term.column, entry.series))
    rule = (
        f"{plural(len(order), 'stratum').replace('stratums', 'strata')} of {column} "
        f"{'has' if len(order) == 1 else 'have'} fewer rows than the {n_parts} parts: "
        f"{some(named, len(order))}."
    )
    if 2 * int(sizes[few].sum()) > len(codes):
        rule += (
            f" More than half of the rows are in such strata: {column} looks continuous, or like"
            f" an id.\nHint: `sf.quantiles({column}, 10)` or `sf.continuous({column})`."
        )
    if rare == "error":
        raise StratError(f"`rare=\"error\"` allows no rare strata, but {rule}")
    warn(f"{rule}" if "\n" in rule else f"{rule} They are dealt as evenly as can be.")


def fit(entries: Sequence[Entry], rows: Ints | None, n_rows: int) -> Strata:
    """Nest the entries into joint strata, on the rows that are dealt."""
    n_dealt = n_rows if rows is None else len(rows)
    codes, n_strata = np.zeros(n_dealt, dtype=np.int64), 1
    order: Values | None = None
    coarser: list[Ints] = []
    levels: list[Level] = []
    for entry in entries:
        if isinstance(entry.term, Continuous):
            order = entry.values if rows is None else entry.values[rows]
            break
        child, n_children = children(entry, codes, n_strata, rows)
        if levels:
            parent, (codes, parents) = codes, nest(codes, n_strata, child, n_children)
            coarser = [parents, *(level[parents] for level in coarser)]
            n_strata = len(parents)
        elif is_numbered(entry, rows):
            parent, codes, n_strata = codes, child, n_children
        else:
            parent, (codes, present) = codes, number(child, n_children)
            n_strata = len(present)
        levels.append(Level(entry_name(entry), codes, namer(entry, rows, parent, child)))
    return Strata(codes, n_strata, tuple(coarser), order, rows, tuple(levels))


def is_numbered(entry: Entry, rows: Ints | None) -> bool:
    """Say whether the codes of an entry are numbered by first appearance as they are."""
    return entry.codes is not None and rows is None and not entry.missing.any()


def entry_name(entry: Entry) -> Hashable:
    """Name the column of an entry in result frames."""
    name = entry.term.name
    return frames.ref_name(entry.term.column, entry.series) if name is None else name


def children(
    entry: Entry, parent: Ints, n_parents: int, rows: Ints | None
) -> tuple[Ints, int]:
    """Number the classes or bins of an entry inside each parent, missing ones last.

    Returns
    -------
    child : ndarray of int64, shape (n_dealt,), range 0..n_children-1
    n_children : int
    """
    missing = entry.missing if rows is None else entry.missing[rows]
    if entry.values is None:
        codes = entry.codes if rows is None else entry.codes[rows]
        n_children = entry.n_codes
    else:
        values = entry.values if rows is None else entry.values[rows]
        codes = np.zeros(len(values), dtype=np.int64)
        codes[~missing], n_children = cut(entry.term, values[~missing], parent[~missing])
    if missing.any():
        codes = np.where(missing, n_children, codes)
        n_children += 1
    return codes, n_children


def cut(term: Term, values: Values, parent: Ints) -> tuple[Ints, int]:
    """Cut numbers into the bins of a term."""
    if isinstance(term, Bins):
        edges = np.array(term.edges)
        return edge_bins(values, edges, term.closed), len(edges) - 1
    found, counts = quantile_bins(parent, values, term.n)
    counts = counts[counts > 0]
    if (short := counts < term.n).any() and not term.quiet:
        where = "" if len(counts) == 1 else f" in {short.sum()} of {len(counts)} strata"
        least = "" if len(counts) == 1 else " at the fewest"
        warn(
            f"`{shown(term)}` made fewer bins than asked for{where}: {counts.min()} of"
            f" {term.n}{least}. Equal values are never parted."
        )
    return found, term.n


def namer(entry: Entry, rows: Ints | None, parent: Ints, child: Ints) -> Callable[[Ints], Any]:
    """Make the function that names the strata of a level by its entry's values."""

    def values(first: Ints) -> Any:
        return frames.take(entry.series, first if rows is None else rows[first])

    def edges(first: Ints) -> list[str | None]:
        texts = [f"{edge:g}" for edge in entry.term.edges]
        side = entry.term.closed
        names = [interval(texts, place, side) for place in range(len(texts) - 1)]
        return [names[code] if code < len(names) else None for code in child[first].tolist()]

    def ranges(first: Ints) -> list[str | None]:
        return quantile_names(entry, rows, parent, child, first)

    match entry.term:
        case Bins():
            return edges
        case Quantiles():
            return ranges
        case _:
            return values


def interval(edges: Sequence[str], place: int, side: str = "right") -> str:
    """Write the bin between two edges, with the outermost edge included.

    Examples
    --------
    >>> interval(["0", "18", "65"], 0), interval(["0", "18", "65"], 1)
    ('[0, 18]', '(18, 65]')
    """
    opens = "[" if side == "left" or place == 0 else "("
    closes = "]" if side == "right" or place == len(edges) - 2 else ")"
    return f"{opens}{edges[place]}, {edges[place + 1]}{closes}"


def quantile_names(
    entry: Entry, rows: Ints | None, parent: Ints, child: Ints, first: Ints
) -> list[str | None]:
    """Name quantile bins by their cuts: each is as high as its highest value."""
    missing = entry.missing if rows is None else entry.missing[rows]
    values = entry.values if rows is None else entry.values[rows]
    known = np.flatnonzero(~missing)
    known = known[np.lexsort((values[known], child[known], parent[known]))]
    ends = np.flatnonzero(
        np.append((np.diff(parent[known]) != 0) | (np.diff(child[known]) != 0), True)[: len(known)]
    )
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    # A bin starts at the cut below it, the lowest of its parent at its own lowest value.
    lower = np.where(child[known[ends]] == 0, known[starts], known[np.append(0, ends[:-1])[: len(ends)]])
    low, high = (texts(entry, rows, places) for places in (lower, known[ends]))
    names = {
        (p, c): f"{'[' if c == 0 else '('}{a}, {b}]"
        for p, c, a, b in zip(
            parent[known[ends]].tolist(), child[known[ends]].tolist(), low, high, strict=True
        )
    }
    return [
        names.get(pair) for pair in zip(parent[first].tolist(), child[first].tolist(), strict=True)
    ]


def texts(entry: Entry, rows: Ints | None, places: Ints) -> list[str]:
    """Write the values at some rows, numbers in short."""
    found = frames.listed(frames.take(entry.series, places if rows is None else rows[places]))
    return [f"{value:g}" if isinstance(value, int | float) else str(value) for value in found]
