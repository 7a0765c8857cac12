"""The gate's clock: when time is up nothing is waited for any longer, not even a case that runs."""

from __future__ import annotations

from fuzz.control import Control


class Ceiling(Control):
    """Time for a whole gate; a signal ends it as well.

    Args:
        seconds: time from now on.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds, None, stop_on_find=False)

    @property
    def signalled(self) -> bool:
        """Whether a signal asked the gate to end."""
        return super().interrupted

    @property
    def interrupted(self) -> bool:
        """Whether the gate must end now, for whichever reason."""
        return self.signalled or self.left == 0.0

    @property
    def out_of_grace(self) -> bool:
        """Whether what was begun is given up, too: at once when time is up, some seconds after a signal."""
        return self.left == 0.0 or super().out_of_grace
