"""The end of an exported script: poison, run, compare, say what is wrong.

Its text is copied, so it stands on NumPy and torch alone.
"""

import numpy as np
import torch


def _kvzero_ids(text):
    """The ids of a call, from their written form."""
    ids = []
    for part in filter(None, text.split(",")):
        if "*" in part:
            one, times = part.split("*")
            ids += [int(one)] * int(times)
        else:
            cut = part.find("-", 1)
            first = int(part if cut < 0 else part[:cut])
            last = first if cut < 0 else int(part[cut + 1 :])
            ids += range(first, last + 1) if last >= first else range(first, last - 1, -1)
    return ids


def _kvzero_show(case, zeroer, table_type):
    """Run the case and print what is wrong; 1 if something is, 0 if not, 2 if it cannot run here."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu" and case["needs_gpu"]:
        print(f"{case['find']}: shows on a GPU only; the interpreter has no launch limits")
        return 2
    lead, size = -(-case["guard"] // 512) * 512, case["size"]
    place = np.arange(lead + size + case["guard"], dtype=np.uint32)
    before = ((place * np.uint32(2654435761) >> np.uint32(7)) % np.uint32(255) + np.uint32(1)).astype(np.uint8)
    memory = torch.from_numpy(np.concatenate([before, before[:512]])).to(device)
    shift = -memory.data_ptr() % 512
    image = memory[shift : shift + len(before)]
    image.copy_(torch.from_numpy(before))
    rows = [row[:3] for row in case["segments"] for _ in range(row[4])]
    base, stride, page = np.array(rows, np.int64).T.copy()
    table = table_type(base + image.data_ptr() + lead, stride, page, case["blocks"])
    expected = before.copy()
    try:
        zero = zeroer(table, device)
        for call in case["calls"]:
            ids = _kvzero_ids(call) if isinstance(call, str) else list(call)
            zero(list(ids))
            if device.type == "cuda":
                torch.cuda.synchronize()
            if isinstance(call, str) and case["domain"] == "contract":
                for start, step, width, _, _ in case["segments"]:
                    for block in set(ids):
                        expected[lead + start + block * step :][:width] = 0
    except Exception as error:
        print(f"raised {type(error).__name__}: {error}")
        return 0 if case["domain"] == "hostile" else 1
    after = image.cpu().numpy()
    wrong = np.flatnonzero(after != expected)
    if case["domain"] == "hostile":
        print(f"hostile input was taken, {np.count_nonzero(after != before)} bytes changed")
        return 1
    print(f"{len(wrong)} of {len(after)} bytes are wrong on {device}; expected find: {case['find']}")
    for at in wrong[:8]:
        print(f"  byte {at - lead}: is {after[at]}, must be {expected[at]}, was {before[at]}")
    return int(len(wrong) > 0)
