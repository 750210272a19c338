// Sets of the colours that cells may have, as bits (bit 0 is the background), and steps that change them.

/** The sets of a grid (see saved.js): an open cell may have any colour, or be empty. */
function setsOf(cells, colors) {
  const all = 2 ** (colors + 1) - 1;
  return Uint32Array.from(cells, (cell) => (cell === 0 ? all : 1 << (cell === EMPTY ? 0 : cell)));
}

/** The grid of sets: cells with one colour left, the others open. */
function gridOfSets(sets) {
  return Uint8Array.from(sets, (set) => ((set & (set - 1)) !== 0 ? 0 : set === 1 ? EMPTY : 31 - Math.clz32(set)));
}

/** Apply a step to sets, or revert it. */
function apply({ ruled }, sets, back = false) {
  for (const [place, color] of ruled) sets[place] = back ? sets[place] | (1 << color) : sets[place] & ~(1 << color);
}
