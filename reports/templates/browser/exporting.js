// Puzzles taken along: their ids, their facts as CSV, and as files of puzzles those that may be passed on.

const FIELDS = [
  "puzzle_id", "title", "author", "copyright", "license", "source", "url", "width", "height", "kind", "colors", "label",
  "technique", "difficulty", "grade", "hardest", "work", "givens", "density", "cpu_seconds", "line_solves", "sweeps",
  "probes", "contradictions", "nodes", "max_depth", "conflicts", "score", "cells_after_line", "cells_after_depth2",
  "cells_after_probe", "blocks", "blots", "mean_slack", "max_slack", "log10_arrangements", "differing", "goal_matches",
  "site_difficulty", "site_quality", "site_note", "original", "likeness", "apart",
];
const FORMULA = /^[=+\-@\t\r]/; // what a spreadsheet would take for a formula

/** Ids, a line each. */
function idLines(rows, { columns }) {
  return Array.from(rows, (row) => `${columns.puzzle_id.at(row) ?? ""}\n`).join("");
}

/** The facts of rows as CSV (RFC 4180), with a line of names; no clues. */
function csvText(rows, { columns }) {
  const fields = FIELDS.filter((name) => name in columns);
  const line = (values) => `${values.map(csvField).join(",")}\r\n`;
  return line(fields) + Array.from(rows, (row) => line(fields.map((name) => columns[name].at(row)))).join("");
}

function csvField(value) {
  if (value === null) return "";
  if (typeof value === "number") return String(Number(value.toPrecision(7)));
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const BARE = /^[A-Za-z0-9.+-]+$/;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** A puzzle in the format .non, as webpbn writes it, with colours as nonogram-db has them; null where it can't say it:
 *  hidden lengths, another background than white, more colours than letters. `at(column)` gives a value of its row. */
function nonText(picture, at) {
  const palette = paletteOf(at("palette"));
  const blocks = [...picture.clues.rows, ...picture.clues.columns].flat();
  if (palette[0].rgb !== "ffffff" || palette.length > LETTERS.length + 1 || blocks.some(([length]) => length === 0)) return null;
  const plain = palette.length === 2 && palette[1].rgb === BLACK;
  const mark = (color) => (plain ? "" : LETTERS[color - 1]);
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("\r", "&#13;").replaceAll("\n", "&#10;");
  const about = [["catalogue", at("puzzle_id")?.replace(/^webpbn\/(\d+)$/, "webpbn.com #$1") ?? null], ["title", at("title")], ["by", at("author")], ["copyright", at("copyright")]];
  const lines = about.filter(([, text]) => text !== null).map(([word, text]) => `${word} "${escaped(text)}"`);
  const license = at("license");
  if (license !== null) lines.push(`license ${BARE.test(license) ? license : `"${escaped(license)}"`}`);
  if (!plain) lines.push(...palette.slice(1).map(({ rgb }, k) => `color ${LETTERS[k]} #${rgb}`));
  lines.push(`width ${picture.width}`, `height ${picture.height}`);
  for (const side of ["rows", "columns"]) {
    const words = picture.clues[side].map((line) => line.map(([length, color]) => length + mark(color)).join(",") || "0");
    lines.push("", side, ...words);
  }
  if (picture.solution && !picture.second) lines.push("", `goal "${Array.from(picture.solution, (color) => (color ? mark(color) || "1" : "0")).join("")}"`);
  return ascii(lines.map((line) => `${line}\n`).join(""));
}

function ascii(text) {
  return text.replace(/[^\n -~]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}

/** The puzzles of rows in one file, with how many of them may not be passed on, or can't be said in it. */
async function nonFile(rows, { columns }, pictures) {
  const files = [];
  const left = { unfree: 0, unsaid: 0 };
  for (const row of rows) {
    if (!columns.free.at(row)) left.unfree += 1;
    else {
      const picture = columns.contents.values[row] ? await pictures.of(row) : null;
      const text = picture?.clues && nonText(picture, (name) => columns[name].at(row));
      if (text) files.push(text);
      else left.unsaid += 1;
    }
  }
  return { text: files.join("====\n"), puzzles: files.length, ...left };
}

/** Have the browser keep a text as a file. */
function keepFile(text, name, type) {
  const link = element("a");
  Object.assign(link, { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
