// Evaluates JavaScript for a test in Python: {scripts, body, argument} on standard input, the result as JSON on standard output.

import { readFileSync } from "node:fs";
import { compile } from "./page_scripts.mjs";
import "./fake_document.mjs";

const { scripts, body, argument } = JSON.parse(readFileSync(0, "utf8"));
const result = await compile(scripts, body)(argument);
process.stdout.write(JSON.stringify(result, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value)));
