"""vLLM as a client: its installed class and kernel, unchanged, as the targets ``vllm_kernel`` and ``vllm``.

Nothing of vLLM is copied or replaced. Its import is the only thing that needs care, see
:func:`fuzz.adapters.vllm_kernel.worker_utils`.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import torch

from fuzz.adapters.version import TRIED, in_words, installed
from fuzz.adapters.vllm_kernel import worker_utils, zeroer
from fuzz.errors import UsageError
from kvzero import specs

LIGHT = (
    "aiohttp cachetools cbor2 cloudpickle einops 'fastapi<0.137' llguidance openai oss-harmony partial-json-parser "
    "pillow prometheus_client psutil py-cpuinfo pybase64 pydantic pyzmq regex requests 'transformers<5.21' uvloop "
    "xgrammar"
)
"""What vLLM's worker module imports besides torch, Triton and NumPy, by the names that pip takes."""

HOW = (
    f"pip install --no-deps vllm=={TRIED} && pip install -c constraints.txt {LIGHT}; "
    "of a checkout, name the folder in PYTHONPATH instead of the first command"
)


class Package(NamedTuple):
    """The two modules of vLLM that matter here: the zeroer's, and the cache specs'."""

    utils: Any
    interface: Any


def target(name: str) -> Callable[[Any, Any], Callable[[list[Any]], None]]:
    """A target of this module by its name, once vLLM has been found to be what it expects.

    Raises:
        UsageError: if vLLM or something that it imports is missing, or is of another form.
    """
    package()
    return {"vllm_kernel": zeroer, "vllm": of_layout}[name]


@cache
def package() -> Package:
    """The modules of vLLM.

    Raises:
        UsageError: naming what is missing and how to install it, or how this version differs.
    """
    if installed() is None:
        raise UsageError(f"vllm is not installed; run: {HOW}")
    try:
        found = Package(worker_utils(), importlib.import_module("vllm.v1.kv_cache_interface"))
    except ModuleNotFoundError as error:  # a distribution that is looked for and missing is one, too
        missing = str(error.name or error)
        if missing.split(".", maxsplit=1)[0] == "vllm":
            raise UsageError(f"vllm {in_words()}: has no {missing}, which {TRIED} has") from None
        raise UsageError(f"vllm {in_words()}: imports {missing}, which is not installed; run: {HOW}") from None
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        raise UsageError(f"vllm {in_words()}: importing it raised {words}; its packages are: {HOW}") from None
    wrong = _other_form(found)
    if wrong:
        raise UsageError(f"vllm {in_words()}: {wrong}; the adapter knows the form of {TRIED}")
    return found


def of_layout(layout: specs.CacheLayout, device: Any) -> Callable[[list[Any]], None]:
    """A vLLM zeroer of a runner's caches: planned by its constructor, cleared by its kernel.

    Raises:
        ValueError: for a layout of the older constructor form, which today's vLLM has no more.
    """
    if layout.cache_dtype is not None:
        raise ValueError(f"cache_dtype={layout.cache_dtype!r}: vLLM's zeroer takes layouts of the newer form only")
    made = _constructed(package(), layout, torch.device(device))
    zero: Callable[[list[Any]], None] = made.zero_block_ids
    return zero


of_layout.takes = "layout"  # type: ignore[attr-defined]
of_layout.newer_form = True  # type: ignore[attr-defined]  # blocks are the first dimension of every cache


def _constructed(found: Package, layout: specs.CacheLayout, device: torch.device) -> Any:
    groups = [
        found.utils.AttentionGroup(
            backend=group.backend,
            layer_names=list(group.layer_names),
            kv_cache_spec=_spec(found.interface, group.kv_cache_spec),
            kv_cache_group_id=group.kv_cache_group_id,
        )
        for group in layout.groups
    ]
    return found.utils.KVBlockZeroer(
        device,
        groups,
        layout.kernel_block_sizes,
        layout.static_forward_context,
        layout.num_blocks,
        layout.runner_only_attn_layers,
    )


def _spec(interface: Any, spec: Any) -> Any:
    """The spec of vLLM with the same name and fields; one that is vLLM's own already stays as it is."""
    if type(spec).__module__ != specs.__name__:
        return spec
    told = {one.name: getattr(spec, one.name) for one in dataclasses.fields(spec)}
    if "kv_quant_mode" in told:
        told["kv_quant_mode"] = interface.KVQuantMode(told["kv_quant_mode"])
    return getattr(interface, type(spec).__name__)(**told)


def _other_form(found: Package) -> str | None:
    """How this vLLM's zeroer differs from the one that the adapters know, in words; tried on a cache of two blocks."""
    if not hasattr(getattr(found.utils, "_zero_kv_blocks_kernel", None), "run"):
        return "its _zero_kv_blocks_kernel is no Triton kernel; it may have switched Triton off"
    cache_of_two = specs.layer_of(torch.zeros(2, 1, 4, 4, dtype=torch.int32))
    group = specs.AttentionGroup(specs.Backend(), ["layer"], specs.FullAttentionSpec(4, 1, 2, torch.int32), 0)
    layout = specs.CacheLayout([group], [4], {"layer": cache_of_two}, 2)
    try:
        meta = _constructed(found, layout, torch.device("cpu"))._meta  # noqa: SLF001 - what is compared
    except Exception as error:
        return f"making its KVBlockZeroer raised {type(error).__name__}: {error}"
    kinds = [one.dtype if isinstance(one, torch.Tensor) else type(one) for one in meta or ()]
    known = [torch.uint64, torch.int64, torch.int64, int, int, int]
    return None if kinds == known else f"its KVBlockZeroer keeps {kinds} instead of {known}"
