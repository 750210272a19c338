// Loads parts of the pages' scripts, which are plain scripts in reports/templates, without a browser.

import { readFileSync } from "node:fs";
import vm from "node:vm";

const TEMPLATES = new URL("../../reports/templates/", import.meta.url);
const CONSTANTS = process.env.PAGE_CONSTANTS ?? ""; // what Python puts before the scripts (tests/nodejs.py)
const DECLARATION = /^(?:async )?(?:function|class|const|let) (\w+)/gm;

/** Run scripts in one scope, as the page does, followed by `body`; returns an async function of `argument`. */
export function compile(names, body) {
  const sources = names.map((name) => readFileSync(new URL(name, TEMPLATES), "utf8"));
  const script = `(async (argument) => {"use strict";\n${CONSTANTS}\n${sources.join("\n")}\n${body}\n})`;
  return vm.runInThisContext(script, { filename: names.join("+") }); // this context: its arrays are equal to the tests'
}

/** All functions, classes and constants that scripts declare, by name. */
export async function load(...names) {
  const sources = names.map((name) => readFileSync(new URL(name, TEMPLATES), "utf8"));
  const declared = sources.flatMap((source) => Array.from(source.matchAll(DECLARATION), ([, name]) => name));
  return compile(names, `return { ${declared.join(", ")} };`)();
}
