"""Reading TTIR: the text of a compiled kernel becomes regions, blocks and operations.

The text is read, not the compiler's Python bindings: those of Triton 3.6 do not tell the predicate
of a comparison, and none tells the successors of a branch, while the text of 3.6 to 3.9 differs in
names only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fuzz.engines.simulator.faults import Unsupported
from fuzz.engines.simulator.types import Type, listed_types, parse_type

NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")

_ALIAS = re.compile(r"^(#loc\w*) = loc\((.*)\)$", re.MULTILINE)
_PLACE = re.compile(r'"([^"]*)":(\d+):\d+')
_TRAILING_LOCATION = re.compile(r"\s*loc\((#loc\w*|unknown)\)$")
_INNER_LOCATION = re.compile(r' loc\((?:"(?:[^"\\]|\\.)*"(?:\(#?\w+\))?|#loc\w*|unknown)\)')
_OPERATION = re.compile(r'(?:(%[\w$.-]+)(?::(\d+))? = )?"?([a-z_]\w*(?:\.\w+)*)"?(.*)', re.DOTALL)
_BLOCK = re.compile(r"\^(\w+)(?:\((.*)\))?:")
_PARAMETER = re.compile(r"(%[\w$.-]+): (!tt\.ptr<[^>]*>|tensor<(?:[^<>]|<[^>]*>)*>|[\w.]+)(?: \{([^}]*)\})?")
_MESSAGE = re.compile(r'"(?:[^"\\]|\\.)*"')
_PROMISES = re.compile(r"\{tt\.[^{}]*\}")
_ATTRIBUTES = re.compile(r"<?\{[^{}]*\}>?")


@dataclass
class Operation:
    """One line of TTIR.

    Attributes:
        name: ``arith.addi``, ``tt.load`` and the like.
        results: names that it defines.
        arguments: names that it uses, in order.
        text: what stands between name and types, attributes included.
        types: what stands behind the last colon.
        regions: bodies of loops, branches and reductions.
        attributes: text that holds its promises, if it makes any.
        line: ``file:line`` of the kernel's source.
    """

    name: str
    results: list[str]
    arguments: list[str]
    text: str
    types: str
    line: str
    regions: list[Region] = field(default_factory=list)
    attributes: str = ""

    @property
    def kind(self) -> Type:
        """The type of its one result."""
        named = listed_types(re.split(r" -> | to ", self.types)[-1])
        return named[0] if self.name == "tt.addptr" else named[-1]


@dataclass
class Block:
    """Operations that run one after another; its parameters get their values from branches."""

    label: str
    parameters: list[tuple[str, Type]]
    operations: list[Operation] = field(default_factory=list)


@dataclass
class Region:
    """Blocks of a function or of a loop's body; the first is where it starts."""

    blocks: list[Block]


@dataclass
class Function:
    """A whole kernel: its parameters and its body."""

    name: str
    parameters: list[tuple[str, Type]]
    body: Region


def read(text: str) -> Function:
    """Read a module that holds one kernel.

    Raises:
        Unsupported: if it calls functions of its own.
    """
    return _Reader(text).function()


class _Reader:
    def __init__(self, text: str) -> None:
        self._aliases = dict(_ALIAS.findall(text))
        self._lines = [line.strip() for line in text.splitlines()]
        self._at = 0

    def function(self) -> Function:
        starts = [number for number, line in enumerate(self._lines) if line.startswith("tt.func")]
        if len(starts) != 1:
            raise Unsupported("a kernel that calls functions which are not inlined")
        head = _INNER_LOCATION.sub("", self._lines[starts[0]])
        self._at = starts[0] + 1
        name, _, rest = head.partition("(")
        parameters = [(match[1], parse_type(match[2])) for match in _PARAMETER.finditer(rest.split(") attributes")[0])]
        body, _ = self._region()
        return Function(name.rpartition("@")[2], parameters, body)

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _region(self) -> tuple[Region, str]:
        """A region up to its closing brace, and that line."""
        blocks = [Block("", [])]
        while True:
            line = self._next()
            if line.startswith("}"):
                return Region(blocks), line
            head = _BLOCK.match(_INNER_LOCATION.sub("", line))
            if head:
                found = Block(head[1], [(p[1], parse_type(p[2])) for p in _PARAMETER.finditer(head[2] or "")])
                if blocks[-1].label or blocks[-1].operations:
                    blocks.append(found)
                else:
                    blocks[-1] = found
            elif line:
                blocks[-1].operations.append(self._operation(line))

    def _operation(self, line: str) -> Operation:
        regions: list[Region] = []
        attributes = ""
        head = _INNER_LOCATION.sub("", line)
        last = line
        while last.endswith("{"):
            region, last = self._region()
            regions.append(region)
        if regions:
            tail = _INNER_LOCATION.sub("", last).lstrip("}) ")
            promise = _PROMISES.match(tail)
            attributes = promise[0] if promise else ""
            head = f"{head.rstrip('{( ')} {tail[len(attributes) :].strip()}"
        match = _OPERATION.match(head)
        if match is None:
            raise Unsupported(f"line {line!r}")
        count = int(match[2] or 1)
        results = [] if match[1] is None else [match[1]] if count == 1 else [f"{match[1]}#{n}" for n in range(count)]
        body, _, types = match[4].rpartition(" : ")
        if not body:
            body, types = match[4], ""
        location = _TRAILING_LOCATION.search(last)
        line_of_source = self._place(location[1]) if location else ""
        names = NAME.findall(_ATTRIBUTES.sub("", _MESSAGE.sub("", body)))
        return Operation(
            match[3], results, names, body.strip(), types.strip(), line_of_source, regions, attributes or body
        )

    def _place(self, alias: str) -> str:
        """``file:line`` behind an alias, through names and call sites to the innermost."""
        for _ in range(len(self._aliases)):
            text: str = self._aliases.get(alias, "")
            place = _PLACE.match(text)
            if place:
                return f"{place[1]}:{place[2]}"
            further = re.search(r"#loc\w*", text)
            if not further:
                return text
            alias = further[0]
        return alias
