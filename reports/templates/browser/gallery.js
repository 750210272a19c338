// The gallery: the list's pictures as tiles; only visible ones have elements.

import { button, element } from "../shared/elements.js";
import { minutesWords, titleWords } from "../shared/words.js";
import { pickBox } from "./list.js";
import { nonogramThumb } from "./nonogram.js";

const TILE = 148; // pixels of the narrowest tile

export class Gallery {
  /**
   * box       scrolling element, which the gallery fills
   * table     as readTable returns it
   * pictures  Pictures
   * picked    Picked
   * act       {open(place), pick(place, range)}, as for the list
   */
  constructor(box, table, pictures, picked, act) {
    Object.assign(this, { box, table, pictures, picked, act });
    this.order = new Uint32Array(0);
    this.body = element("div", "gallery-body", "", (this.tiles = element("div", "gallery-tiles")));
    this.box.append(this.body);
    this.box.addEventListener("scroll", () => this.render(), { passive: true });
    this.tiles.addEventListener("click", (event) => {
      const tile = event.target.closest("[data-place]");
      if (!tile) return;
      if (event.target.closest(".pick")) this.act.pick(Number(tile.dataset.place), event.shiftKey);
      else if (event.target.closest("button")) this.act.open(Number(tile.dataset.place));
    });
    new ResizeObserver(() => this.measure()).observe(this.box);
  }

  /** Show these rows from the top. */
  show(order) {
    this.order = order;
    this.box.scrollTop = 0;
    this.measure();
  }

  /** Scroll to the tile of this index. */
  scrollTo(place) {
    const top = Math.floor(place / this.across) * this.height;
    this.box.scrollTop = Math.max(Math.min(this.box.scrollTop, top), top + this.height - this.box.clientHeight);
    this.render();
  }

  measure() {
    if (this.box.clientWidth === 0) return; // hidden
    this.across = Math.max(2, Math.floor(this.box.clientWidth / TILE));
    this.tiles.style.setProperty("--across", this.across);
    if (!this.tiles.firstChild) this.addTiles(1);
    this.height = this.tiles.firstChild.offsetHeight || 1;
    this.body.style.height = `${Math.ceil(this.order.length / this.across) * this.height}px`;
    this.addTiles((Math.ceil(this.box.clientHeight / this.height) + 1) * this.across);
    this.render();
  }

  addTiles(count) {
    while (this.tiles.children.length < count) {
      const open = button("thumb-button", element("span", "thumb"), element("span", "caption"));
      this.tiles.append(element("div", "tile", "", open, element("div", "pick", "", pickBox())));
      this.tiles.lastChild.querySelector("input").tabIndex = 0;
    }
  }

  render() {
    const first = Math.floor(this.box.scrollTop / this.height) * this.across;
    this.tiles.style.transform = `translateY(${(first / this.across) * this.height}px)`;
    Array.from(this.tiles.children, (tile, k) => this.renderTile(tile, first + k));
  }

  renderTile(tile, place) {
    tile.hidden = place >= this.order.length;
    if (tile.hidden) return;
    const row = this.order[place];
    tile.dataset.place = place;
    const name = titleWords(this.table.columns.title.at(row), this.table.columns.puzzle_id.at(row));
    const box = tile.querySelector("input");
    box.checked = this.picked.has(row);
    box.setAttribute("aria-label", `Pick ${name}`);
    tile.classList.toggle("picked", box.checked);
    if (Number(tile.dataset.row ?? -1) === row) return;
    tile.dataset.row = row;
    const minutes = this.table.columns.minutes?.at(row) ?? null;
    tile.querySelector(".caption").textContent = minutes === null ? name : `${name}, ${minutesWords(minutes)}`;
    this.draw(tile, row);
  }

  async draw(tile, row) {
    const thumb = tile.querySelector(".thumb");
    const hasPicture = this.table.columns.contents.values[row] !== 0;
    thumb.replaceChildren(hasPicture ? "…" : "");
    if (!hasPicture) return;
    const picture = await this.pictures.of(row).catch((problem) => console.error(problem));
    if (!picture || Number(tile.dataset.row) !== row) return; // the tile shows another row by now
    thumb.replaceChildren(nonogramThumb(picture, (name) => this.table.columns[name].at(row)));
  }
}
