// Calls a function of a module for a test in Python: {module, name, argument} on standard input, the result as JSON on standard output.

import { readFileSync } from "node:fs";
import "./fake_document.mjs";

const { module, name, argument } = JSON.parse(readFileSync(0, "utf8"));
const { [name]: called } = await import(`./${module}`);
const result = await called(argument);
process.stdout.write(JSON.stringify(result, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value)));
