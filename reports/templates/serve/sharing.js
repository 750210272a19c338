// Puzzles in links: JSON with the clues as text, deflated, in base64url.
//
// A block is its length, unless that is 1, and a letter for its colour; spaces separate lines. So a random puzzle of 25×25
// has a link of 500 characters, one of three colours 720. The solution is left out.

import { Refusal } from "./api.js";

const SHARED = ["puzzle_id", "title", "author", "copyright", "license", "palette"];
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDE"; // of colours, from the first one on
const MOST_SHARED = 1 << 20; // bytes of a puzzle as JSON

/** The address that opens a puzzle's record: by its id if the page's address has it, else one that holds the puzzle. */
export async function shareLink(record) {
  const id = new URLSearchParams(location.hash.replace("#puzzle?", "")).get("id");
  if (id !== null && id === record.puzzle_id) return new URL(`#puzzle?${new URLSearchParams({ id })}`, location).href;
  const shared = Object.fromEntries(SHARED.filter((name) => record[name]).map((name) => [name, record[name]]));
  const text = ([length, color]) => `${length === 1 ? "" : length}${LETTERS[color - 1]}`;
  for (const side of ["rows", "columns"]) shared[side] = record[side].map((line) => line.map(text).join("")).join(" ");
  const bytes = await bytesOf(new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream("deflate")));
  const code = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return new URL(`#puzzle?share=${code.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`, location).href;
}

/** Go to the puzzle of a link to this page, wherever it is served; return whether a text is one. */
export function followLink(text) {
  const [hash] = /#puzzle\?\S+$/.exec(text.trim()) ?? [];
  if (hash) location.hash = hash;
  return Boolean(hash);
}

/** The record in a link, not validated. Throws a Refusal if there is none. */
export async function sharedRecord(code) {
  try {
    const packed = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const bytes = await bytesOf(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")));
    const shared = JSON.parse(new TextDecoder().decode(bytes));
    const about = Object.fromEntries(SHARED.filter((name) => shared[name]).map((name) => [name, shared[name]]));
    return { ...about, rows: linesOf(shared.rows), columns: linesOf(shared.columns) };
  } catch {
    throw new Refusal("This link is damaged or cut off: copy all of it again.");
  }
}

function linesOf(text) {
  const block = ([, length, letter]) => [length === "" ? 1 : Number(length), LETTERS.indexOf(letter) + 1];
  return text.split(" ").map((line) => Array.from(line.matchAll(/(\d*)(\D)/g), block));
}

/** Read a stream of at most MOST_SHARED bytes. Throws RangeError for more: a few bytes may inflate to very many. */
async function bytesOf(stream) {
  const bytes = [];
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return Uint8Array.from(bytes);
    if (bytes.length + value.length > MOST_SHARED) {
      reader.cancel();
      throw new RangeError("too large");
    }
    for (const byte of value) bytes.push(byte);
  }
}
