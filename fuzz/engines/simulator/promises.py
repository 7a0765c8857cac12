"""What a kernel promises the compiler about its numbers, held against the numbers.

``tl.multiple_of``, ``tl.max_contiguous`` and ``tl.max_constancy`` become attributes of the operation that
makes the value. A compiler that believes a false one makes wider loads and stores than the address
allows: the interpreter passes them, a GPU faults or writes elsewhere.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from fuzz.engines.simulator.affine import Affine
from fuzz.engines.simulator.faults import Fault
from fuzz.engines.simulator.lanes import whole
from fuzz.engines.simulator.types import Type, pointee_bytes

_PROMISE = re.compile(r"tt\.(divisibility|contiguity|constancy) = dense<(\[[\d, ]+\]|\d+)>")


class Promise(NamedTuple):
    """Promises about one value, a number for each axis.

    Attributes:
        divisibility: the first number of each contiguous group is a multiple of this.
        contiguity: numbers in groups of that many follow one another.
        constancy: numbers in groups of that many are equal.
    """

    divisibility: tuple[int, ...] = ()
    contiguity: tuple[int, ...] = ()
    constancy: tuple[int, ...] = ()


def read_promise(text: str, axes: int) -> Promise | None:
    """The promise in an operation's attributes; None if there is none."""
    found = {
        name: tuple(int(number) for number in re.findall(r"\d+", numbers)) for name, numbers in _PROMISE.findall(text)
    }
    if not found:
        return None
    return Promise(**{name: numbers * axes if len(numbers) == 1 else numbers for name, numbers in found.items()})


def check_promise(promise: Promise, value: Any, kind: Type) -> None:
    """Hold a value of type ``kind`` against a promise.

    Raises:
        Fault: naming the promise and the first number that breaks it.
    """
    step = pointee_bytes(kind) if kind.pointee else 1
    if not kind.shape:
        for divisor in promise.divisibility[:1]:
            _multiples(np.atleast_1d(np.asarray(value)), divisor)
        return
    if len(kind.shape) == 1 and isinstance(value, Affine) and value.steps[0] == step and not promise.constancy:
        group = promise.contiguity[0] if promise.contiguity else kind.shape[0]
        for divisor in promise.divisibility:
            if group >= kind.shape[0] or group * step % divisor == 0:
                _multiples(np.atleast_1d(np.asarray(value.base)), divisor)
                return
        if not promise.divisibility:
            return
    numbers = whole(value, kind.shape)
    for axis in range(len(kind.shape)):
        _along(promise, np.moveaxis(numbers, axis + 1, -1), axis, step)


def _along(promise: Promise, numbers: np.ndarray, axis: int, step: int) -> None:
    """Check one axis of ``[..., extent]`` numbers."""
    extent = numbers.shape[-1]
    follows = np.diff(numbers, axis=-1) == step
    inside = np.ones(extent - 1, bool)
    if promise.contiguity and promise.contiguity[axis] > 1:
        group = min(promise.contiguity[axis], extent)
        inside = np.arange(1, extent) % group != 0
        _refuse(numbers[..., 1:], ~follows & inside, f"max_contiguous({group}): numbers do not follow one another")
    if promise.constancy and promise.constancy[axis] > 1:
        group = min(promise.constancy[axis], extent)
        within = np.arange(1, extent) % group != 0
        changed = np.diff(numbers, axis=-1) != 0
        _refuse(numbers[..., 1:], changed & within, f"max_constancy({group}): numbers change")
    if promise.divisibility and promise.divisibility[axis] > 1:
        opens = np.ones(numbers.shape, bool)
        opens[..., 1:] = ~(follows & inside)
        _multiples(numbers[opens], promise.divisibility[axis])


def _multiples(numbers: np.ndarray, divisor: int) -> None:
    _refuse(numbers, numbers % divisor != 0, f"multiple_of({divisor}): not a multiple")


def _refuse(numbers: np.ndarray, broken: np.ndarray, words: str) -> None:
    if broken.any():
        number = int(numbers.flat[int(np.argmax(broken))])
        raise Fault("misaligned", f"false promise {words}: {number}, and the compiler has made wider accesses of it")
