"""The public faults that were gathered, by number, and why some have no specimen."""

from __future__ import annotations

ALLOCATOR = "which blocks are recorded, freed or handed out is decided before a zeroer is asked"
CALLER = "the call is missing, or made by somebody else at another time; the zeroer has no part in it"
BYPASS = "the other writer is on no stream, so the order is undefined to whoever clears"
BACKEND = "a compiler's or a device's own fault, which Triton's text does not show"

HISTORY: dict[int, tuple[str, str]] = {
    1: ("vllm#35138, #35219", ALLOCATOR),
    2: ("vllm#27264", ALLOCATOR),
    3: ("vllm#37530", ""),
    4: ("vllm#43961", ALLOCATOR),
    5: ("vllm#43990", CALLER),
    6: ("vllm#47574", ALLOCATOR),
    7: ("vllm#49696", ""),
    8: ("vllm-ascend#16966", ""),
    9: ("vllm#50276", ""),
    10: ("vllm#52709", ""),
    11: ("vllm#43990, a comment", ""),
    12: ("1Cat-vllm#280", ""),
    16: ("kvcached#330", ""),
    17: ("K3 disaggregation patch", ""),
    18: ("vllm#50485", ""),
    19: ("vllm#52058, #52062", ""),
    20: ("v4's axes", ""),
    21: ("v3's axes", ""),
    22: ("vllm#48085", ""),
    24: ("vllm#45357, #48481", BYPASS),
    25: ("vllm#50696", ""),
    26: ("vllm#48481, review", ALLOCATOR),
    27: ("vllm#43009, #45198, #49903", ""),
    28: ("vllm#46215", ""),
    29: ("vllm-ascend's GRID_SIZE", ""),
    30: ("vllm#51749", ""),
    31: ("vllm#52187", "a call has one list of ids for all pools; a list for each is not in the contract"),
    33: ("overlay rule", ""),
    34: ("vllm#57156, #57158", CALLER),
    35: ("vllm#56524", "states in tuples are left alone by the contract, as upstream does"),
    37: ("chunk floor", ""),
    41: ("ROCm's native op", ""),
    42: ("vllm#47671", ""),
    43: ("vllm#46222", ""),
    44: ("syv-ai#86", ""),
    45: ("tokenspeed#501", ""),
    46: ("aiter#4474, vllm#50427, fla#1080, triton#5022", ""),
    47: ("ROCm/triton#944", BACKEND),
    48: ("triton#3299 and others", ""),
    49: ("vllm#52381", ""),
    50: ("triton#7260", ""),
    51: ("hip#2253, rocm-systems#2372, cupy#9746", ""),
    52: ("pytorch#175698, triton#4128", ""),
    54: ("triton-ascend#984", ""),
    55: ("libtriton_jit#52", "the image and the launch are right, and it is slow"),
    56: ("sgl-kernel-npu#477", BACKEND),
    57: ("TensorRT-LLM#15546, #16088", ""),
    60: ("vllm-ascend#13501, vllm#57605", ALLOCATOR),
    62: ("tt-metal#53508", ""),
    63: ("vllm#46345", ""),
    64: ("vllm#52372, LMCache#5004", ALLOCATOR),
}
"""By number: where it was reported, and why it is no specimen; empty if it is one. Numbers that are missing were merged
into others when the reports were gathered."""
