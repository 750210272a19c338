// Opens puzzles from files, text and images: chosen, dropped or pasted.

import { entriesOf } from "../shared/clues.js";
import { drawing } from "../shared/drawing.js";
import { button, element, onClick } from "../shared/elements.js";
import { paletteOf } from "../shared/game.js";
import { countWords, sizeWords, titleWords } from "../shared/words.js";
import { Refusal, request } from "./api.js";
import { firstRow, showPlace } from "./archive.js";
import { attempt } from "./messages.js";

const NAME = /^(https?:\/\/\S+|[\w-]+\/\d+)$/; // of a puzzle: its page's address, or its id

export class Importer {
  /**
   * act  {open(reply), openNamed(text)}: callbacks to play a puzzle as /api/parse returns it, and to open the archive's puzzle
   *      that a text names, which returns whether there is one
   */
  constructor(section, formats, { open, openNamed }) {
    this.section = section;
    this.open = open;
    this.openNamed = openNamed;
    this.form = document.getElementById("image");
    this.choose = document.getElementById("choose");
    this.search = this.choose.querySelector("form");
    this.search.addEventListener("submit", (event) => attempt(event, () => this.choosePage(0)));
    onClick(this.choose, "by", (by) => attempt(null, () => this.choosePage(firstRow(this.page, by))));
    section.querySelector(".formats").textContent = formats.map(({ name }) => name).join(", ");
    document.getElementById("file").addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file) attempt(event, () => this.openFile(file));
      event.target.value = "";
    });
    document.getElementById("paste").addEventListener("submit", (event) => {
      const text = document.getElementById("text").value;
      attempt(event, () => this.openText(text));
    });
    addEventListener("paste", (event) => this.handlePaste(event));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      const [file] = event.dataTransfer.files;
      attempt(event, async () => file && this.openFile(file));
    });
    this.form.addEventListener("input", () => attempt(null, () => this.preview()));
    this.form.addEventListener("submit", (event) => attempt(event, async () => {
      await this.preview();
      if (this.converted) this.open(this.converted);
    }));
  }

  handlePaste(event) {
    const [file] = event.clipboardData.files;
    const text = event.clipboardData.getData("text");
    if (event.target.closest?.("input, textarea") && !file) return;
    if (file) attempt(event, () => this.openFile(file));
    else if (text.trim()) attempt(event, () => this.openText(text));
  }

  /** Open a file: read its puzzles, or offer to convert an image. */
  async openFile(file) {
    location.hash = "#open";
    if (!file.type.startsWith("image/")) return this.parse(file, file.name);
    const { width, height } = await createImageBitmap(file).catch(() => ({ width: 0, height: 0 }));
    if (width * height > 0 && Math.max(width, height) <= 100) {
      try {
        return await this.parse(file, file.name);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
    this.image = file;
    this.shape = width && height ? width / height : 1;
    this.form.hidden = false;
    this.choose.hidden = true;
    await this.preview();
    this.form.querySelector("h2").focus();
  }

  /** Open the archive's puzzle that a text names, or else the puzzles that it holds. */
  async openText(text) {
    if (await this.openNamed(text)) return;
    await this.parse(new Blob([text]), "").catch((error) => {
      throw error instanceof Refusal && NAME.test(text.trim()) ? new Refusal(`There is no puzzle ${text.trim()} here.`) : error;
    });
  }

  async parse(blob, name) {
    const requestPage = (first, query) => request("POST", `parse?${new URLSearchParams({ name: name.slice(-300), query, first })}`, blob);
    const found = await requestPage(0, "");
    this.requestPage = requestPage;
    this.form.hidden = true;
    this.search.reset();
    this.search.hidden = found.puzzles.length === found.total;
    if (found.total === 1 && !found.problems.length) this.open(found.puzzles[0]);
    else this.offerPuzzles(found);
  }

  /** Offer the puzzles of the file that the search finds, from one on. */
  async choosePage(first) {
    this.offerPuzzles(await this.requestPage(first, this.search.elements.query.value));
  }

  offerPuzzles(page) {
    const { choose: place } = this;
    const { puzzles, problems, total } = page;
    this.page = page;
    place.hidden = false;
    place.querySelector("h2").textContent = total ? `Which one of ${countWords(total, "puzzle")}?` : "No puzzle has these words.";
    showPlace(place.querySelector(".pager"), page);
    place.querySelector(".problems").replaceChildren(...problems.map(({ name, reason }) => element("li", "", "", `${name}: ${reason}`)));
    place.querySelector(".choices").replaceChildren(...puzzles.map((described) => {
      const { title, puzzle_id: id, columns, rows } = described.puzzle;
      const size = element("small", "", "", sizeWords(columns.length, rows.length));
      const choice = button("", element("bdi", "", "", titleWords(title, id)), size);
      choice.addEventListener("click", () => this.open(described));
      return element("li", "", "", choice);
    }));
    place.querySelector("h2").focus();
  }

  /** Convert the image with the form's options, and show the picture. */
  async preview() {
    const { side, colors, dither } = Object.fromEntries(new FormData(this.form));
    this.converted = null;
    if (!this.form.checkValidity() || !this.image) return;
    const short = (share) => Math.max(1, Math.round(side * Math.min(1, share)));
    const options = { width: short(this.shape), height: short(1 / this.shape), colors, dither };
    const pending = (this.pending = request("POST", `image?${new URLSearchParams(options)}`, this.image));
    const converted = await pending;
    if (pending !== this.pending) return;
    this.converted = converted;
    const { puzzle } = converted;
    const picture = { width: puzzle.columns.length, height: puzzle.rows.length };
    const image = drawing({ picture, palette: paletteOf(puzzle), shown: entriesOf(puzzle.goal), marked: null, text: "The picture" });
    this.form.querySelector(".preview").replaceChildren(image);
  }
}
