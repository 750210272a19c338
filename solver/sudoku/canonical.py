"""Canonical form of a Sudoku: one representative of each equivalence class, exact for every size.

Individualisation and refinement, as in graph canonisation (McKay's nauty). Lines, groups of lines (bands and stacks)
and digits get colours that depend only on their neighbourhood, refined to a fixpoint. If all non-empty lines have
distinct colours, these give the order of the lines; digits are renamed in order of first use. Otherwise each given of a
tied class is individualised in turn, and the least grid wins. Two rules prune this search tree: a branch whose colours
compare greater than the best leaf's is cut, and two leaves with equal grids are an automorphism, so the subtrees of
the individualised givens in which they differ need be visited only once.

Hash collisions between colours cost time, never correctness, so colours are small integers that cannot overflow.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel

M31 = (1 << 31) - 1
M40 = (1 << 40) - 1

FACTOR, FACTOR2 = 0x5851F42D, 0x4C957F2D
"""Odd hash multipliers below 2^31."""

ROW_MARK, GIVEN_MARK = 0x1234567, 0x7654321
"""Colours that mark the rows of an orientation, and row, column and digit of an individualised given."""

LEAST_ROUNDS, PATIENCE = 3, 2
"""Maximum rounds of refinement, and rounds without progress after which it stops."""

ROWS, COLUMNS = range(2)


class Search(NamedTuple):
    """Workspace of the search, for at most L levels, n digits, g givens.

    place       int64[4, g]: row, column, digit and box of each given
    heat        int64[g]: colours of the givens in the last round of refinement
    many        int64[2, n]: givens of each row and column
    line        int64[L, 2, n]: the colours of rows and columns at each level
    digit       int64[L, n + 1]: the colours of digits
    sums        int64[4, n + 1], scratch
    chosen      int64[L, g]: the givens to individualise per level; at the first, the orientations of the form
    ways        int64[4, L]: per level their number, the next and the current one, and the best leaf's
    least       int64[L]: sums of the best leaf's colours per level
    order       int64[2, n]: new position of each row and column
    names       int64[n + 1]: the new names of digits
    text        uint8[n x n], scratch
    """

    place: np.ndarray
    heat: np.ndarray
    many: np.ndarray
    line: np.ndarray
    digit: np.ndarray
    sums: np.ndarray
    chosen: np.ndarray
    ways: np.ndarray
    least: np.ndarray
    order: np.ndarray
    names: np.ndarray
    text: np.ndarray


NUMBER, NEXT, MARKED, BEST = range(4)


def search_for(cells: int) -> Search:
    """Allocate memory for grids of at most `cells` cells."""
    size = int(cells**0.5) + 1
    levels = size + 3  # each mark distinguishes at least one row
    one = np.int64
    return Search(
        place=np.zeros((4, cells), one),
        heat=np.zeros(cells, one),
        many=np.zeros((2, size), one),
        line=np.zeros((levels, 2, size), one),
        digit=np.zeros((levels, size + 1), one),
        sums=np.zeros((4, size + 1), one),
        chosen=np.zeros((levels, max(cells, 2)), one),
        ways=np.zeros((4, levels), one),
        least=np.zeros(levels, one),
        order=np.zeros((2, size), one),
        names=np.zeros(size + 1, one),
        text=np.zeros(cells, np.uint8),
    )


@kernel
def canonical_form(givens: np.ndarray, wide: int, high: int, memory: Search, form: np.ndarray) -> None:
    """Write the canonical form of givens with boxes of wide x high into `form`, uint8[n x n].

    Digits are 0 to n. The form's boxes are at least as wide as high.
    """
    size = wide * high
    turned = wide < high
    if turned:
        wide, high = high, wide
    number = _lay_out(givens, size, wide, high, turned, memory)
    line, digit, ways, least = memory.line, memory.digit, memory.ways, memory.least
    for k in range(size):
        line[0, ROWS, k] = line[0, COLUMNS, k] = digit[0, k + 1] = 0
    memory.chosen[0, ROWS], memory.chosen[0, COLUMNS] = ROWS, COLUMNS
    ways[NUMBER, 0], ways[NEXT, 0] = 2 if wide == high else 1, 0
    level: Any = np.int64(0)
    depth: Any = np.int64(0)
    complete = False  # whether `least`, up to `depth`, and `form` belong to a complete leaf
    while level >= 0:
        if ways[NEXT, level] == ways[NUMBER, level]:
            level -= 1
            continue
        ways[MARKED, level] = memory.chosen[level, ways[NEXT, level]]
        ways[NEXT, level] += 1
        level += 1
        _mark(size, level, memory)
        ties = _refine(number, size, wide, high, level, memory)
        total = _total(size, level, memory) + ties
        if level > depth or total < least[level]:
            complete = complete and level > depth
            depth, least[level] = level, total
        elif total > least[level]:
            level -= 1
            continue
        if ties > 0 and level + 1 < len(least):
            _choose(number, size, wide, high, level, memory)
            continue
        compared = _compare(number, size, wide, high, level, memory, form)
        if compared < 0 or not complete:
            complete = True
            for cell in range(size * size):
                form[cell] = memory.text[cell]
            for k in range(level):
                ways[BEST, k] = ways[MARKED, k]
        elif compared == 0:
            k = 0
            while k + 1 < level and ways[BEST, k] == ways[MARKED, k]:
                k += 1
            level = k + 1
        level -= 1


@inlined
def _lay_out(givens: np.ndarray, size: int, wide: int, high: int, turned: bool, memory: Search) -> int:
    """List the givens and return their number; boxes are those of the transposed grid if it is transposed."""
    number: Any = np.int64(0)
    place, many = memory.place, memory.many
    for k in range(size):
        many[ROWS, k] = many[COLUMNS, k] = 0
    for cell in range(size * size):
        if givens[cell] != 0:
            row, column = cell // size, cell % size
            if turned:
                row, column = column, row
            place[0, number], place[1, number], place[2, number] = row, column, givens[cell]
            place[3, number] = row // high * high + column // wide
            many[ROWS, row] += 1
            many[COLUMNS, column] += 1
            number += 1
    return int(number)


@inlined
def _mixed(x: int) -> int:
    """Return a 40-bit hash of a number from 0 to 2^62."""
    y = ((x ^ x >> 31) & M31) * FACTOR
    z = ((y ^ y >> 30) & M31) * FACTOR2 + y
    return int((z ^ z >> 29) & M40)


@kernel
def _refine(number: int, size: int, wide: int, high: int, level: int, memory: Search) -> int:
    """Refine the colours of a level to a fixpoint; return the number of tied pairs."""
    left, patience = size * size * 4, PATIENCE
    rounds: Any = np.int64(0)
    while True:
        _refine_once(number, size, wide, high, level, memory)
        rounds += 1
        ties = _ties(memory.line[level, ROWS], memory.many[ROWS], size, high)
        ties += _ties(memory.line[level, COLUMNS], memory.many[COLUMNS], size, wide)
        patience = PATIENCE if ties < left else patience - 1
        left = ties
        if ties == 0 or (rounds >= LEAST_ROUNDS and patience == 0):
            return left


@inlined
def _refine_once(number: int, size: int, wide: int, high: int, level: int, memory: Search) -> None:
    """Run one round: recolour givens by row, column, digit and box, then rows, columns and digits by givens."""
    place, heat, sums = memory.place, memory.heat, memory.sums
    line, digit = memory.line[level], memory.digit[level]
    for k in range(size + 1):
        sums[0, k] = sums[1, k] = sums[2, k] = sums[3, k] = 0
    for i in range(number):
        heat[i] = _mixed(line[ROWS, place[0, i]] + line[COLUMNS, place[1, i]] + digit[place[2, i]])
        sums[3, place[3, i]] += heat[i]
    for i in range(number):
        heat[i] = _mixed(heat[i] + sums[3, place[3, i]])
        for kind in range(3):
            sums[kind, place[kind, i]] += heat[i]
    for k in range(size):
        digit[k + 1] = _mixed(digit[k + 1] + sums[2, k + 1])
    for kind in range(2):
        lines = high if kind == ROWS else wide
        for start in range(0, size, lines):
            group: Any = np.int64(0)
            for k in range(start, start + lines):
                line[kind, k] = _mixed(line[kind, k] + sums[kind, k])
                group += line[kind, k]
            group = _mixed(group)
            for k in range(start, start + lines):
                line[kind, k] = _mixed(line[kind, k] + group)


@inlined
def _group(colors: np.ndarray, start: int, lines: int) -> int:
    """Return the colour of a group of lines."""
    total: Any = np.int64(0)
    for k in range(start, start + lines):
        total += colors[k]
    return int(total)


@inlined
def _ties(colors: np.ndarray, many: np.ndarray, size: int, lines: int) -> int:
    """Return the number of tied pairs of lines within a group, and of groups, ignoring those without givens."""
    ties: Any = np.int64(0)
    for start in range(0, size, lines):
        for k in range(start, start + lines):
            for j in range(start, k):
                ties += np.int64(colors[j] == colors[k] and many[j] + many[k] > 0)
        for other in range(0, start, lines):
            if _group(colors, start, lines) == _group(colors, other, lines):
                ties += np.int64(_group(many, start, lines) + _group(many, other, lines) > 0)
    return int(ties)


@inlined
def _is_tied(colors: np.ndarray, size: int, lines: int, k: int) -> bool:
    """Return whether a line is tied in its group, or the group is tied."""
    start = k // lines * lines
    group = _group(colors, start, lines)
    tied = False
    for j in range(start, start + lines):
        tied = tied or bool(j != k and colors[j] == colors[k])
    for other in range(0, size, lines):
        tied = tied or (other != start and _group(colors, other, lines) == group)
    return tied


@inlined
def _mark(size: int, level: int, memory: Search) -> None:
    """Start a level with the previous level's colours plus its individualised given (at first: the orientation)."""
    line, digit, marked = memory.line, memory.digit, memory.ways[MARKED, level - 1]
    for k in range(size):
        line[level, ROWS, k], line[level, COLUMNS, k] = line[level - 1, ROWS, k], line[level - 1, COLUMNS, k]
        digit[level, k + 1] = digit[level - 1, k + 1]
    if level == 1:
        for k in range(size):
            line[level, marked, k] = ROW_MARK
        return
    line[level, ROWS, memory.place[0, marked]] += GIVEN_MARK
    line[level, COLUMNS, memory.place[1, marked]] += GIVEN_MARK
    digit[level, memory.place[2, marked]] += GIVEN_MARK


