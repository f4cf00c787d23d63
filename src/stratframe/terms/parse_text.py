"""Entries as text, for the command line: `quantiles(price, 10)` -> the term.

The text is the call as in Python, without `sf.` and without quotes around plain names. It is
parsed into literals and calls of terms, and never evaluated.
"""

import ast
import inspect
import math
import re
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from ..errors import StratError, describe
from .bins import bins, continuous, quantiles
from .classes import classes
from .clusters import clusters
from .margins import margins
from .neighbours import chain, nearest

TERMS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (bins, chain, classes, clusters, continuous, margins, nearest, quantiles)
}
"""The terms that a text may call."""

PLAIN = (
    "an argument is a column, a number, a word, or a list of them in [ ]; quote columns with"
    ' spaces or signs, as in quantiles("unit price", 10).'
)
"""The hint for a text that is anything else."""

MAX_WHOLE = 2**63 - 1
"""The largest whole number of numpy's integers."""

LARGE = f"a whole number is at most {MAX_WHOLE}; write a larger one as 1e30."
"""The hint for a number that is larger."""

CALL = re.compile(r"\s*(?:sf\.)?([A-Za-z_]+)\s*\(.*", re.DOTALL)


def parse_entry(argument: str, text: str, columns: Sequence[object]) -> Any:
    """Turn a text into an entry: a column of the frame as it is, else a term, else a column.

    Parameters
    ----------
    argument : str
        What messages call the argument.
    columns : sequence
        The columns of the frame. One that is called like a term is the column.
    """
    call = CALL.fullmatch(text)
    if text in columns or call is None:
        return text
    if call[1] not in TERMS:
        return unknown_term(argument, text, call[1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the text as code, such as escapes
            tree = ast.parse(text.strip(), mode="eval")
        return read_node(tree.body, argument, text)
    except StratError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise term_error(argument, text, PLAIN) from None


def unknown_term(argument: str, text: str, name: str) -> str:
    """Take a text as a column, unless it looks like a misspelled term."""
    close = get_close_matches(name, TERMS, n=1, cutoff=0.75)
    if close:
        raise term_error(argument, text, f"did you mean {close[0]}(...)?")
    return text


def read_node(node: ast.expr, argument: str, text: str) -> Any:
    """Turn a node into the value that it writes: a literal, a name, a list or a term."""
    match node:
        case ast.Constant(value=int(number)) if number > MAX_WHOLE:
            raise term_error(argument, text, LARGE)
        case ast.Constant(value=None | bool() | int() | float() | str()):
            return node.value
        case ast.Name(id="inf"):
            return math.inf
        case ast.Name() | ast.Attribute():
            return ast.unparse(node)
        case ast.List() | ast.Tuple():
            return [read_node(each, argument, text) for each in node.elts]
        case ast.UnaryOp(op=ast.USub()):
            number = read_node(node.operand, argument, text)
            if isinstance(number, int | float):
                return -number
        case ast.Call():
            return call_term(node, argument, text)
    raise term_error(argument, text, PLAIN)


def call_term(node: ast.Call, argument: str, text: str) -> Any:
    """Make the term that a call writes."""
    name = ast.unparse(node.func).removeprefix("sf.")
    if name not in TERMS:
        raise term_error(argument, text, f"the terms are {', '.join(sorted(TERMS))}.")
    given = [read_node(each, argument, text) for each in node.args]
    named = {str(each.arg): read_node(each.value, argument, text) for each in node.keywords}
    signature = inspect.signature(TERMS[name])
    try:
        signature.bind(*given, **named)
    except TypeError:
        bare = signature.replace(
            parameters=[
                each.replace(annotation=inspect.Parameter.empty)
                for each in signature.parameters.values()
            ],
            return_annotation=inspect.Signature.empty,
        )
        raise term_error(argument, text, f"the term is {name}{bare}.") from None
    return TERMS[name](*given, **named)


def term_error(argument: str, text: str, hint: str) -> StratError:
    """Build the error for a text that is no entry."""
    return StratError(
        f"{argument} must be a column or a term, as in quantiles(price, 10), got {describe(text)}."
        f"\nHint: {hint}"
    )
