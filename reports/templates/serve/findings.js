// Findings about a puzzle: its answer, and its files.

import { factItems, verdictOf } from "../browser/facts.js";
import { differingCells, entriesOf } from "../shared/clues.js";
import { drawing } from "../shared/drawing.js";
import { copyText, downloadFile, element, Panel } from "../shared/elements.js";
import { colorsOf } from "../shared/game.js";
import { countWords } from "../shared/words.js";
import { request, runJob } from "./api.js";
import { attempt } from "./messages.js";
import { shareLink } from "./sharing.js";

const COMMON = ["non", "webpbn-xml", "g", "cwd", "lists"]; // formats that programs read most
const LOCAL = /^(localhost$|127\.|\[::1\])/; // hosts of a page that no other computer reaches
const FOR_PEOPLE = ["minutes", "stars", "grade", "hardest"]; // facts that are not folded

export class Findings extends Panel {
  /**
   * place    element with the forms
   * server   {about, formats}, as in /api/about and /api/formats
   * act      {record(), begun(), show(cells)}: the current puzzle, its grid as text, and the callback for a solution to show
   */
  constructor(place, server, act) {
    super(place);
    this.act = act;
    this.cancelling = null;
    const { seconds, solutions } = this.part("solver").elements;
    seconds.value = seconds.max = server.about.cpu_limit;
    solutions.max = server.about.most_solutions;
    const { format } = this.part("downloads").elements;
    const [, common, others] = format.querySelectorAll("optgroup");
    for (const { name, suffixes, refuses } of server.formats) {
      (COMMON.includes(name) ? common : others).append(Object.assign(new Option(`${name} (${suffixes[0]})`, name), { refuses }));
    }
    this.part("solver").addEventListener("invalid", () => (this.part("solver details").open = true), true);
    this.part("solver").addEventListener("submit", (event) => attempt(event, () => this.solve()));
    this.part("downloads").addEventListener("submit", (event) => attempt(event, () => this.download(format.value)));
    this.part("share").addEventListener("submit", (event) => attempt(event, () => this.share()));
    this.button("cancel").addEventListener("click", () => this.cancel());
    this.button("show").addEventListener("click", () => this.act.show(entriesOf(this.answer.pictures[0])));
  }

  /** Discard the answer when the puzzle changes, and show its link. */
  clear() {
    this.cancel();
    this.answer = null;
    this.part("answer").hidden = true;
    for (const name of ["left-out", "copied"]) this.part(name).textContent = "";
    this.offerFormats();
    this.showLink();
  }

  /** Offer only formats that can hold the puzzle. */
  offerFormats() {
    const { record } = this.act.record();
    const { format } = this.part("downloads").elements;
    const isBlotted = [...record.rows, ...record.columns].flat().some(([length]) => length === 0);
    const has = { colors: colorsOf(record) > 1, blots: isBlotted, background: !/^f{6}$/i.test(record.palette[0][2]) };
    for (const option of format.options) option.disabled = option.hidden = option.refuses?.some((name) => has[name]);
    if (format.selectedOptions[0].disabled) format.selectedIndex = 0;
  }

  cancel() {
    this.cancelling?.abort();
  }

  /** Solve the puzzle with the form's options, and show the answer. */
  async solve() {
    const { seconds, solutions } = this.part("solver").elements;
    const { record, palette, width, height } = this.act.record();
    const request = { puzzle: record, cpu_limit: Number(seconds.value), solutions: Number(solutions.value), grade: true };
    const answer = await this.run("solve", request);
    if (answer) this.showAnswer(answer, { palette, width, height }, true);
  }

  /** Run a job and return its result, or null if it was cancelled; `progress` is the element that shows its state. */
  async run(path, body, progress = this.part("progress")) {
    this.cancel();
    const cancelling = new AbortController();
    this.cancelling = cancelling;
    const began = performance.now();
    const words = { state: "queued", ahead: 0 };
    const tick = () => {
      const passed = Math.floor((performance.now() - began) / 1000);
      progress.textContent = `${progressWords(DOING[path], words)}${passed > 1 ? ` ${passed} s` : ""}`;
    };
    const clock = setInterval(tick, 1000);
    this.setBusy(true);
    try {
      const answer = await runJob(path, body, (job) => { Object.assign(words, job); tick(); }, cancelling.signal);
      progress.textContent = "";
      return answer;
    } catch (error) {
      progress.textContent = error.name === "AbortError" ? "Cancelled." : "";
      if (error.name === "AbortError") return null;
      throw error;
    } finally {
      clearInterval(clock);
      if (this.cancelling === cancelling) this.cancelling = null;
      this.setBusy(this.cancelling !== null);
    }
  }

