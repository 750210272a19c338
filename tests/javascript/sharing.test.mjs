import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { load } from "./page_scripts.mjs";
import { SERVE } from "./fixtures.mjs";

globalThis.location = { href: "http://127.0.0.1:8000/#draw", toString: () => "http://127.0.0.1:8000/#draw" };
const { Refusal, cluesOf, shareLink, sharedRecord } = await load(...SERVE);
const BLACK_ON_WHITE = [["white", ".", "ffffff"], ["black", "X", "000000"]];

/** A picture of 25×25, each cell of a random entry; `density` of them are not background. */
function randomPicture(colors, density) {
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return Uint8Array.from({ length: 625 }, () => (random() < density ? 1 + Math.floor(random() * colors) : 0));
}

const codeOf = (link) => /^http:\/\/127\.0\.0\.1:8000\/#puzzle\?share=([\w-]+)$/.exec(link)[1];

test("a link holds the puzzle without its solution, hidden lengths and colours too", async () => {
  const record = { title: "<b>Ü</b>", palette: BLACK_ON_WHITE, rows: [[[0, 1], [12, 31]], []], columns: [[[1, 2]]] };
  assert.deepEqual(await sharedRecord(codeOf(await shareLink({ ...record, goal: "01", url: "x" }))), record);
});

test("links of random puzzles of 25×25 have fewer than 1,000 characters, with the address", async () => {
  const palette = ["white", "black", "red", "green", "blue", "yellow"].map((name, k) => [name, String(k), `${k}${k}4a9c`]);
  for (const [colors, density] of [[1, 0.3], [1, 0.5], [1, 0.7], [3, 0.75], [5, 0.8]]) {
    const record = { title: "Thirty characters of a title.", author: "Some author", palette: palette.slice(0, colors + 1), ...cluesOf(randomPicture(colors, density), 25, 25) };
    const link = await shareLink(record);
    assert.ok(link.length < 1000, `${colors} colours: ${link.length}`);
    assert.deepEqual(await sharedRecord(codeOf(link)), record);
  }
});

test("a link that is cut, changed or forged is refused", async () => {
  const code = codeOf(await shareLink({ rows: [[[2, 1]]], columns: [[[1, 1]], [[1, 1]]] }));
  const deflated = async (text) => Buffer.from(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  ).toString("base64url");
  const swapped = `${code.slice(0, 20)}${code[20] === "A" ? "B" : "A"}${code.slice(21)}`;
  const forged = await Promise.all(["null", "{}", '{"rows": 3, "columns": ""}', "<script>", `"${" ".repeat(2 ** 21)}"`].map(deflated));
  for (const bad of ["", "A", "%%", "javascript:alert(1)", code.slice(0, -4), swapped, ...forged]) {
    await assert.rejects(sharedRecord(bad), Refusal, bad.slice(0, 40));
  }
});
