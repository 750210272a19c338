// Highlights lines and cells of a board.

/**
 * Elements of the drawing that highlight lines and cells.
 *
 * wanted    {line, cells, supposed, chain, end}, all optional: a line, rows before columns; indices of cells; the cell of an
 *           assumption; cells that follow from it; the line that then has no arrangement
 * place     {width, height} in cells; {left, top}: origin of the drawing, at most 0
 */
function pointing({ line = null, cells = [], supposed = null, chain = [], end = null }, place) {
  const at = (k) => [(k % place.width) * CELL, Math.floor(k / place.width) * CELL];
  const boxes = (places, inset) => {
    const side = CELL - 2 * inset;
    return places.map(at).map(([x, y]) => `M${x + inset} ${y + inset}h${side}v${side}h${-side}z`).join("");
  };
  const found = [];
  if (chain.length) found.push(svg("path", { class: "chain", d: boxes(chain, 1) }));
  if (line !== null) found.push(band(line, "line", place));
  if (end !== null) found.push(band(end, "end", place));
  if (cells.length) found.push(svg("path", { class: "rims", d: boxes(cells, 3) }), svg("path", { class: "found", d: boxes(cells, 3) }));
  if (supposed !== null) {
    const [x, y] = at(supposed);
    found.push(svg("circle", { class: "supposed", cx: x + CELL / 2, cy: y + CELL / 2, r: CELL * 0.42 }));
    found.push(svg("text", { class: "question", x: x + CELL / 2, y: y + CELL / 2 }, "?"));
  }
  return found;
}

/** A band along a line and its clue. */
function band(line, kind, { width, height, left, top }) {
  const box = line < height
    ? { x: left, y: line * CELL, width: width * CELL - left, height: CELL }
    : { x: (line - height) * CELL, y: top, width: CELL, height: height * CELL - top };
  return svg("rect", { class: `band ${kind}`, ...box });
}
