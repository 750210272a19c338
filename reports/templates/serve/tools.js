// The tools of a board: a radio button for each colour, and for empty cells.

const EMPTY_TOOL = [EMPTY, "empty", null];

/** The tools for the colours of a palette: [value, name, rgb]. */
function colorTools(palette) {
  return palette.slice(1).map(({ name, rgb }, k) => [k + 1, name || `colour ${k + 1}`, rgb]);
}

/** Show the tools of a board with one chosen; a tool without rgb is shown as a cross. `group` names the radio buttons. */
function offerTools(place, group, tools, board, chosen) {
  place.replaceChildren(...tools.map(([value, name, rgb]) => {
    const input = element("input");
    Object.assign(input, { type: "radio", name: group, value, checked: value === chosen });
    input.addEventListener("change", () => (board.tool = value));
    const chip = element("span", rgb === null ? "chip crossed" : "chip");
    if (rgb !== null) chip.style.background = `#${rgb}`;
    const words = element("span", "tool-name");
    words.textContent = name;
    return element("label", "", "", input, chip, words);
  }));
  board.tool = chosen;
}
