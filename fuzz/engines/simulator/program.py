"""A kernel as the simulator runs it: its TTIR turned into steps once, then run for any grid."""

from __future__ import annotations

import re
from collections import Counter
from math import prod
from typing import Any

import numpy as np

from fuzz.engines.simulator.branch import If
from fuzz.engines.simulator.faults import Unsupported
from fuzz.engines.simulator.flow import Jump, Straight, run_blocks
from fuzz.engines.simulator.frame import Frame, Launch, Step, alone
from fuzz.engines.simulator.lanes import reduce, whole
from fuzz.engines.simulator.loops import For, While
from fuzz.engines.simulator.memory import Memory
from fuzz.engines.simulator.races import Writes
from fuzz.engines.simulator.steps import Slots, fused, promising, step_of
from fuzz.engines.simulator.text import NAME, Block, Function, Operation, Region, read
from fuzz.engines.simulator.types import Type, listed_types

SLICE = 2**19
"""Programs that run in step; a launch of more is run slice by slice."""

_ENDS = {"tt.return", "cf.br", "cf.cond_br", "scf.yield", "scf.condition", "tt.reduce.return"}
_TARGET = re.compile(r"\^(\w+)(?:\(([^:)]*)[^)]*\))?")
_SHAPE = re.compile(r"tensor<((?:\d+x)+)")
_CARRIED = re.compile(r"(%[\w$.-]+) = (%[\w$.#-]+)")


class Program:
    """A kernel, ready to run.

    Args:
        text: its TTIR.

    Raises:
        Unsupported: naming an operation that the simulator does not know, and its line.
    """

    def __init__(self, text: str) -> None:
        function = read(text)
        self.name = function.name
        builder = _Builder(function)
        self._entry = builder.function()
        self._slots = len(builder.slots)
        self._inputs = [builder.slots[name] for name, _ in function.parameters]
        self._stores_differ = builder.stores_differ()

    def run(self, grid: tuple[int, int, int], arguments: list[int], memory: Memory, *, races: bool) -> str:
        """Run every program of a grid; gives what two programs write differently, in words, or nothing.

        Args:
            grid: programs in x, y and z.
            arguments: what the kernel is passed, pointers as addresses.
            memory: what it may touch.
            races: whether to look for two programs that write different values to one byte.

        Raises:
            Fault: what a device would report.
            Hang: if loops do not end.
        """
        total = prod(grid)
        launch = Launch(grid, memory, Writes() if races and self._stores_differ and total > 1 else None)
        for first in range(0, total, SLICE):
            values: list[Any] = [None] * self._slots
            for slot, argument in zip(self._inputs, arguments, strict=True):
                values[slot] = argument
            run_blocks(self._entry, Frame(launch, values, first, min(SLICE, total - first)))
        return launch.writes.conflict() if launch.writes else ""


