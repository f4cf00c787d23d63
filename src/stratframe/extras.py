"""Libraries that come with an extra, imported when first needed."""

from importlib import import_module
from typing import Any


def load(module: str, extra: str) -> Any:
    """Import a module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f'{module.partition(".")[0]} is not installed: pip install "stratframe[{extra}]"'
        raise ImportError(msg) from error
