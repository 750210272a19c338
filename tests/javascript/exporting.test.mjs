import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page_scripts.mjs";
import { BROWSER, tableOf } from "./fixtures.mjs";

const { Column, MOST_MAIL, mailLink, rowsByAuthor } = await load(...BROWSER);

const table = (rows) => tableOf(Column, rows.map((row, k) => ({ puzzle_id: `a/${k}`, title: null, url: null, width: 5, height: 5, fixes: "No solution.", ...row })));
const links = (made) => rowsByAuthor(made.columns.puzzle_id.values.keys(), made).map((rows) => mailLink(rows, made));

/** Subject and body of a link, as a mail program reads them. */
function mailOf(link) {
  assert.match(link, /^mailto:\?[!-~]*$/);
  assert.ok(link.length <= MOST_MAIL);
  const found = new URLSearchParams(link.slice(link.indexOf("?")).replaceAll("+", "%2B"));
  return { subject: found.get("subject"), body: found.get("body") };
}

test("a mail has the author's puzzles, whatever they are called", () => {
  const title = "<script>&body=x\" محمد 100 % a+b";
  const [link] = links(table([{ author: "<script>", title, url: "https://example.org/?a=1&b=2" }, { author: "<script>", fixes: null }]));
  assert.deepEqual(mailOf(link), { subject: "1 puzzle to fix", body: `a/0 “${title}”, 5×5\r\nhttps://example.org/?a=1&b=2\r\nNo solution.\r\n` });
});

test("a mail ends before programs cut it, after a whole puzzle", () => {
  const { subject, body } = mailOf(links(table(Array.from({ length: 3000 }, () => ({ author: "محمد", title: "محمد" }))))[0]);
  assert.equal(subject, "3,000 puzzles to fix");
  const [, told, rest] = /^((?:a\/\d+ “محمد”, 5×5\r\nNo solution.\r\n\r\n)+)([\d,]+) more puzzles: see the attached list.$/.exec(body);
  assert.equal(told.split("“").length - 1 + Number(rest.replace(",", "")), 3000);
  assert.equal(mailOf(links(table([{ author: "Ann", title: "x".repeat(5000) }]))[0]).body, "1 more puzzle: see the attached list.");
});

test("ten thousand authors have a mail each", () => {
  const made = links(table(Array.from({ length: 10_000 }, (_, k) => ({ author: `Author ${k}` }))));
  assert.equal(new Set(made).size, 10_000);
});