class _Builder:
    """Turns a function's blocks into steps; every name gets a slot."""

    def __init__(self, function: Function) -> None:
        self.slots: Slots = {}
        self._function = function
        self._stores: list[Operation] = []
        self._constants: set[str] = set()
        for name, _ in function.parameters:
            self._slot(name)
        self._uses: Counter[str] = Counter()
        self._name(function.body)

    def function(self) -> Straight:
        """The first block, with the others behind its jumps."""
        blocks = self._function.body.blocks
        made = {block.label: self._straight(block) for block in blocks}
        inside = {block.label: _used_before_set(block) for block in blocks}
        for block in blocks:
            made[block.label].jumps = self._jumps(block, made)
        self._spread(blocks, inside)
        for block in blocks:
            made[block.label].live = {self.slots[name] for name in inside[block.label]}
        return made[blocks[0].label]

    def stores_differ(self) -> bool:
        """Whether two stores of a launch may write different values."""
        written = {operation.arguments[1] for operation in self._stores}
        return len(written) > 1 or not written <= self._constants

    def _slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def _name(self, region: Region) -> None:
        for block in region.blocks:
            for name, _ in block.parameters:
                self._slot(name)
            for operation in block.operations:
                for name in (*operation.results, *_own_names(operation)):
                    self._slot(name)
                self._uses.update(operation.arguments)
                if operation.name == "tt.store":
                    self._stores.append(operation)
                if operation.name == "arith.constant":
                    self._constants.add(operation.results[0])
                for inner in operation.regions:
                    self._name(inner)

    def _straight(self, block: Block) -> Straight:
        made = Straight([], [], set())
        for operation in fused(block.operations, self._uses):
            if operation.name in _ENDS:
                names = [self.slots[name] for name in operation.arguments]
                if operation.name == "cf.cond_br":
                    made.condition = names[0]
                elif operation.name not in ("cf.br", "tt.return"):
                    made.yields = tuple(names)
                break
            made.steps.append(self._step(operation))
            made.lines.append(operation.line)
        return made

    def _body(self, region: Region) -> Straight:
        if len(region.blocks) != 1:
            raise Unsupported("a loop or branch with jumps inside")
        made = self._straight(region.blocks[0])
        made.live = {self.slots[name] for name in _free(region)}
        return made

    def _jumps(self, block: Block, made: dict[str, Straight]) -> tuple[Jump, ...]:
        jumps = []
        for label, passed in _targets(block):
            target = next(other for other in self._function.body.blocks if other.label == label)
            sources = [self.slots[name] for name in NAME.findall(passed)]
            moves = [(self.slots[name], source) for (name, _), source in zip(target.parameters, sources, strict=True)]
            returns = target.operations[0].name == "tt.return"
            jumps.append(Jump(None if returns else made[label], moves))
        return tuple(jumps)

    def _spread(self, blocks: list[Block], inside: dict[str, set[str]]) -> None:
        """Let every block need what the blocks after it need."""
        changed = True
        while changed:
            changed = False
            for block in blocks:
                own = _set_in(block)
                for label, _ in _targets(block):
                    more = inside[label] - own - inside[block.label]
                    changed |= bool(more)
                    inside[block.label] |= more

    def _step(self, operation: Operation) -> Step:
        if not operation.regions:
            return step_of(operation, self.slots)
        results = list(zip((self.slots[name] for name in operation.results), _result_kinds(operation), strict=True))
        try:
            if operation.name == "tt.reduce":
                return self._reduce(operation)
            bodies = [self._body(region) for region in operation.regions]
        except Unsupported as unsupported:
            raise Unsupported(f"{unsupported}, in {operation.name} at {operation.line}") from None
        carried = [(self.slots[inner], self.slots[outer]) for inner, outer in _carried(operation)]
        if operation.name == "scf.if":
            given = max((prod(kind.shape) for _, kind in results), default=1)
            made: Step = If(self.slots[operation.arguments[0]], tuple(bodies), results, given)
        elif operation.name == "scf.for" and not operation.text.startswith("unsigned"):
            variable, low, high, step = (self.slots[name] for name in operation.arguments[:4])
            made = For(variable, (low, high, step), carried, bodies[0], results, _widest(*operation.regions))
        elif operation.name == "scf.while":
            parameters = [self.slots[name] for name, _ in operation.regions[1].blocks[0].parameters]
            made = While(carried, bodies[0], bodies[1], parameters, results, _widest(*operation.regions))
        else:
            raise Unsupported(f"operation {operation.name}, at {operation.line}")
        return promising(made, operation, *results[0]) if len(results) == 1 else made

    def _reduce(self, operation: Operation) -> Step:
        if len(operation.arguments) != 1:
            raise Unsupported("a reduction of several tensors at once")
        body = self._body(operation.regions[0])
        (left, right) = (self.slots[name] for name, _ in operation.regions[0].blocks[0].parameters)
        source, out = self.slots[operation.arguments[0]], self.slots[operation.results[0]]
        kind = listed_types(operation.types.partition(" -> ")[0])[0]
        found = re.search(r"axis = (\d+)", operation.text)
        axis = int(found[1]) if found else 0

        def step(frame: Frame) -> None:
            def combine(a: np.ndarray, b: np.ndarray) -> Any:
                frame.values[left], frame.values[right] = a, b
                body.run(frame)
                return frame.values[body.yields[0]]

            frame.values[out] = alone(reduce(whole(frame.values[source], kind.shape, kind.dtype), axis, combine))

        return step


def _targets(block: Block) -> list[tuple[str, str]]:
    """Labels that a block may go on to, each with the text of what it passes there."""
    end = block.operations[-1]
    return _TARGET.findall(f"{end.text} : {end.types}") if end.name.startswith("cf.") else []


def _carried(operation: Operation) -> list[tuple[str, str]]:
    """Loop-carried names and where they start from."""
    text = operation.text
    if operation.name == "scf.for":
        text = text.partition("iter_args")[2]
    return _CARRIED.findall(text) if operation.name in ("scf.for", "scf.while") else []


def _own_names(operation: Operation) -> list[str]:
    """Names that a loop's head sets for its body."""
    names = [inner for inner, _ in _carried(operation)]
    return [*names, operation.arguments[0]] if operation.name == "scf.for" else names


def _result_kinds(operation: Operation) -> list[Type]:
    if not operation.results:
        return []
    arrow = f"{operation.text} : {operation.types}".rpartition("->")[2]
    arrow = arrow.partition(" : ")[0] if operation.name == "scf.for" else arrow
    return listed_types(arrow.rstrip(" :"))


def _free(region: Region) -> set[str]:
    """Names that a region uses and does not set."""
    free: set[str] = set()
    own: set[str] = set()
    for block in region.blocks:
        free |= _used_before_set(block)
        own |= _set_in(block) | {name for name, _ in block.parameters}
    return free - own


def _used_before_set(block: Block) -> set[str]:
    used: set[str] = set()
    for operation in block.operations:
        used |= set(operation.arguments) - set(_own_names(operation))
        for region in operation.regions:
            used |= _free(region) - set(_own_names(operation))
    return used - _set_in(block) - {name for name, _ in block.parameters}


def _set_in(block: Block) -> set[str]:
    return {name for operation in block.operations for name in operation.results}


def _widest(*regions: Region) -> int:
    """Lanes of the widest tensor in some regions."""
    widths = [1]
    for operation in (one for region in regions for block in region.blocks for one in block.operations):
        widths += [prod(map(int, shape[:-1].split("x"))) for shape in _SHAPE.findall(operation.types)]
        widths.append(_widest(*operation.regions))
    return max(widths)
