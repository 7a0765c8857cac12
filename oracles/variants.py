"""Which arguments of a kernel share a compiled variant, and which one called for a new one.

Triton compiles a kernel anew for each combination of its arguments' classes. The rule, as measured on
3.6.0 to 3.9.0 and written in ``triton/runtime/jit.py`` (``create_function_from_signature``) and
``triton/backends/compiler.py`` (``get_tensor_specialization``):

* a runtime integer that is 1 becomes a constant; a multiple of 16, 0 among them, is marked as such; any
  other is plain. Its type is i32, beyond 32 bits i64, from 2^63 on u64. So one integer has up to four
  classes. ``do_not_specialize`` leaves the type alone; ``do_not_specialize_on_alignment`` leaves the 1, too;
* a pointer has its element type, and whether its address is a multiple of 16;
* a float is fp32, a bool u1, None a constant;
* each value of a constexpr, and of a launch option such as ``num_warps``, is a class of its own.

A warm-up that meets only some of these classes leaves the others to the first real request: [0] and
[0, 0] miss the multiples of 16 (vllm#46215), one id misses everything but 1 (vllm#49903), a grid size that
is a constexpr has as many classes as there are counts below the number of cores (vllm-ascend).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

DIVISOR = 16
"""What integers and addresses are tested against."""

WHOLE_KERNEL = "whole kernel"
"""Stands for an argument where a kernel was not compiled before at all; no argument can be named so."""

UNKNOWN = "unknown"
"""Stands for an argument where every class is as it was, and yet something was compiled."""


class Variant(NamedTuple):
    """A compiled variant: its kernel's name, its compile key, and the class of each argument by name.

    Arguments stand in order of the kernel's signature, launch options after them.
    """

    kernel: str
    key: str
    classes: dict[str, str]


class Change(NamedTuple):
    """The argument for which a variant was compiled, and its class before and now."""

    kernel: str
    argument: str
    was: str
    now: str

    @property
    def words(self) -> str:
        """The change as a report tells it."""
        if self.argument == WHOLE_KERNEL:
            return f"{self.kernel} was launched, which the warm-up had not compiled at all"
        if self.argument == UNKNOWN:
            return f"{self.kernel} was compiled again after the warm-up, for arguments of the same classes"
        return f"{self.kernel} was compiled for {self.argument}: {self.now}; the nearest that was warm had {self.was}"


def integer(value: int, *, specialised: bool = True, divisibility: bool = True) -> str:
    """The class of a runtime integer.

    Args:
        value: the integer.
        specialised: False where the kernel names it in ``do_not_specialize``.
        divisibility: False where it is named in ``do_not_specialize_on_alignment``.
    """
    if specialised and value == 1:
        return "the constant 1"
    width = "i32" if -(2**31) <= value < 2**31 else "i64" if value < 2**63 else "u64"
    return f"{width}, a multiple of {DIVISOR}" if specialised and divisibility and value % DIVISOR == 0 else width


def pointer(element: str, address: int, *, specialised: bool = True, divisibility: bool = True) -> str:
    """The class of a pointer to elements of a type, or of a tensor at an address."""
    aligned = specialised and divisibility and address % DIVISOR == 0
    return f"*{element}, aligned to {DIVISOR} bytes" if aligned else f"*{element}"


def constant(value: object) -> str:
    """The class of a constexpr or of a launch option: its value."""
    return f"constexpr {value!r}"


def added(before: Iterable[Variant], after: Iterable[Variant]) -> Change | None:
    """The first variant that is new, and the argument that called for it; None if none is new.

    Compile keys alone say whether a variant is new. The argument is the first, in order of the signature,
    whose class differs from the nearest earlier variant of the kernel: the one that differs in the fewest
    arguments, of several the first.

    Args:
        before: what was compiled before, in order.
        after: what was launched or compiled after that, in order.
    """
    known = list(before)
    keys = {variant.key for variant in known}
    new = next((variant for variant in after if variant.key not in keys), None)
    if new is None:
        return None
    family = [variant for variant in known if variant.kernel == new.kernel]
    if not family:
        return Change(new.kernel, WHOLE_KERNEL, "", "")
    nearest = min(family, key=lambda variant: len(_differing(variant, new)))
    names = _differing(nearest, new)
    if not names:
        return Change(new.kernel, UNKNOWN, "", "")
    was, now = (variant.classes.get(names[0], "not given") for variant in (nearest, new))
    return Change(new.kernel, names[0], was, now)


def _differing(one: Variant, other: Variant) -> list[str]:
    """Arguments whose classes differ, in order of the signature."""
    names = dict.fromkeys((*one.classes, *other.classes))
    return [name for name in names if one.classes.get(name) != other.classes.get(name)]