  setBusy(isBusy) {
    this.button("cancel").hidden = !isBusy;
    this.part("solver").querySelector("[type=submit]").disabled = isBusy;
  }

  /** Show an answer; its pictures stay folded unless they were asked for, since they spoil the puzzle. */
  showAnswer(answer, { palette, width, height }, asked) {
    this.answer = answer;
    const { pictures, label, meaning, error, every } = answer;
    this.part("answer").hidden = false;
    this.part("key").textContent = label;
    this.part("key").style.setProperty("--key", verdictOf(label).color);
    this.part("meaning").textContent = meaning;
    this.part("reason").textContent = reasonWords(error, pictures.length, every);
    this.part("solved").hidden = pictures.length === 0;
    this.part("solved").open = asked;
    this.part("solved").firstElementChild.textContent = pictures.length > 1 ? "Solutions" : "The solution";
    const size = { width, height, cells: width * height };
    const at = (name) => answer[name] ?? answer.grading?.[name] ?? null;
    this.part("facts").replaceChildren(...factItems(at, size, (name) => FOR_PEOPLE.includes(name)));
    this.part("details dl").replaceChildren(...factItems(at, size, (name) => !FOR_PEOPLE.includes(name)));
    this.part("pictures").replaceChildren(...solutionFigures(pictures.map(entriesOf), { palette, width, height }));
  }

  /** Request a file of a puzzle: explained, written or drawn; null if that was cancelled. */
  requestFile(puzzle, format) {
    const [path, kind] = format.split("/");
    if (path === "explain") return this.run(path, { puzzle, page: true }, this.part("left-out"));
    if (path === "draw") return request("POST", "draw", { puzzle, kind, begun: this.act.begun() });
    return request("POST", "write", { puzzle, format });
  }

  async download(format) {
    const { record } = this.act.record();
    const goal = record.goal ?? (this.answer?.solutions === "unique" ? this.answer.pictures[0] : undefined);
    const puzzle = goal === undefined ? record : { ...record, goal };
    const file = await this.requestFile(puzzle, format);
    if (!file) return;
    const bytes = Uint8Array.from(atob(file.data), (letter) => letter.charCodeAt(0));
    downloadFile(bytes, file.name);
    const lost = file.left_out.length ? ` The format can’t hold ${file.left_out.join(", ")}.` : "";
    this.part("left-out").textContent = `${file.name} is written.${lost}`;
  }

  async showLink() {
    const { link } = this.part("share").elements;
    link.value = await shareLink(this.act.record().record);
    return link;
  }

  /** Copy the puzzle's link. */
  async share() {
    const link = await this.showLink();
    link.select();
    const isCopied = await copyText(link.value);
    const reach = LOCAL.test(location.hostname) ? " It opens only on this computer: send others a file." : "";
    this.part("copied").textContent = (isCopied ? "The link is copied." : "Copy the link from here.") + reach;
  }
}

/** A figure for each solution, with marks where it differs from the first one, and the first one from the second. */
export function solutionFigures(solutions, { palette, width, height }) {
  const isOnly = solutions.length === 1;
  return solutions.map((shown, k) => {
    const marked = k > 0 ? solutions[0] : solutions[1] ?? null;
    const differing = marked ? `, ◆ ${countWords(differingCells(shown, marked), "cell")} unlike solution ${k > 0 ? 1 : 2}` : "";
    const text = (isOnly ? "The solution" : `Solution ${k + 1}`) + differing;
    const caption = element("figcaption", "", "", isOnly ? "" : text);
    return element("figure", "", "", drawing({ picture: { width, height }, palette, shown, marked, text }), caption);
  });
}

/** Why there is no verdict, or whether several solutions are all there are. */
export function reasonWords(error, count, isEvery) {
  if (count < 2) return error ?? "";
  return isEvery ? `These are all ${count} solutions.` : "There may be more.";
}

export const DOING = {
  solve: "Solving",
  hint: "Looking for the next step",
  explain: "Explaining",
};

export function progressWords(doing, { state, ahead, long }) {
  if (state === "compiling") return "Preparing the solver for puzzles of this size, once …";
  if (state === "queued" && ahead > 0) return `Waiting: ${countWords(ahead, "puzzle")} before it …`;
  if (state === "queued") return "Waiting for a free worker …";
  return long ? `${doing}: this one is not easy …` : `${doing} …`;
}
