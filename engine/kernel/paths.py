"""All shortest paths of a level, with the reference's tie-breaking (reference/sprites 7.12).

The frontier is a binary heap that behaves like java.util.PriorityQueue, because a plain queue gives other paths.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, store8, store32


@inner
def heap_key(heap, i):
    """Step count of the i-th heap entry."""
    return load32(heap + 8 * i)


@inner
def heap_set(heap, i, key, cell):
    """Write the i-th heap entry."""
    store32(heap + 8 * i, key)
    store32(heap + 8 * i + 4, cell)


@inner
def push(heap, n, key, cell):
    """Insert at the end and sift up while smaller than the parent."""
    i = n
    while i > 0:
        parent = (i - 1) // 2
        if key >= heap_key(heap, parent):
            break
        heap_set(heap, i, heap_key(heap, parent), load32(heap + 8 * parent + 4))
        i = parent
    heap_set(heap, i, key, cell)


@inner
def pop(heap, n):
    """Take the root; the last of n entries is sifted down in its place. Returns the root's cell."""
    cell = load32(heap + 4)
    key = heap_key(heap, n - 1)
    moved = load32(heap + 8 * (n - 1) + 4)
    n -= 1
    i = 0
    while i < n // 2:
        child = 2 * i + 1
        if child + 1 < n and heap_key(heap, child) > heap_key(heap, child + 1):
            child += 1
        if key <= heap_key(heap, child):
            break
        heap_set(heap, i, heap_key(heap, child), load32(heap + 8 * child + 4))
        i = child
    heap_set(heap, i, key, moved)
    return cell


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def build_paths(blocked, out, heap, columns, rows, sideways):
    """Fill the table of first steps.

    `blocked` is int8[cells]; `out` int8[cells, cells], preset to -1: 0 up, 1 left, 2 down, 3 right; `heap` is scratch
    of 8 bytes per cell; `sideways` restricts the neighbours to left and right.
    """
    cells = columns * rows
    for start in range(cells):
        if load8(blocked + start) != 0:
            continue
        row_of = out + start * cells
        push(heap, 0, 0, start)
        n = 1
        # -2 marks the start itself while the search runs
        store8(row_of + start, -2)
        while n > 0:
            key = heap_key(heap, 0)
            cell = pop(heap, n)
            n -= 1
            x = cell % columns
            y = cell // columns
            for k in range(2 if sideways != 0 else 4):
                # neighbours in the order up, down, left, right
                turn = k + 2 if sideways != 0 else k
                nx = x
                ny = y
                step = 0
                if turn == 0:
                    ny = y - 1
                elif turn == 1:
                    ny = y + 1
                    step = 2
                elif turn == 2:
                    nx = x - 1
                    step = 1
                else:
                    nx = x + 1
                    step = 3
                if nx < 0 or ny < 0 or nx >= columns or ny >= rows:
                    continue
                other = ny * columns + nx
                if load8(blocked + other) != 0 or load8(row_of + other) != -1:
                    continue
                first = step if cell == start else load8(row_of + cell)
                store8(row_of + other, first)
                push(heap, n, key + 1, other)
                n += 1
        store8(row_of + start, -1)
    return 0
