"""Parse terms from text on the command line, such as `quantiles(price, 10)`.

The text has the form of a Python call, in which `sf.` and the quotes around plain names are
optional. It is parsed into literals and calls of terms, and is never evaluated.
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
from .similar import similar
from .together import linked
from .total import total

TERMS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        bins,
        chain,
        classes,
        clusters,
        continuous,
        linked,
        margins,
        nearest,
        quantiles,
        similar,
        total,
    )
}
"""The functions that a text can call, by name."""

ACCEPTED_ARGUMENTS = (
    "an argument must be a column, a number, a word, or a list of these in [ ]; quote names with"
    ' spaces or symbols, as in quantiles("unit price", 10).'
)
"""The hint for a text that is neither a column nor a term."""

FUNCTION = re.compile(r"\s*(?:sf\.)?([A-Za-z_]+)\s*\(.*", re.DOTALL)
"""A pattern for texts that look like a call of a term."""


def parse_entry(argument: str, text: str, columns: Sequence[object]) -> Any:
    """Turn the call of a term into the term; return other text, such as a column name, unchanged.

    The name of an existing column is never read as a term. Messages name the `argument`.
    """
    call = FUNCTION.fullmatch(text)
    if text in columns or call is None:
        return text
    if call[1] not in TERMS:
        close = get_close_matches(call[1], TERMS, n=1, cutoff=0.75)
        if close:
            raise not_an_entry(argument, text, f"did you mean {close[0]}(...)?")
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as warnings about escapes
            tree = ast.parse(text.strip(), mode="eval")
        return Literals(argument, text).value(tree.body)
    except StratError:
        raise
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        raise not_an_entry(argument, text, ACCEPTED_ARGUMENTS) from None


class Literals(ast.NodeTransformer):
    """A transformer of syntax trees that replaces names and calls of terms by their values."""

    def __init__(self, argument: str, text: str) -> None:
        self.argument = argument
        self.text = text

    def value(self, node: ast.expr) -> Any:
        return ast.literal_eval(self.visit(node))

    def visit_Name(self, node: ast.Name) -> ast.Constant:
        """Replace a name by its text, and `inf` by the number infinity."""
        return ast.Constant(math.inf if node.id == "inf" else node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.Constant:
        return ast.Constant(ast.unparse(node))

    def visit_Call(self, node: ast.Call) -> ast.Constant:
        name = ast.unparse(node.func).removeprefix("sf.")
        if name not in TERMS:
            hint = f"the terms are {', '.join(sorted(TERMS))}."
            raise not_an_entry(self.argument, self.text, hint)
        positional = [self.value(each) for each in node.args]
        named = {str(each.arg): self.value(each.value) for each in node.keywords}
        signature = inspect.signature(TERMS[name])
        try:
            signature.bind(*positional, **named)
        except TypeError:
            plain = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
            written = signature.replace(parameters=plain, return_annotation=signature.empty)
            hint = f"the term is {name}{written}."
            raise not_an_entry(self.argument, self.text, hint) from None
        return ast.Constant(TERMS[name](*positional, **named))


def not_an_entry(argument: str, text: str, hint: str) -> StratError:
    return StratError(
        f"{argument} must be a column or a term such as quantiles(price, 10), got {describe(text)}."
        f"\nHint: {hint}"
    )
