"""What a compiled kernel was called with, as the oracle of variants takes it: a class for each argument."""

from __future__ import annotations

from typing import Any

from fuzz.engines.launch_hook import Compiled
from oracles import variants
from oracles.variants import Variant

_classes: dict[str, dict[str, str]] = {}
"""Classes by compile key. A key stands for one combination of classes, so each is worked out once a process."""


def variant(compiled: Compiled) -> Variant:
    """The variant behind a launch or a compilation.

    To be asked while the launch's tensors are alive: their addresses count.
    """
    if compiled.key not in _classes:
        _classes[compiled.key] = _of_arguments(compiled.function, compiled.positional, compiled.named)
    return Variant(compiled.function.fn.__name__, compiled.key, _classes[compiled.key])


def _of_arguments(function: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> dict[str, str]:
    given = dict(zip(function.arg_names, positional, strict=False)) | named
    classes = {}
    for parameter in function.params:
        value = given.pop(parameter.name, parameter.default if parameter.has_default else None)
        if parameter.is_constexpr:
            classes[parameter.name] = variants.constant(getattr(value, "value", value))
        else:
            classes[parameter.name] = _of_value(
                value,
                specialised=not parameter.do_not_specialize,
                divisibility=not parameter.do_not_specialize_on_alignment,
            )
    return classes | {option: variants.constant(value) for option, value in given.items()}


def _of_value(value: Any, *, specialised: bool, divisibility: bool) -> str:
    if hasattr(value, "data_ptr"):
        element = str(value.dtype).removeprefix("torch.")
        return variants.pointer(element, value.data_ptr(), specialised=specialised, divisibility=divisibility)
    if isinstance(value, bool | float):
        return type(value).__name__
    if isinstance(value, int):
        return variants.integer(value, specialised=specialised, divisibility=divisibility)
    if isinstance(value, tuple):
        parts = (_of_value(part, specialised=specialised, divisibility=divisibility) for part in value)
        return f"({', '.join(parts)})"
    return variants.constant(value) if value is None else type(value).__name__
