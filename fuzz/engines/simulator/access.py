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


def load(frame: Frame, kind: Type, pointer: Any, mask: Any = ALL, other: Any = 0) -> Any:
    """What lies behind pointers of type ``kind``; ``other`` where the mask is false."""
    dtype = kind.pointed.dtype
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


def load_element(frame: Frame, kind: Type, base: Any, index: Any) -> Any:
    """What lies ``index`` elements behind a scalar pointer of type ``kind``."""
    dtype = kind.pointed.dtype
    if not isinstance(base, int):
        return load(frame, kind, base + np.asarray(index, np.int64) * dtype.itemsize)
    try:
        return _truth(frame.launch.memory.element(base, index, dtype), dtype)
    except Fault as fault:
        raise _placed(fault, frame, kind, index, None) from None


def store(frame: Frame, kind: Type, pointer: Any, value: Any, mask: Any = ALL) -> None:
    """Write behind pointers of type ``kind``, where the mask is true."""
    if mask is False:
        return
    if isinstance(value, int) and frame.launch.writes is None and _fill(frame, kind, pointer, value, mask):
        return
    dtype = kind.pointed.dtype
    addresses, chosen = _filled(pointer, written_out(mask), kind, frame.programs)
    values = np.broadcast_to(whole(value, kind.shape, dtype), addresses.shape)[chosen]
    try:
        frame.launch.memory.store(addresses[chosen], values, dtype)
    except Fault as fault:
        raise _placed(fault, frame, kind, addresses, chosen) from None
    if frame.launch.writes is not None:
        rows = frame.numbers().reshape((-1,) + (1,) * len(kind.shape))
        frame.launch.writes.add(addresses[chosen], values, np.broadcast_to(rows, addresses.shape)[chosen])


def atomic(how: str, kind: Type) -> Callable[..., Any]:
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


def _fill(frame: Frame, kind: Type, pointer: Any, value: int, mask: Any) -> bool:
    """Store one number to stretches of lanes, without writing lanes out; False if that cannot be done."""
    size = pointee_bytes(kind)
    if isinstance(pointer, Affine) and kind.shape:
        if pointer.steps[-1] != size or any(pointer.steps[:-1]) or pointer.extent() is None:
            return False
        lanes = kind.shape[-1]
        span = _span(mask, lanes, kind.shape)
        base = pointer.base
        if span is None or (isinstance(base, np.ndarray) and base.shape[-1] > 1):
            return False
        low, high = span
        starts = _column(base if isinstance(low, int) and low == 0 else base + low * size)
        stops = _column(base + high * size)
        if starts.shape != stops.shape:
            starts, stops = np.broadcast_arrays(starts, stops)
    elif not kind.shape and isinstance(mask, bool):
        starts = _column(pointer)
        stops = starts + size
    else:
        return False
    flat_starts, flat_stops = starts.reshape(-1), stops.reshape(-1)
    kept = None
    if mask is not True:
        full = flat_stops > flat_starts
        if not full.all():
            kept = np.flatnonzero(full)
            flat_starts, flat_stops = flat_starts[kept], flat_stops[kept]
            if not len(kept):
                return True
    try:
        frame.launch.memory.fill(flat_starts, flat_stops, value, kind.pointed.dtype)
    except Fault as fault:
        row = fault.element or 0
        row = row if kept is None else int(kept[row])
        rows = max(starts.size // len(starts), 1)
        lane = row % rows * (kind.shape[-1] if kind.shape else 1)
        raise _named(fault, frame, row // rows, lane, kind) from None
    return True


def _column(value: Any) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else np.array([value], np.int64)


def _span(mask: Any, lanes: int, shape: tuple[int, ...]) -> tuple[Any, Any] | None:
    """A mask as one stretch of each row, or None."""
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
    return values if dtype != np.bool_ else bool(values) if isinstance(values, int) else values.astype(np.bool_)


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
