"""Kernels that the tests run: loops, tiles, copies, reductions, and ten that only a GPU fails."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def copy(source, target, n, WIDTH: tl.constexpr):
    """Copy ``n`` elements, a chunk for each program."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(target + at, tl.load(source + at, mask=at < n, other=0), mask=at < n)


@triton.jit
def gather(source, index, target, n, WIDTH: tl.constexpr):
    """``target[i] = source[index[i]]``."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < n
    where = tl.load(index + at, mask=inside, other=0)
    tl.store(target + at, tl.load(source + where, mask=inside), mask=inside)


@triton.jit
def rows(target, ids, count, stride, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Clear a 2-D tile: some ids down, a chunk of their page across."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    block = tl.load(ids + row, mask=row < count, other=0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (row < count)[:, None] & (column < width)[None, :]
    tl.store(target + block[:, None] * stride + column[None, :], 0, mask=inside)


@triton.jit
def looped(target, ids, count, stride, width, PER: tl.constexpr, WIDTH: tl.constexpr):
    """Clear pages in a loop over ids, each program its share, and a loop over chunks."""
    first = tl.program_id(0) * PER
    for number in range(first, tl.minimum(first + PER, count)):
        block = tl.load(ids + number)
        for chunk in range(tl.cdiv(width, WIDTH)):
            column = chunk * WIDTH + tl.arange(0, WIDTH)
            tl.store(target + block * stride + column, tl.zeros([WIDTH], tl.int32), mask=column < width)


@triton.jit
def collatz(target, n):
    """Rounds until 1 is reached: a while loop of different lengths, with a branch inside."""
    number = tl.program_id(0) + 1
    rounds = 0
    while number != 1:
        if number % 2 == 0:  # noqa: SIM108 - the branch is what is tested
            number = number // 2
        else:
            number = 3 * number + 1
        rounds += 1
    tl.store(target + tl.program_id(0), rounds)


@triton.jit
def sums(source, target, WIDTH: tl.constexpr):
    """The sum and the largest of each row."""
    row = tl.load(source + tl.program_id(0) * WIDTH + tl.arange(0, WIDTH))
    tl.store(target + 2 * tl.program_id(0), tl.sum(row, axis=0))
    tl.store(target + 2 * tl.program_id(0) + 1, tl.max(row, axis=0))


@triton.jit
def tickets(counter, order, slot):
    """Each program draws a number; one of them swaps a word."""
    ticket = tl.atomic_add(counter, 1)
    tl.store(order + ticket, tl.program_id(0))
    tl.atomic_max(counter + 1, tl.program_id(0))
    tl.atomic_cas(slot, 0, tl.program_id(0) + 7)


@triton.jit
def each_its_own(target):
    """Every program writes its number to the same word."""
    tl.store(target, tl.program_id(0))


@triton.jit
def at_address(address, WIDTH: tl.constexpr):
    """Clear words at an absolute address."""
    start = tl.load(address).to(tl.pointer_type(tl.int32))
    tl.store(start + tl.arange(0, WIDTH), tl.zeros([WIDTH], tl.int32))


@triton.jit
def for_ever(flag, target):
    """Wait for a word that nobody sets."""
    while tl.load(flag, volatile=True) == 0:
        pass
    tl.store(target, 1)


@triton.jit
def sine(source, target):
    """Something that no kernel of this family does."""
    tl.store(target, tl.sin(tl.load(source)))


@triton.jit
def promised(target, first, WIDTH: tl.constexpr):
    """Promises that ``first`` is a multiple of 16 words."""
    at = tl.multiple_of(tl.load(first), 16) + tl.arange(0, WIDTH)
    tl.store(target + at, tl.zeros([WIDTH], tl.int32))


@triton.jit
def promised_run(target, index, WIDTH: tl.constexpr):
    """Promises that loaded numbers follow one another."""
    at = tl.max_contiguous(tl.load(index + tl.arange(0, WIDTH)), WIDTH)
    tl.store(target + at, tl.zeros([WIDTH], tl.int32))


@triton.jit
def promised_same(target, index, WIDTH: tl.constexpr):
    """Promises that loaded numbers are equal."""
    at = tl.max_constancy(tl.load(index + tl.arange(0, WIDTH)), WIDTH)
    tl.store(target + at, tl.zeros([WIDTH], tl.int32))


@triton.jit
def assumed(target, n):
    """Assumes that ``n`` is positive."""
    tl.assume(n > 0)
    tl.store(target + tl.program_id(0), 0)


@triton.jit
def one_word(target):
    """Clear one word for each program in x."""
    tl.store(target + tl.program_id(0) * 0, 0)


@triton.jit
def widened(target, n):
    """Calls a method of an argument that is a constant when it is 1."""
    tl.store(target + n.to(tl.int64) - 1, 0)


@triton.jit
def misaligned(target):
    """Stores a word at an odd address."""
    tl.store((target.to(tl.pointer_type(tl.int8)) + 1).to(tl.pointer_type(tl.int32)), 0)


@triton.jit
def changed_type(target, n):
    """A variable that is 32 bits wide before a branch and 64 in it."""
    at = tl.program_id(0)
    if n > 5:
        at = at.to(tl.int64) + 1
    tl.store(target + at, 0)


@triton.jit
def too_wide(target, WIDTH: tl.constexpr):
    """A tensor of more elements than Triton takes, or of a number that is no power of two."""
    tl.store(target + tl.arange(0, WIDTH), 0)


@triton.jit
def no_such_instruction(target):
    """TTIR knows nothing of instructions; the assembler does."""
    at = tl.arange(0, 4)
    value = tl.inline_asm_elementwise("no.such $0, $1;", "=r,r", [at], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(target + at, value)


@triton.jit
def narrow_sums(counts, target, DTYPE: tl.constexpr):
    """A loop-carried number of a narrow type, its rounds different from program to program."""
    number = tl.full((), 100, DTYPE)
    for _ in range(tl.load(counts + tl.program_id(0))):
        number = (number + 20).to(DTYPE)
    tl.store(target + tl.program_id(0), number.to(tl.int32))
    tl.store(target + 8 + tl.program_id(0), (number // 3).to(tl.int32))


@triton.jit
def constant(target, VALUE: tl.constexpr, DTYPE: tl.constexpr):
    """Store one float."""
    tl.store(target + tl.arange(0, 8), tl.full((8,), VALUE, DTYPE))


@triton.jit
def transposed(source, target):
    """A 4 by 8 tile, the other way round."""
    tile = tl.load(source + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])
    tl.store(target + tl.arange(0, 32), tl.reshape(tile.T, (32,)))


@triton.jit
def looked_up(table, index, target):
    """An index of any integer type into a table."""
    tl.store(target + tl.program_id(0), tl.load(table + tl.load(index + tl.program_id(0))))


@triton.jit
def shifted(target, k, n):
    """Shifts by whatever number comes."""
    tl.store(target, k << n)
    tl.store(target + 1, k >> n)


@triton.jit
def booleans(a, b, target):
    """Sum and difference of booleans are modulo 2."""
    at = tl.arange(0, 4)
    left, right = tl.load(a + at), tl.load(b + at)
    tl.store(target + at, (left + right).to(tl.int8))


@triton.jit
def asserted(index):
    """A message that looks like a name."""
    tl.device_assert(tl.load(index + tl.arange(0, 4)) >= 0, "id %x must be >= 0")


@triton.jit
def promised_branch(target, n, WIDTH: tl.constexpr):
    """A promise about what a branch gives."""
    if n > 2:  # noqa: SIM108 - the branch is what is tested
        first = n * 16
    else:
        first = n + 32
    first = tl.multiple_of(first, 16)
    tl.store(target + first + tl.arange(0, WIDTH), tl.zeros([WIDTH], tl.int32))


@triton.jit
def many_rounds(target, n):
    """A long loop that ends."""
    total = 0
    for number in range(n):
        total += number & 1
    tl.store(target, total)


@triton.jit
def many_rounds_in_rounds(target, n):
    """The same as a loop in a loop, neither of them long."""
    total = 0
    for _ in range(n):
        for number in range(n):
            total += number & 1
    tl.store(target + tl.program_id(0), total)


@triton.jit
def cleared(target, n, WIDTH: tl.constexpr):
    """Clear ``n`` bytes."""
    at = tl.arange(0, WIDTH)
    tl.store(target + at, tl.zeros([WIDTH], tl.int8), mask=at < n)


@triton.jit
def cleared_below(target, n, WIDTH: tl.constexpr):
    """A branch around a row's chunk."""
    if tl.program_id(0) < n:
        tl.store(target + tl.program_id(0) * WIDTH + tl.arange(0, WIDTH), tl.zeros([WIDTH], tl.int32))


