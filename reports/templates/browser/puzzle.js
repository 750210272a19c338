// One opened puzzle: its drawing, its verdict and everything that was counted on the way.

const EMPTY = "nothing";

/** What can be in the cells: the property of a picture, and its name. */
const LAYERS = [
  ["solution", "Solution"],
  ["second", "Second solution"],
  ["goal", "Author’s picture"],
  ["mended", "Mended"],
  [EMPTY, "Empty grid"],
];

class PuzzleView {
  /**
   * dialog     the element, with its parts by class
   * table      as readTable gives it
   * pictures   Pictures
   * act        {step(by), closed()}: what to do when another puzzle is asked for, or none any more
   */
  constructor(dialog, table, pictures, act) {
    this.dialog = dialog;
    this.table = table;
    this.pictures = pictures;
    this.layer = LAYERS[0][0]; // what people last chose to see
    this.row = -1;
    this.listen(act);
  }

  part(name) {
    return this.dialog.querySelector(`.${name}`);
  }

  listen(act) {
    for (const button of this.dialog.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => act.step(Number(button.dataset.step)));
    }
    this.part("close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => {
      this.row = -1;
      act.closed();
    });
    this.dialog.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step && !event.target.closest("input, .drawing")) act.step(step);
    });
    this.part("layers").addEventListener("change", (event) => {
      this.layer = event.target.value;
      this.draw();
    });
  }

  /** Open a row, or go on to it; `place` is its place among `total` rows of the list, -1 if it is not among them. */
  async show(row, place, total) {
    this.row = row;
    this.describe(row);
    this.part("place").textContent = place < 0 ? "" : `${numberWords(place + 1)} of ${numberWords(total)}`;
    for (const button of this.dialog.querySelectorAll("[data-step]")) {
      const next = place + Number(button.dataset.step);
      button.disabled = place < 0 || next < 0 || next >= total;
    }
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.scrollTop = 0;
    await this.load(row);
  }

  describe(row) {
    const at = (name) => this.table.columns[name]?.at(row) ?? null;
    const author = at("author");
    this.part("name").textContent = at("title") ?? at("puzzle_id") ?? "untitled";
    this.part("author").textContent = author === null ? "" : `by ${author}`;
    this.part("id").replaceChildren(idWords(at("puzzle_id"), at("url")));
    const label = this.table.columns.label.values[row];
    const [color, meaning] = label ? this.table.labels[label - 1] : ["transparent", ""];
    this.part("key").textContent = at("label") ?? "unknown";
    this.part("key").style.setProperty("--key", color);
    this.part("meaning").textContent = meaning;
    this.part("reason").textContent = at("error") ?? "";
    const size = { width: at("width"), height: at("height"), cells: at("cells") };
    this.part("facts").replaceChildren(...factItems(at, size));
  }

  async load(row) {
    this.picture = null;
    let problem = "";
    try {
      if (this.table.columns.contents.values[row] !== 0) {
        const picture = await this.pictures.of(row);
        if (row !== this.row) return; // people were quicker
        this.picture = picture;
      } else if (this.pictures.has(row)) problem = "Nothing can be drawn: this puzzle’s clues are not in the report.";
      else problem = "Not drawn: the page has room for the pictures of its first puzzles only.";
    } catch (error) {
      console.error(error);
      problem = "This puzzle’s picture can’t be read.";
    }
    this.offer();
    this.draw();
    if (problem) this.part("legend").textContent = problem;
  }

  /** A button for each thing that its cells can show. */
  offer() {
    this.available = LAYERS.filter(([layer]) => this.picture && (layer === EMPTY || this.picture[layer]));
    const shown = this.shown();
    this.part("layers").hidden = this.available.length < 2;
    this.part("layers").replaceChildren(...this.available.map(([layer, name]) => {
      const input = element("input");
      Object.assign(input, { type: "radio", name: "browse-layer", value: layer, checked: layer === shown });
      return element("label", "", "", input, element("span", "", "", name));
    }));
  }

  /** What people chose to see, or else the first thing there is. */
  shown() {
    const layers = this.available.map(([layer]) => layer);
    return layers.includes(this.layer) ? this.layer : layers[0];
  }

  draw() {
    const shown = this.shown();
    const picture = shown === "mended" ? withOwnClues(this.picture) : this.picture;
    this.part("drawing").hidden = !picture;
    this.part("clue-words").hidden = !picture?.clues;
    if (!picture) {
      this.part("drawing").replaceChildren();
      return;
    }
    const palette = paletteOf(this.table.columns.palette.at(this.row));
    const goalMatches = this.table.columns.goal_matches.at(this.row);
    const marked = otherOf(picture, shown, goalMatches);
    const text = legend(picture, shown, marked, goalMatches);
    const what = `Nonogram of ${countWords(picture.width, "column")} and ${countWords(picture.height, "row")}.`;
    const entries = picture[shown] ?? null;
    this.part("drawing").replaceChildren(drawing({ picture, palette, shown: entries, marked, text: `${what} ${text}` }));
    this.part("legend").textContent = text;
    this.part("clue-list").replaceChildren(...clueItems(picture.clues, palette));
  }
}

