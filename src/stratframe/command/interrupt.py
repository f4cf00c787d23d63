"""End the command with one line if the user presses Ctrl-C while modules are imported.

Python would print a traceback, and some libraries turn the interruption of an import into an error
of their own. `stratframe` therefore imports this module first, and only the standard library is
imported here.
"""

import os
import signal
import sys
from pathlib import PurePath
from types import FrameType

STOPPED = 130
"""The exit code after Ctrl-C, as in shells."""

LINE = "stratframe: interrupted"


def is_command() -> bool:
    """Return whether this process is `python -m stratframe` or the script `stratframe`."""
    program = sys.argv[0] if sys.argv else ""
    if program != "-m":
        return PurePath(program).stem in ("stratframe", "stratframe-script")
    # Python has not found the module yet, so that only the original arguments have its name.
    return sys.orig_argv[-len(sys.argv)] in ("stratframe", "-mstratframe")


def stop(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Print one line and end the process at once; nothing has been read or written yet."""
    try:
        os.write(2, f"{LINE}\n".encode())
    finally:
        os._exit(STOPPED)


def stop_at_once() -> None:
    """Let Ctrl-C end the process without a traceback, unless the user has set another handler."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)


def raise_again() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` again, so that no draft of a file is left."""
    if signal.getsignal(signal.SIGINT) is stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if is_command():
    stop_at_once()
