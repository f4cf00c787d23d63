"""The words of messages, each message once: what several tests expect is written here.

A message that one test alone expects is written in that test.
"""

from collections.abc import Sequence


def hint(text: str) -> str:
    """The second line of a message."""
    return f"\nHint: {text}"


def count(n: int, noun: str) -> str:
    """One thing or several."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def preview(items: Sequence[object]) -> str:
    """At most five things."""
    return ", ".join(map(str, items[:5])) + (", ..." if len(items) > 5 else "")


def rows(found: Sequence[int]) -> str:
    """The rows at fault, counted and listed."""
    return f"{count(len(found), 'row')} ({preview(found)})"


def quoted(argument: str) -> str:
    """An argument by its name, or in words of its own."""
    return argument if " " in argument or argument.startswith("`") else f"`{argument}`"


# Arguments ------------------------------------------------------------------------------


def at_least(argument: str, minimum: object, got: object) -> str:
    return f"{quoted(argument)} must be at least {minimum}, got {got!r}."


def at_most(argument: str, limit: str, got: int, n: int, noun: str) -> str:
    return (
        f"{quoted(argument)} must be at most the number of {limit}, got {got} for {count(n, noun)}."
    )


def whole_number(argument: str, got: object) -> str:
    return f"{quoted(argument)} must be a whole number, got {got!r}."


def one_of(argument: str, choices: Sequence[object], got: object) -> str:
    *first, last = map(repr, choices)
    return f"{quoted(argument)} must be {', '.join(first)} or {last}, got {got!r}."


MISSING = ["error", "stratum", "null"]
RARE = ["warn", "error", "null", "pool", "ignore"]


def non_empty_string(argument: str, got: object) -> str:
    return f"`{argument}` must be a non-empty string, got {got!r}."


def at_least_one(argument: str, noun: str, got: object) -> str:
    return f"{quoted(argument)} must hold at least one {noun}, got {got!r}."


def given_twice(argument: str, noun: str, got: str) -> str:
    return f"{quoted(argument)} must hold each {noun} once, got {got} twice."


TAKEN = {
    "by": "column names, terms such as `sf.quantiles`, or expressions",
    "groups": "column names, expressions, or one `sf.clusters`",
    "name": "column names",
    "key": "column names or expressions",
    "columns": "column names or expressions",
    "features": "column names or expressions",
}


def must_hold(argument: str, got: object) -> str:
    rule = f"`{argument}` must hold {TAKEN[argument]}, got {got!r}."
    counts = argument == "by" and isinstance(got, int) and not isinstance(got, bool)
    return rule + (hint(f"`by` comes first; the number of folds is `k={got}`.") if counts else "")


def one_grouping(got: str) -> str:
    return f"`groups` must be a column, a list of columns or one `sf.clusters`, got {got}."


def last_entry(terms: str, got: str) -> str:
    return f"{terms} must be the last entry of `by`, and only once, got {got}."


def not_a_frame(got: object) -> str:
    return f"`frame` must be a pandas or Polars frame, got {type(got).__name__}."


def parts_of(got: object) -> str:
    return f"`parts` must map at least 2 names to their shares, got {got!r}."


def parts_sum(got: object, total: str) -> str:
    return f"`parts` must be fractions that sum to 1, got {got!r}, which sum to {total}."


# Columns --------------------------------------------------------------------------------


def did_you_mean(name: object) -> str:
    return f"did you mean {name!r}?"


def no_column(
    argument: str, name: object, near: object = None, known: Sequence[str] | None = None
) -> str:
    """A column that is not there, with the nearest name, or all names, or for a tuple neither.

    For the name of a fold column, with the verb that adds it, and the nearest name if any.
    """
    if argument == "name":
        verb = "split" if name == "split" else "kfold"
        other = "." if near is None else f"; or {did_you_mean(near)}"
        tip = f"add it first, as in `df.strat.{verb}(..., name={name!r})`{other}"
    elif near is not None:
        tip = did_you_mean(near)
    elif known is not None:
        listed = preview([repr(each) for each in known])
        tip = f"the columns are {listed}" + ("" if len(known) > 5 else ".")
    else:
        tip = "several columns go in a list."
    return f"`{argument}` names the column {name!r}, which the frame does not have." + hint(tip)


def column_twice(argument: str, name: object) -> str:
    tip = hint("rename or drop the others first.")
    return f"`{argument}` names the column {name!r}, which the frame has 2 times.{tip}"


def column_taken(*names: str, drop: str) -> str:
    """A column that the call would add is there already; `drop` is the argument of `df.drop`."""
    noun = "a column" if len(names) == 1 else "columns"
    them = "it" if len(names) == 1 else "them"
    tip = f" `overwrite=True` replaces {them}." + hint(f"df = df.drop({drop})")
    return f"The frame has {noun} {', '.join(map(repr, names))} already.{tip}"


def own_name(name: object) -> str:
    tip = hint('give it one, as in `sf.classes(..., name="stratum")`.')
    return f"{name!r} is already a column of the result: an entry of `by` needs another name.{tip}"


def single_values(name: object, dtype: object) -> str:
    return f"A column must hold single values, but {name!r} is {dtype}."


def mixed_types(name: object, types: str) -> str:
    tip = hint("cast it to one type.")
    return f"Column {name!r} mixes types whose values compare equal: {types}.{tip}"


def no_order(argument: str, name: object) -> str:
    return (
        f"A column of `{argument}` must hold values that can be ordered, but {name!r} mixes types."
    )


def needs_numbers(term: str, name: object, dtype: object) -> str:
    return f"`{term}` needs numbers or dates, but column {name!r} is {dtype}."


def other_library(argument: str, got: object, library: str) -> str:
    return (
        f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col` on"
        f" pandas frames, got {got} on a {library} frame."
    )


def other_length(n: int, got: int, source: object) -> str:
    return (
        f"A computed column must give one value for each of the {n} rows, got {got} from {source}."
    )


def not_working(got: object) -> str:
    """The start of a message that ends in the library's own."""
    return f"A computed column must be a working expression, got {got}: "


