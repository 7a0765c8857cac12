"""What of ours watches torch's operators: a dispatch mode that does not load torch's compiler."""

from __future__ import annotations

from torch.utils._python_dispatch import TorchDispatchMode


class OperatorMode(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not type it
    """Within it, ``__torch_dispatch__`` runs each operator."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No: torch's wrapper for that imports its compiler, 800 modules and a second, at the first operator."""
        return False
