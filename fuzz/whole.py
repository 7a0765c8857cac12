"""Files and folders that are there whole or not at all: made beside their place, and moved there in one step."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write(path: Path, text: str, *, lasting: bool = True) -> None:
    """Write or replace a file, in UTF-8; a reader sees the old one or the new one.

    Args:
        path: where; its folder is there.
        text: all of it.
        lasting: whether the file outlives a machine that fails right after, which takes as long as the disk does.

    Raises:
        OSError: if it cannot be written; nothing is left behind.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(name, 0o644)  # noqa: PTH101 - mkstemp gives a name, not a path
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def folder(path: Path) -> Iterator[Path]:
    """Make a folder: the block fills one beside it, which gets the name once the block ends.

    Args:
        path: where; its parent is there, and nothing but an empty folder has that name when the block ends.

    Raises:
        OSError: if it cannot be made; nothing is left behind then, nor if the block raises.
    """
    made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
    try:
        yield made
        made.chmod(0o755)
        made.rename(path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
