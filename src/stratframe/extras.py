"""Libraries that come with an extra, imported when first needed."""

from importlib import import_module
from typing import Any


def load(module: str, extra: str) -> Any:
    """Import a module, or say which extra brings it.

    Raises
    ------
    ImportError
        With the line that installs the extra.

    Examples
    --------
    >>> load("math", "cluster").floor(2.5)
    2
    >>> load("no_such_library", "cluster")
    Traceback (most recent call last):
        ...
    ImportError: no_such_library is not installed: pip install "stratframe[cluster]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        msg = f'{module.partition(".")[0]} is not installed: pip install "stratframe[{extra}]"'
        raise ImportError(msg) from error
