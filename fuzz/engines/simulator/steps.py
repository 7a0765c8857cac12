"""Each operation of TTIR as a step: a function that a frame's programs take together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from fuzz.engines.simulator import access, arithmetic, integers, lanes
from fuzz.engines.simulator.affine import counting, written_out
from fuzz.engines.simulator.constants import read_constant
from fuzz.engines.simulator.faults import Unsupported
from fuzz.engines.simulator.frame import Frame, Step
from fuzz.engines.simulator.promises import check_promise, read_promise
from fuzz.engines.simulator.text import Operation
from fuzz.engines.simulator.types import Type, listed_types, parse_type

Slots = dict[str, int]

_BINARY = re.compile(rf"arith\.({'|'.join((*integers.SIGNED, *integers.UNSIGNED, *integers.SHIFTS))})")
_CAST = re.compile(r"arith\.(extsi|extui|trunci|index_cast)")
_NOTHING = {"gpu.barrier", "ttg.barrier", "ttg.local_barrier", "tt.print"}
_REINTERPRET = {"tt.int_to_ptr", "tt.ptr_to_int", "tt.bitcast", "arith.bitcast"}


def step_of(operation: Operation, slots: Slots) -> Step:
    """The step of an operation without regions.

    Raises:
        Unsupported: naming the operation and the kernel's line.
    """
    try:
        step = _effect(operation, slots) or _value(operation, slots)
    except Unsupported as unsupported:
        raise Unsupported(f"{unsupported}, at {operation.line}") from None
    if not operation.results or "tt." not in operation.attributes:
        return step
    kind = operation.kind
    kind = kind.pointed if operation.name in ("tt.load", _ELEMENT) else kind
    return promising(step, operation, slots[operation.results[0]], kind)


def promising(step: Step, operation: Operation, slot: int, kind: Type) -> Step:
    """A step, and after it the check of what its operation promises about its value."""
    promise = read_promise(operation.attributes, len(kind.shape) or 1)
    if promise is None:
        return step

    def checked(frame: Frame) -> None:
        step(frame)
        check_promise(promise, frame.values[slot], kind)

    return checked


def fused(operations: list[Operation], uses: Counter[str]) -> list[Operation]:
    """Operations with a scalar ``tt.addptr`` and the ``tt.load`` that alone uses it made one.

    A table is read so by every program of every launch; as one step it takes half the time.
    """
    pointers = {
        operation.results[0]: operation
        for operation in operations
        if operation.name == "tt.addptr" and not operation.kind.shape and "tt." not in operation.text
    }
    result = []
    gone = set()
    for operation in operations:
        pointer = pointers.get(operation.arguments[0]) if operation.name == "tt.load" else None
        if pointer is not None and len(operation.arguments) == 1 and uses[pointer.results[0]] == 1:
            gone.add(pointer.results[0])
            result.append(replace(operation, name=_ELEMENT, arguments=pointer.arguments))
        else:
            result.append(operation)
    return [operation for operation in result if not gone.intersection(operation.results)]


_ELEMENT = "load of an element"


def _value(operation: Operation, slots: Slots) -> Step:
    """An operation that makes a value of values."""
    function = _function(operation)
    out = slots[operation.results[0]]
    used = [slots[name] for name in operation.arguments]
    if not used:

        def step(frame: Frame) -> None:
            frame.values[out] = function()
    elif len(used) == 1:
        only = used[0]

        def step(frame: Frame) -> None:
            frame.values[out] = function(frame.values[only])
    elif len(used) == 2:
        left, right = used

        def step(frame: Frame) -> None:
            values = frame.values
            values[out] = function(values[left], values[right])
    else:
        pick = _picking(used)

        def step(frame: Frame) -> None:
            frame.values[out] = function(*pick(frame.values))

    return step


def _function(operation: Operation) -> Callable[..., Any]:
    name, text = operation.name, operation.text
    found = _BINARY.fullmatch(name)
    if found:
        return arithmetic.binary(found[1], operation.kind)
    if name == "arith.cmpi":
        return arithmetic.compare(text.partition(",")[0].strip(), parse_type(operation.types))
    found = _CAST.fullmatch(name)
    if found:
        source, target = map(parse_type, operation.types.split(" to "))
        how = ("trunci" if target.bits < source.bits else "extsi") if found[1] == "index_cast" else found[1]
        return arithmetic.cast(how, source, target)
    if name in _REINTERPRET:
        return lambda value: value
    if name == "tt.addptr":
        return arithmetic.advance(*listed_types(operation.types))
    if name == "arith.select":
        return arithmetic.select(operation.kind)
    return _shape_function(operation)


def _shape_function(operation: Operation) -> Callable[..., Any]:
    name, text = operation.name, operation.text
    if name == "arith.constant":
        kind = parse_type(operation.types or "i1")
        number = read_constant(text, kind)
        return lambda: number
    if name == "tt.make_range":
        start, stop = (int(re.search(rf"{end} = (-?\d+)", text)[1]) for end in ("start", "end"))  # type: ignore[index]
        count = counting(start, stop)
        return lambda: count if arithmetic.lazily else written_out(count)
    if name not in ("tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans"):
        raise Unsupported(f"operation {name}")
    shape = operation.kind.shape
    if name == "tt.splat":
        return lambda value: lanes.splat(value, shape)
    if name == "tt.broadcast":
        return lambda value: lanes.broadcast(value, shape)
    if name == "tt.expand_dims":
        axis = _number(text, "axis")
        return lambda value: lanes.expand_dims(value, axis, shape)
    before = parse_type(operation.types.split(" -> ")[0]).shape
    if name == "tt.reshape":
        return lambda value: lanes.reshape(value, before, shape)
    order = tuple(map(int, re.findall(r"\d+", text[text.index("order") :].partition(":")[2])))
    return lambda value: lanes.transpose(value, before, order)


def _effect(operation: Operation, slots: Slots) -> Step | None:
    """An operation that needs to know which programs take it."""
    name = operation.name
    used = [slots[argument] for argument in operation.arguments]
    if name in ("tt.get_program_id", "tt.get_num_programs"):
        return _coordinate(operation, slots[operation.results[0]])
    if name in ("tt.load", "tt.store", _ELEMENT):
        return _access(operation, used, slots)
    if name in ("tt.atomic_rmw", "tt.atomic_cas"):
        how = operation.text.partition(",")[0].strip() if name == "tt.atomic_rmw" else "cas"
        atomic = access.atomic(how, listed_types(operation.types.partition(" -> ")[0])[0])
        return _giving(atomic, used, slots[operation.results[0]])
    if name in ("tt.assert", "llvm.intr.assume"):
        found = re.search(r'"([^"]*)"', operation.text)
        words = f"device assert: {found[1]}" if found else "tl.assume of something false"
        kind = parse_type(operation.types or "i1")
        return lambda frame: access.check(frame, kind, frame.values[used[0]], words)
    return _pass if name in _NOTHING else None


def _coordinate(operation: Operation, out: int) -> Step:
    axis = "xyz".index(operation.text[0])
    if operation.name == "tt.get_num_programs":

        def step(frame: Frame) -> None:
            frame.values[out] = frame.launch.grid[axis]
    else:

        def step(frame: Frame) -> None:
            frame.values[out] = frame.program_id(axis)

    return step


def _access(operation: Operation, used: list[int], slots: Slots) -> Step:
    kind = parse_type(operation.types)
    if not kind.pointee:
        raise Unsupported(f"{operation.name} of {operation.types}")
    if operation.name == "tt.store":
        store, pick = access.storing(kind), _picking(used)
        return lambda frame: store(frame, *pick(frame.values))
    loading = access.loading if operation.name == "tt.load" else access.loading_element
    return _giving(loading(kind), used, slots[operation.results[0]])


def _giving(function: Callable[..., Any], used: list[int], out: int) -> Step:
    pick = _picking(used)

    def step(frame: Frame) -> None:
        values = frame.values
        values[out] = function(frame, *pick(values))

    return step


def _picking(used: list[int]) -> Callable[[list[Any]], Sequence[Any]]:
    """A function that takes the values of some slots."""
    if len(used) > 1:
        return itemgetter(*used)
    return lambda values: [values[slot] for slot in used]


def _pass(frame: Frame) -> None:
    """A barrier or a print: programs run in step, and nobody reads what they print."""


def _number(text: str, name: str) -> int:
    found = re.search(rf"{name} = (\d+)", text)
    if found is None:
        raise Unsupported(f"an operation without its {name}: {text}")
    return int(found[1])
