"""``python -m fuzz`` is ``kvzero``."""

from fuzz.cli import main

main()
