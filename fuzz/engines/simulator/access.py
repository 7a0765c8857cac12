"""Loads, stores and atomics of all programs at once, under their masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.engines.simulator import integers
from fuzz.engines.simulator.affine import Affine, Span, written_out
from fuzz.engines.simulator.faults import Fault, Unsupported
from fuzz.engines.simulator.frame import Frame, alone
from fuzz.engines.simulator.lanes import whole
from fuzz.engines.simulator.types import Type, pointee_bytes

ALL = True
"""The mask of an access that has none."""

Stretches = tuple[np.ndarray, np.ndarray]
"""Starts and stops of addresses, one stretch for each row of a tensor."""

Access = Callable[..., Any]
"""What the programs of a frame do at addresses, given the frame and the operands."""


def loading(kind: Type) -> Access:
    """The load of what lies behind pointers of type ``kind``; ``other`` where the mask is false."""
    dtype = kind.pointed.dtype

    def load(frame: Frame, pointer: Any, mask: Any = ALL, other: Any = 0) -> Any:
        if not isinstance(mask, int):
            mask = written_out(mask)
        if isinstance(mask, int):
            if not mask:
                return other
            addresses = written_out(pointer)
            try:
                return _truth(frame.launch.memory.load(addresses, dtype), dtype)
            except Fault as fault:
                raise _placed(fault, frame, kind, addresses, None) from None
        addresses, mask = _filled(pointer, mask, kind)
        values = np.array(np.broadcast_to(whole(other, kind.shape, dtype), addresses.shape))
        if mask.any():
            try:
                values[mask] = frame.launch.memory.load(addresses[mask], dtype)
            except Fault as fault:
                raise _placed(fault, frame, kind, addresses, mask) from None
        return alone(values)

    return load


def check(frame: Frame, kind: Type, condition: Any, words: str) -> None:
    """Hold a condition against all lanes of all programs.

    Raises:
        Fault: with the first program and lane for which it is false.
    """
    holds = whole(condition, kind.shape, np.dtype(np.bool_))
    if not holds.all():
        element = int(np.argmin(holds))
        lanes = max(kind.lanes, 1)
        raise _named(Fault("assert", words), frame, element // lanes, element % lanes, kind)


def loading_element(kind: Type) -> Access:
    """The load of what lies ``index`` elements behind a scalar pointer of type ``kind``."""
    dtype = kind.pointed.dtype
    load = loading(kind)

    def load_element(frame: Frame, base: Any, index: Any) -> Any:
        if not isinstance(base, int):
            return load(frame, base + np.asarray(index, np.int64) * dtype.itemsize)
        try:
            return _truth(frame.launch.memory.element(base, index, dtype), dtype)
        except Fault as fault:
            raise _placed(fault, frame, kind, index, None) from None

    return load_element


def storing(kind: Type) -> Access:
    """The store behind pointers of type ``kind``, where the mask is true."""
    dtype = kind.pointed.dtype
    size = pointee_bytes(kind)

    def store(frame: Frame, pointer: Any, value: Any, mask: Any = ALL) -> None:
        if mask is False:
            return
        launch = frame.launch
        if isinstance(value, int) and launch.writes is None:
            stretches = _stretches(pointer, mask, kind.shape, size)
            if stretches is not None:
                _fill(frame, kind, stretches, value, masked=mask is not True)
                return
        addresses, chosen = _filled(pointer, written_out(mask), kind, frame.programs)
        values = np.broadcast_to(whole(value, kind.shape, dtype), addresses.shape)[chosen]
        try:
            launch.memory.store(addresses[chosen], values, dtype)
        except Fault as fault:
            raise _placed(fault, frame, kind, addresses, chosen) from None
        if launch.writes is not None:
            rows = frame.numbers().reshape((-1,) + (1,) * len(kind.shape))
            launch.writes.add(addresses[chosen], values, np.broadcast_to(rows, addresses.shape)[chosen])

    return store


def atomic(how: str, kind: Type) -> Access:
    """Read, combine, write, one program after another; the function gives what was read.

    Args:
        how: ``add``, ``and``, ``or``, ``xor``, ``max``, ``min``, ``umax``, ``umin``, ``exch``, or ``cas``, whose
            first operand is what must be there for the second to be written.
        kind: type of the pointer.

    Raises:
        Unsupported: if it combines floats.
    """
    bits = kind.pointed.bits
    if how == "cas":
        return lambda frame, pointer, expected, new: _one_by_one(
            frame, kind, pointer, True, (expected, new), lambda old, expected, new: new if old == expected else old
        )
    if how == "exch":
        combine: Callable[..., Any] = _second
    elif how in _ATOMIC:
        combine = integers.binary(_ATOMIC[how], bits)
    else:
        raise Unsupported(f"atomic {how}")
    return lambda frame, pointer, value, mask=ALL: _one_by_one(frame, kind, pointer, mask, (value,), combine)


def _second(old: int, new: int) -> int:  # noqa: ARG001 - what was there does not matter
    return new


def _one_by_one(
    frame: Frame, kind: Type, pointer: Any, mask: Any, operands: tuple[Any, ...], combine: Callable[..., Any]
) -> Any:
    dtype = kind.pointed.dtype
    addresses, chosen = _filled(pointer, written_out(mask), kind, frame.programs)
    columns = [np.broadcast_to(whole(value, kind.shape, dtype), addresses.shape)[chosen].tolist() for value in operands]
    memory = frame.launch.memory
    olds: list[int] = []
    try:
        for address, *row in zip(addresses[chosen].tolist(), *columns, strict=True):
            olds.append(memory.load(address, dtype))
            memory.store(address, combine(olds[-1], *row), dtype)
    except Fault as fault:
        fault.element = len(olds)
        raise _placed(fault, frame, kind, addresses, chosen) from None
    values = np.zeros(addresses.shape, dtype)
    values[chosen] = olds
    return alone(values)


_ATOMIC = {
    "add": "addi", "and": "andi", "or": "ori", "xor": "xori",
    "max": "maxsi", "min": "minsi", "umax": "maxui", "umin": "minui",
}  # fmt: skip


def _stretches(pointer: Any, mask: Any, shape: tuple[int, ...], size: int) -> Stretches | None:
    """The addresses of a store, where they are one stretch for each row; else None."""
    if isinstance(pointer, Affine) and shape:
        if pointer.steps[-1] != size or any(pointer.steps[:-1]) or pointer.extent() is None:
            return None
        span = _span(mask, shape)
        base = pointer.base
        if span is None or (isinstance(base, np.ndarray) and base.shape[-1] > 1):
            return None
        low, high = span
        starts = _column(base if isinstance(low, int) and low == 0 else base + low * size)
        stops = _column(base + high * size)
        if starts.shape != stops.shape:
            starts, stops = np.broadcast_arrays(starts, stops)
        return starts, stops
    if not shape and isinstance(mask, bool):
        starts = _column(pointer)
        return starts, starts + size
    return None


def _fill(frame: Frame, kind: Type, stretches: Stretches, value: int, *, masked: bool) -> None:
    """Store one number all over stretches, without writing lanes out."""
    starts, stops = stretches[0].reshape(-1), stretches[1].reshape(-1)
    kept = None
    if masked:
        full = stops > starts
        if np.count_nonzero(full) < len(full):
            kept = full.nonzero()[0]
            starts, stops = starts[kept], stops[kept]
    try:
        frame.launch.memory.fill(starts, stops, value, kind.pointed.dtype)
    except Fault as fault:
        row = fault.element or 0
        row = row if kept is None else int(kept[row])
        rows = max(stretches[0].size // len(stretches[0]), 1)
        lane = row % rows * (kind.shape[-1] if kind.shape else 1)
        raise _named(fault, frame, row // rows, lane, kind) from None


def _column(value: Any) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else np.array([value], np.int64)


def _span(mask: Any, shape: tuple[int, ...]) -> tuple[Any, Any] | None:
    """A mask as one stretch of each row, or None."""
    lanes = shape[-1]
    if isinstance(mask, Span):
        return mask.low, mask.high
    if isinstance(mask, bool):
        return 0, lanes if mask else 0
    if isinstance(mask, np.ndarray) and mask.shape[-1] == 1 and mask.ndim == len(shape) + 1:
        return 0, np.where(mask, lanes, 0)
    return None


def _filled(pointer: Any, mask: Any, kind: Type, programs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Addresses and mask on all lanes, for at least that many programs."""
    addresses = whole(pointer, kind.shape, np.dtype(np.int64))
    chosen = whole(mask, kind.shape, np.dtype(np.bool_))
    rows = max(len(addresses), len(chosen), programs)
    form = (rows, *kind.shape)
    return np.broadcast_to(addresses, form), np.broadcast_to(chosen, form)


def _truth(values: Any, dtype: np.dtype) -> Any:
    """Booleans as loaded: a byte each, true if it is not zero."""
    return values if dtype.kind != "b" else bool(values) if isinstance(values, int) else values.astype(np.bool_)


def _placed(fault: Fault, frame: Frame, kind: Type, addresses: Any, mask: np.ndarray | None) -> Fault:
    """The fault with the program and lane of its element."""
    element = fault.element or 0
    if mask is not None:
        element = int(np.flatnonzero(mask)[element])
    rows = len(addresses) if isinstance(addresses, np.ndarray) else 1
    lanes = max(addresses.size // rows, 1) if isinstance(addresses, np.ndarray) else 1
    return _named(fault, frame, element // lanes, element % lanes, kind)


def _named(fault: Fault, frame: Frame, program: int, lane: int, kind: Type) -> Fault:
    fault.place = f", by {frame.where(min(program, frame.programs - 1))}"
    if kind.shape:
        fault.place += f", lane {lane}"
    return fault