@inlined
def _total(size: int, level: int, memory: Search) -> int:
    """Return an order-independent sum of a level's colours."""
    total: Any = np.int64(0)
    for k in range(size):
        total += _mixed(memory.line[level, ROWS, k]) + _mixed(memory.line[level, COLUMNS, k])
        total += _mixed(memory.digit[level, k + 1])
    return int(total)


@inlined
def _choose(number: int, size: int, wide: int, high: int, level: int, memory: Search) -> None:
    """Choose the givens to individualise: those of the least colour among givens in tied lines."""
    line, place, heat = memory.line[level], memory.place, memory.heat
    found: Any = np.int64(0)
    for i in range(number):
        if found > 0 and heat[i] > heat[memory.chosen[level, 0]]:
            continue
        if not (_is_tied(line[ROWS], size, high, place[0, i]) or _is_tied(line[COLUMNS], size, wide, place[1, i])):
            continue
        if found > 0 and heat[i] < heat[memory.chosen[level, 0]]:
            found = 0
        memory.chosen[level, found] = i
        found += 1
    memory.ways[NUMBER, level], memory.ways[NEXT, level] = found, 0


@inlined
def _compare(number: int, size: int, wide: int, high: int, level: int, memory: Search, form: np.ndarray) -> int:
    """Write the grid of a level into `text` and compare it with the form.

    Returns a negative number, 0 or a positive number if it is less than, equal to or greater than the form.
    """
    first: Any = memory.ways[MARKED, 0]
    _rank(memory.line[level, ROWS], size, high, memory.order[ROWS])
    _rank(memory.line[level, COLUMNS], size, wide, memory.order[COLUMNS])
    text, names, place = memory.text, memory.names, memory.place
    for cell in range(size * size):
        text[cell] = 0
    for k in range(size + 1):
        names[k] = 0
    for i in range(number):
        row, column = memory.order[ROWS, place[0, i]], memory.order[COLUMNS, place[1, i]]
        text[row * size + column if first == ROWS else column * size + row] = place[2, i]
    named: Any = np.int64(0)
    order: Any = np.int64(0)
    for cell in range(size * size):
        given = text[cell]
        if given != 0:
            if names[given] == 0:
                named += 1
                names[given] = named
            text[cell] = names[given]
        if order == 0:
            order = np.int64(text[cell]) - np.int64(form[cell])
    return int(order)


@inlined
def _rank(colors: np.ndarray, size: int, lines: int, order: np.ndarray) -> None:
    """Compute the position of each line: groups by colour, lines within a group by colour."""
    for start in range(0, size, lines):
        group = _group(colors, start, lines)
        before: Any = np.int64(0)
        for other in range(0, size, lines):
            color = _group(colors, other, lines)
            before += np.int64(color < group or (color == group and other < start))
        for k in range(start, start + lines):
            place = before * lines
            for j in range(start, start + lines):
                place += np.int64(colors[j] < colors[k] or (colors[j] == colors[k] and j < k))
            order[k] = place