def not_a_column(got: str) -> str:
    return f"A callable must return one value a row, got {got}."


OTHER_INDEX = "A callable must return its values in the order of the frame, got another index."


# Rows -----------------------------------------------------------------------------------

NO_ROWS = "Cannot assign folds to a frame without rows."


def missing_values(name: object, found: Sequence[int]) -> str:
    return missing_in(f"Column {name!r}", found)


def missing_in(what: str, found: Sequence[int]) -> str:
    """As `missing_values`, of a computed column that has no name."""
    return f"{what} has missing values in {rows(found)}."


def infinite_values(name: object, found: Sequence[int]) -> str:
    return f"Column {name!r} has infinite values in {rows(found)}."


def values_outside(name: object, low: str, high: str, found: Sequence[int]) -> str:
    return f"Column {name!r} has values outside {low} to {high} in {rows(found)}."


def repeated_keys(key: str, found: Sequence[int]) -> str:
    return f"`key` ({key}) must identify each row, but repeats in {rows(found)}."


def keep(rows_become: str) -> str:
    return hint(
        f'`missing="stratum"` makes {rows_become};'
        ' in `kfold`, `missing="null"` leaves their fold null.'
    )


KEEP_MISSING = keep("missing values a stratum of their own")
KEEP_UNGROUPED = keep("each of these rows a group of its own")
LEFT_NULL = 'in `kfold`, `missing="null"` leaves their fold null.'
FILL_GAPS = hint(f"drop these rows, or fill the gaps first; {LEFT_NULL}")


def lines(*rules: str) -> str:
    """Several rules in one message."""
    return "\n".join(rules)


def cut_or_classes(name: object) -> str:
    return hint(
        f"cut it, as in `sf.quantiles({name!r}, 10)`, or take its values as they are,"
        f" `sf.classes({name!r})`."
    )


def no_fold(name: object, n: int) -> str:
    tip = hint('`nulls="train"` keeps them in every training set, `nulls="drop"` in none.')
    have = "has" if n == 1 else "have"
    return f"Column {name!r} must give every row a fold, but {count(n, 'row')} {have} none.{tip}"


def one_fold(name: object, fold: object) -> str:
    return (
        f"Column {name!r} must have at least 2 folds, got {fold!r} alone:"
        " its training set would be empty."
    )


def repeats_of(name: str, listed: str) -> str:
    """The column of repeats is asked for by its base name."""
    tip = hint(f"`repeats` added several columns: `name=[{listed}]`.")
    return f"`name` names the column {name!r}, which the frame does not have.{tip}"


def data_given(argument: str, got: str, name: str | None = None) -> str:
    """Data are given where a column is named; `got` is their type."""
    named = "" if name is None else f", {name!r}"
    tip = hint(f"give the name of the column{named}.")
    return f"`{argument}` must hold {TAKEN[argument]}, got {got}.{tip}"


def rare_classes(n: int, of: str, parts: str, listed: str, *, error: bool = False) -> str:
    """The rule of rare classes, without the full stop after the last."""
    classes, have = ("1 class", "has") if n == 1 else (f"{n} classes", "have")
    why = ' (and `rare="error"`)' if error else ""
    return f"{classes} of {of} {have} fewer rows than the {parts}{why}: {listed}"


FEWER_BINS = "because equal values stay in one bin"
LARGEST_GROUP = "The largest group"


def fewer_bins(term: str, found: int, asked: int, strata: str = "") -> str:
    """Fewer quantile bins than asked for, in all rows or in some `strata`."""
    produced = f"{count(found, 'bin')} instead of {asked}"
    if strata:
        produced = f"fewer bins than {asked} in {strata} (as few as {found})"
    return f"`{term}` produced {produced}, {FEWER_BINS}."


# Optional libraries ---------------------------------------------------------------------


def not_installed(module: str, extra: str) -> str:
    return f'{module} is not installed: pip install "stratframe[{extra}]"'


def as_line(message: str) -> str:
    """A message as the command line prints it."""
    return message.replace("\n", " ")
