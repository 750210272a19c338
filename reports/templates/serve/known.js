// What is known of the cells, as sets of colours, a bit each, bit 0 the background; and steps that change it.

/** The sets of a grid, which is as in saved.js: an open cell may have each of so many colours, or none. */
function setsOf(cells, colors) {
  const all = 2 ** (colors + 1) - 1;
  return Uint32Array.from(cells, (cell) => (cell === 0 ? all : 1 << (cell === EMPTY ? 0 : cell)));
}

/** A grid of sets: what has one colour left, and what is open. */
function gridOfSets(sets) {
  return Uint8Array.from(sets, (set) => ((set & (set - 1)) !== 0 ? 0 : set === 1 ? EMPTY : 31 - Math.clz32(set)));
}

/** Take what a step rules out from sets, or put it back. */
function apply({ ruled }, sets, back = false) {
  for (const [place, color] of ruled) sets[place] = back ? sets[place] | (1 << color) : sets[place] & ~(1 << color);
}