/** The id, as a link if there is an address of the web to it. */
function idWords(id, url) {
  const link = url !== null && /^https?:\/\//i.test(url);
  const made = element(link ? "a" : "span");
  made.textContent = id ?? "no id";
  if (link) Object.assign(made, { href: url, rel: "noopener noreferrer", target: "_blank" });
  return made;
}

/** The entries of a palette from its text: a line each, six hex digits and the name. */
function paletteOf(text) {
  if (text === null) return [{ rgb: "ffffff", name: "white" }, { rgb: BLACK, name: "black" }];
  return text.split("\n").map((line) => ({ rgb: line.slice(0, 6), name: line.slice(7) }));
}

/** A picture with the clues of the mended one, of which some are others. */
function withOwnClues(picture) {
  return { ...picture, clues: cluesOf(picture.mended, picture.width, picture.height) };
}

/** The cells that the shown ones are compared with, or null. */
function otherOf(picture, shown, goalMatches) {
  if (shown === "mended") return formerOf(picture, goalMatches);
  return { solution: picture.second, second: picture.solution, goal: picture.solution }[shown] ?? null;
}

/** The solution that was mended: the author's picture if it is one, else the one that the mended picture is nearest to. */
function formerOf({ solution, second, goal, mended }, goalMatches) {
  if (goalMatches) return goal ?? solution;
  return differingCells(mended, second) < differingCells(mended, solution) ? second : solution;
}

/** What is to be seen, in words. */
function legend(picture, shown, marked, goalMatches) {
  const sentences = [];
  if (shown === "solution") sentences.push(picture.second ? "A solution." : "The solution that was found.");
  if (shown === "second") sentences.push("Another solution.");
  if (shown === "goal") {
    sentences.push("The author’s picture.");
    if (!picture.solution) sentences.push("No solution is known.");
    if (goalMatches === false) sentences.push("It does not fit the clues.");
  }
  if (shown === "mended") sentences.push(`Changed so that it has one solution. ${picture.change}.`);
  if (shown === EMPTY) sentences.push("The empty grid.");
  if (marked) {
    const other = { solution: "the second solution", mended: "the former solution" }[shown] ?? "the solution";
    sentences.push(`◆ ${countWords(differingCells(picture[shown], marked), "cell")} where ${other} differs.`);
  }
  if (!picture.clues) sentences.push("Its clues are not in the report.");
  else {
    if (numbersOf(picture.clues) > MOST_NUMBERS) sentences.push("Its clues are too many to be drawn.");
    const hidden = [...picture.clues.rows, ...picture.clues.columns].flat().some(([length]) => length === 0);
    if (hidden) sentences.push("? stands for a hidden number.");
  }
  return sentences.join(" ");
}
