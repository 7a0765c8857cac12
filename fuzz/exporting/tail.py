"""The end of an exported script: for each call lay the poison, make the call, compare every byte; say what is wrong.

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


def _kvzero_poison(size):
    """What memory holds before each call, uint8 [size]; no byte of it is zero, and a moved page shows."""
    place = np.arange(65_537, dtype=np.uint32)
    pattern = (place * np.uint32(2654435761) >> np.uint32(7)) % np.uint32(255) + np.uint32(1)
    return np.resize(pattern.astype(np.uint8), size)


def _kvzero_warmed(zero, blocks):
    """Call the warm-up of a zeroer, if it has one; whether it has."""
    warmup = getattr(zero, "warmup", None) or getattr(getattr(zero, "__self__", None), "warmup", None)
    if warmup is not None:
        warmup(1 if blocks is None else blocks)
    return warmup is not None


def _kvzero_changed(table, told, given, ids):
    """Which of its arguments the zeroer changed, in lines: the list of ids, the table here or where it was sent."""
    columns = b"".join(column.tobytes() for column in (table.base, table.stride, table.page))
    sent = all(upload.packed.cpu().numpy().tobytes() == upload.sent for upload in table.uploads.values())
    lines = [] if given == ids and [*map(type, given)] == [*map(type, ids)] else ["the list of ids was changed"]
    return lines if columns == told and sent else [*lines, "the table was changed"]


def _kvzero_wrong(case, ids, before, image):
    """Which bytes are wrong, in lines; those of the blocks must be zero, all others as before."""
    lead, must = -(-case["guard"] // 512) * 512, before.copy()
    blocks = set(ids)
    for start, step, width, _, _ in case["segments"]:
        for block in blocks:
            must[lead + start + block * step :][:width] = 0
    after = image.cpu().numpy()
    wrong = np.flatnonzero(after != must)
    lines = [f"  byte {at - lead}: is {after[at]}, must be {must[at]}, was {before[at]}" for at in wrong[:8]]
    return [f"{len(wrong)} of {len(after)} bytes are wrong on {image.device}", *lines] if lines else []


def _kvzero_judged(case, hostile, ids, error, before, image, changed):
    """What to say of a call, in lines, and how the script ends: 1 wrong, 0 all right, None if it goes on."""
    name = f"{type(error).__name__}: {error}"
    if hostile and error is None:
        return [f"hostile input was taken, {np.count_nonzero(image.cpu().numpy() != before)} bytes changed"], 1
    if not hostile and error is not None:
        return [f"raised {name}"], 1
    lines = _kvzero_wrong(case, [] if hostile else ids, before, image) + changed
    if hostile:
        return [f"refused with {name}", *lines], int(bool(lines))
    return lines, 1 if lines else None


def _kvzero_show(case, zeroer, table_type):
    """Make the calls up to the first wrong one: 1 if there is one, 0 if not, 2 if it cannot run here."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu" and case["needs_gpu"]:
        print(f"{case['find']}: shows on a GPU only; the interpreter has no launch limits")
        return 2
    print(f"expected find: {case['find']}")
    lead = -(-case["guard"] // 512) * 512
    before = _kvzero_poison(lead + case["size"] + case["guard"])
    memory = torch.empty(len(before) + 512, dtype=torch.uint8, device=device)
    shift = -memory.data_ptr() % 512
    image = memory[shift : shift + len(before)]
    columns = np.array([row[:3] for row in case["segments"] for _ in range(row[4])], np.int64).T.copy()
    columns[0] += image.data_ptr() + lead
    told = columns.tobytes()
    table = table_type(*columns, case["blocks"])
    zero = None
    for number, (call, hostile) in enumerate(case["calls"], 1):
        ids = _kvzero_ids(call) if isinstance(call, str) else list(call)
        given, error = list(ids), None
        image.copy_(torch.from_numpy(before))
        try:
            if zero is None:
                zero = zeroer(table, device)
                if case["warm"] and _kvzero_warmed(zero, case["blocks"]):
                    image.copy_(torch.from_numpy(before))
            zero(given)
            if device.type == "cuda":
                torch.cuda.synchronize()
        except Exception as raised:
            error = raised
        changed = _kvzero_changed(table, told, given, ids) if error is None or hostile else []
        lines, end = _kvzero_judged(case, hostile, ids, error, before, image, changed)
        if lines:
            print(f"call {number} of {len(case['calls'])}, ids {str(call)[:60]}: " + "\n".join(lines))
        if end is not None:
            return end
    print(f"0 of {len(before)} bytes are wrong on {device} after each of {len(case['calls'])} calls")
    return 0
