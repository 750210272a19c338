// Puzzles in the format .non, as webpbn writes it, with colours as nonogram-db has them.

const BARE = /^[A-Za-z0-9.+-]+$/;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const NON = { name: "puzzles.non", type: "text/plain", text: nonText, file: (texts) => texts.join("====\n") };

/** Write a puzzle; null if the format can't express it: hidden lengths, a background other than white, more colours than
 *  letters. `at(column)` returns a value of its row. */
function nonText(picture, at) {
  const palette = paletteEntries(at("palette"));
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
  const goal = goalOf(picture);
  if (goal) lines.push("", `goal "${Array.from(goal, (color) => (color ? mark(color) || "1" : "0")).join("")}"`);
  return ascii(lines.map((line) => `${line}\n`).join(""));
}
