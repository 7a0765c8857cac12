"""A baseline: the loop that anybody would write with torch and NumPy, one case at a time.

It is meant to be a good one. Buffers are made once and grow, the host's are pinned, a table is one
upload, all calls of a case share one poison and one download, and a page is cleared in the
expectation once however often its id comes.
"""

from __future__ import annotations

import numpy as np
import torch

from fuzz.arena import poison
from fuzz.bench.case_set import PROFILE, SEED, UNIT
from fuzz.build import numbered
from fuzz.case import ALIGNMENT, Case
from fuzz.engines import Engine
from fuzz.errors import EngineError
from fuzz.layout import lead, total
from fuzz.target import Target
from kvzero.segments import SegmentTable

ROOM = 2**22
"""Bytes of the first buffers; nearly every small case fits."""


class Loop:
    """Runs cases on a target and compares every byte.

    Args:
        target: what clears; it takes a table.
        engine: where it runs.
    """

    def __init__(self, target: Target, engine: Engine) -> None:
        self._target = target
        self._engine = engine
        self._on_gpu = engine.device.type == "cuda"
        torch.set_num_threads(1)  # a copy of kilobytes by several takes longer, and one process is compared with one
        self._grow(ROOM)

    def first(self, cases: int) -> int:
        """Draw and check the first cases of the fixed set; their bytes.

        Raises:
            EngineError: if one is not right.
        """
        return sum(self.check(numbered(SEED, index, (PROFILE,), UNIT)[0]) for index in range(cases))

    def check(self, case: Case) -> int:
        """Poison, call, read back and compare one case; its bytes.

        Raises:
            EngineError: if a byte is not as it has to be.
        """
        size = total(case)
        if size > len(self._poison):
            self._grow(size)
        image = self._memory[:size]
        self._engine.know(image.data_ptr(), size)
        image.copy_(self._upload[:size], non_blocking=True)
        base, stride, page = np.array([(s.base, s.stride, s.page) for s in case.segments], np.int64).T.copy()
        base += image.data_ptr() + lead(case)
        zero = self._target.make(SegmentTable(base, stride, page, case.blocks), self._engine.device)
        ids: set[int] = set()
        for call in case.calls:
            listed = call.ids.tolist()
            zero(listed)
            ids.update(listed)
        if self._on_gpu:
            self._back[:size].copy_(image)
        self._engine.settle()
        expected = self._poison[:size].copy()
        for s in case.segments:
            for block in ids:
                start = lead(case) + s.base + block * s.stride
                expected[start : start + s.page] = 0
        if not np.array_equal(expected, self._back[:size].numpy()):
            raise EngineError(f"target={self._target.name}: leaves wrong bytes in {case}; a bench needs it right")
        return size

    def _grow(self, size: int) -> None:
        self._poison = poison(size)
        upload = torch.from_numpy(self._poison)
        self._upload = upload.pin_memory() if self._on_gpu else upload
        memory = torch.empty(size + ALIGNMENT, dtype=torch.uint8, device=self._engine.device)
        self._memory = memory[-memory.data_ptr() % ALIGNMENT :][:size]
        self._back = torch.empty(size, dtype=torch.uint8, pin_memory=True) if self._on_gpu else self._memory