@triton.jit
def branched(source, target, gathered, n, WIDTH: tl.constexpr):
    """Of each three programs one clears its row, two gather and are counted; its last word is what its branch gives."""
    lane = tl.arange(0, WIDTH)
    row = tl.program_id(0)
    first = target + row * (WIDTH + 1)
    if row % 3 == 0:
        tl.store(first + lane, tl.zeros([WIDTH], tl.int32))
        last = row * 2
    else:
        tl.atomic_add(gathered, 1)
        found = tl.load(source + (lane * lane + row) % n)
        tl.store(first + lane, found)
        last = tl.sum(found)
    tl.store(first + WIDTH, last)


@triton.jit
def rounds_around_a_gather(target, n, WIDTH: tl.constexpr):
    """A branch with a loop, a store to places that somebody must write out, and a loop back."""
    row = tl.program_id(0)
    if row < n:
        lane = tl.arange(0, WIDTH)
        done = n * 0
        while done < n:
            done += 1
        tl.store(target + row * WIDTH + lane * lane % WIDTH, done)
        while done > 0:
            done -= 1
        tl.store(target + row * WIDTH, done)


@triton.jit
def rounds_behind_a_branch(target, n, WIDTH: tl.constexpr):
    """A branch whose first programs go round most, after a store that parts them; then as many rounds for each."""
    row = tl.program_id(0)
    done = n * 0
    if row < n:
        lane = tl.arange(0, WIDTH)
        tl.store(target + row * WIDTH + lane * lane % WIDTH, n)
        while done < n - row * 8:
            done += 1
    again = n * 0
    while again < n:
        again += 1
    tl.store(target + row * WIDTH, done + again)
