// Puzzles in webpbn's XML, as scrapers/formats/webpbn_xml.py writes it.

const XML = { name: "puzzles.xml", type: "text/xml", text: xmlText, file: xmlFile };

const SYMBOLS = ".ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"; // of palette entries
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Write a puzzle; null if it has more colours than symbols. `at(column)` returns a value of its row. */
function xmlText(picture, at) {
  const palette = distinctNames(paletteEntries(at("palette")));
  if (palette.length > SYMBOLS.length) return null;
  const number = at("puzzle_id")?.match(/^webpbn\/(\d+)$/)?.[1];
  const about = [
    ["source", number ? "webpbn.com" : null], ["title", at("title")], ["author", at("author")], ["copyright", at("copyright")],
    ["id", number ? `#${number}` : null], ["license", at("license")], ["note", at("site_note")],
  ];
  const clues = (side) => [
    `<clues type="${side}">`,
    ...picture.clues[side].map((line) => `<line>${line.map(([length, color]) => count(length, palette[color])).join("")}</line>`),
    "</clues>",
  ];
  const count = (length, { name }) => `<count color="${escapedXml(name)}">${length}</count>`;
  return [
    `<puzzle type="grid" defaultcolor="${escapedXml(palette[Math.min(1, palette.length - 1)].name)}" backgroundcolor="${escapedXml(palette[0].name)}">`,
    ...about.filter(([, text]) => text).map(([tag, text]) => `<${tag}>${escapedXml(text)}</${tag}>`),
    ...palette.map(({ name, rgb }, k) => `<color name="${escapedXml(name)}" char="${SYMBOLS[k]}">${rgb.toUpperCase()}</color>`),
    ...clues("columns"),
    ...clues("rows"),
    ...goalLines(picture),
    "</puzzle>",
  ].map((line) => `${line}\n`).join("");
}

function xmlFile(texts) {
  return `<?xml version="1.0"?>\n<puzzleset>\n${texts.join("")}</puzzleset>\n`;
}

function goalLines(picture) {
  const goal = goalOf(picture);
  if (!goal) return [];
  const line = (y) => Array.from(goal.subarray(y * picture.width, (y + 1) * picture.width), (color) => SYMBOLS[color]).join("");
  const lines = Array.from({ length: picture.height }, (_, y) => `|${line(y)}|`);
  return ['<solution type="goal">', "<image>", ...lines, "</image>", "</solution>"];
}

/** The palette with unique names. */
function distinctNames(palette) {
  const taken = new Set();
  return palette.map((color, k) => {
    let name = color.name || `color${k}`;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return { ...color, name };
  });
}

/** Escape text for content or attributes: ASCII only, invalid XML characters replaced. */
function escapedXml(text) {
  const held = text.replace(NOT_XML, "\ufffd").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  return ascii(held.replaceAll("\n", "&#10;"));
}
