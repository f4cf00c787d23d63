"""Write to standard output and standard error."""

import errno
import os
import sys
from typing import NamedTuple, TextIO


class Output(NamedTuple):
    """What a command writes to standard output, and how it ends."""

    content: str | bytes
    code: int = 0
    has_file: bool = False
    """Whether the result is in a file, so that the content only describes it."""


def complain(text: str) -> None:
    """Print a message as one line on standard error."""
    line = " ".join(["stratframe:", *text.splitlines()])
    send(sys.stderr, f"{escape(line)}\n")


def escape(text: str) -> str:
    """Write control characters as `repr` does, because a terminal would obey them."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def send(stream: TextIO | None, content: str | bytes) -> OSError | None:
    """Write to a standard stream (None if it is closed), and return the error, if any."""
    if stream is None:
        return OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        if isinstance(content, bytes):
            stream.buffer.write(content)
        else:
            stream.write(content)
        stream.flush()
    except OSError as error:
        # Otherwise, Python would try to write the remaining content when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def program() -> str:
    """Return the name by which the command was called."""
    is_module = sys.argv[0].endswith("__main__.py")
    return "python -m stratframe" if is_module else "stratframe"
