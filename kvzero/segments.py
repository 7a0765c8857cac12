"""Which bytes a zeroer owns: segments of equally spaced pages, and the limits a target may state."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import torch

_COLUMNS = ("base", "stride", "page")
_INT64 = np.dtype(np.int64)


class DeviceTable(NamedTuple):
    """The columns of a segment table on a device, each a slice of one upload.

    Attributes:
        base: absolute byte addresses, uint64 ``[segments]``.
        stride: distance from block to block, int64 ``[segments]``, in the unit asked for.
        page: bytes a block owns, int64 ``[segments]``, in the unit asked for.
    """

    base: torch.Tensor
    stride: torch.Tensor
    page: torch.Tensor


class Upload(NamedTuple):
    """The columns as they were sent to a device, int64 ``[3, segments]``, and the bytes that were sent."""

    packed: torch.Tensor
    sent: bytes


@dataclass(frozen=True, eq=False)
class SegmentTable:
    """Segments of a KV cache: block ``i`` of a segment owns ``[base + i*stride, +page)``, in bytes.

    Attributes:
        base: absolute address of block 0, int64 ``[segments]``. It may lie outside every allocation
            as long as each block that is cleared lies inside one.
        stride: bytes from one block to the next, int64 ``[segments]``.
        page: bytes that belong to a block, int64 ``[segments]``.
        blocks: blocks that every segment has, or None where the caller does not know.
        uploads: what :meth:`on` has sent, by device and unit; whoever sends many tables at once puts
            a mapping here that has them already.

    Raises:
        ValueError: if the columns are not one-dimensional int64 arrays of one length.
    """

    base: np.ndarray
    stride: np.ndarray
    page: np.ndarray
    blocks: int | None = None
    uploads: MutableMapping[tuple[str, int], Upload] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            column = getattr(self, name)
            if column.dtype != _INT64 or column.shape != (len(self.base),):
                raise ValueError(
                    f"{name}={column.dtype}{list(column.shape)}: each column of a segment table is "
                    f"int64[{len(self.base)}]; convert it with numpy.asarray({name}, numpy.int64)"
                )

    def __len__(self) -> int:
        return len(self.base)

    def columns(self, unit: int = 1) -> np.ndarray:
        """Base in bytes, stride and page in units of ``unit`` bytes, as int64 ``[3, segments]``."""
        columns = np.empty((3, len(self.base)), np.int64)
        columns[0] = self.base
        np.floor_divide(self.stride, unit, out=columns[1])
        np.floor_divide(self.page, unit, out=columns[2])
        return columns

    def on(self, device: torch.device | str, unit: int = 1) -> DeviceTable:
        """The columns on ``device``, stride and page counted in ``unit`` bytes.

        The three columns share one upload, so that a table costs one transfer; with an odd number
        of segments the stride column is aligned to 8 bytes only. A second call returns the same
        tensors.
        """
        import torch  # noqa: PLC0415 - importing kvzero must not cost seven seconds

        key = (str(device), unit)
        try:
            upload = self.uploads[key]
        except KeyError:
            columns = self.columns(unit)
            upload = self.uploads[key] = Upload(torch.from_numpy(columns).to(device), columns.tobytes())
        base, stride, page = upload.packed.unbind()
        return DeviceTable(base.view(torch.uint64), stride, page)


@dataclass(frozen=True)
class Limits:
    """What a target says it can take; a case beyond it is declined, never failed.

    Attributes:
        unit: base, stride and page must be multiples of this many bytes.
        segments: most segments in a table, or None for no limit.
        ids: most ids in one call, or None.
        page: widest page in bytes, or None.
        uniform: whether all segments must have one page and one stride.

    Raises:
        ValueError: if a limit can hold for no case.
    """

    unit: int = 4
    segments: int | None = None
    ids: int | None = None
    page: int | None = None
    uniform: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.unit, int) or self.unit < 1 or self.unit & (self.unit - 1):
            raise ValueError(f"unit={self.unit!r}: must be a power of two, because addresses are aligned to such")
        for name in ("segments", "ids", "page"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{name}={value!r}: must be an int of 1 or more, or None for no limit")
