// Exports: ids, facts as CSV, and files of the puzzles whose licence allows it.

const FORMULA = /^[=+\-@\t\r]/; // spreadsheets would evaluate it

/** Ids, a line each. */
function idLines(rows, { columns }) {
  return Array.from(rows, (row) => `${columns.puzzle_id.at(row) ?? ""}\n`).join("");
}

/** The facts of rows as CSV (RFC 4180), with a line of names; no clues. */
function csvText(rows, { columns }) {
  const fields = PUZZLE_COLUMNS.map(({ name }) => name).filter((name) => name in columns);
  return csvLine(fields) + Array.from(rows, (row) => csvLine(fields.map((name) => columns[name].at(row)))).join("");
}

function csvLine(values) {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value) {
  if (value === null) return "";
  if (typeof value === "number") return String(Number(value.toPrecision(7)));
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows that an author has to fix, a list for each author, those with the most puzzles first. */
function rowsByAuthor(rows, { columns }) {
  const lists = new Map();
  const wanted = Array.from(rows).filter((row) => !columns.fixes.isNull(row));
  const order = ({ values }) => (a, b) => values[a] - values[b];
  for (const row of wanted.sort(order(columns.puzzle_id))) {
    const author = columns.author.values[row];
    if (!lists.has(author)) lists.set(author, []);
    lists.get(author).push(row);
  }
  const most = Array.from(lists).sort(([a, one], [b, other]) => (a === 0) - (b === 0) || other.length - one.length || a - b);
  return most.map(([, those]) => those);
}

/** What authors have to fix of rows, as text for a mail, as reports/fixes.py writes for all: {text, puzzles, authors}. */
function authorLists(rows, { columns }) {
  const lists = rowsByAuthor(rows, { columns });
  const head = (those) => `${oneLine(columns.author.at(those[0]) ?? "No author")}: ${countWords(those.length, "puzzle")}\n`;
  const texts = lists.map((those) => [head(those), ...authorEntries(those, columns)].join("\n"));
  return { text: texts.join("\n\n"), puzzles: lists.flat().length, authors: lists.length };
}

function authorEntries(rows, columns) {
  return rows.map((row) => {
    const at = (name) => columns[name].at(row);
    const title = at("title") === null ? "" : ` “${at("title")}”`;
    const size = at("width") && at("height") ? `, ${sizeWords(at("width"), at("height"))}` : "";
    const link = at("url") === null ? "" : `${oneLine(at("url"))}\n`;
    return `${oneLine((at("puzzle_id") ?? "no id") + title)}${size}\n${link}${at("fixes")}\n`;
  });
}

const MOST_MAIL = 1900; // characters of a mailto link: some mail programs cut longer ones

/** A link that begins a mail with an author's list: as many of its puzzles as there is room for, and the number of the others. */
function mailLink(rows, { columns }) {
  const entries = authorEntries(rows.slice(0, MOST_MAIL), columns);
  const link = (count) => {
    const rest = rows.length - count;
    const text = [...entries.slice(0, count), ...(rest ? [`${countWords(rest, "more puzzle")}: see the attached list.`] : [])].join("\n");
    const body = encodeURIComponent(text.replaceAll("\n", "\r\n"));
    return `mailto:?subject=${encodeURIComponent(`${countWords(rows.length, "puzzle")} to fix`)}&body=${body}`;
  };
  let count = 0;
  while (count < rows.length && link(count + 1).length <= MOST_MAIL) count += 1;
  return link(count);
}

/** Text without line breaks and characters that control, as `one_line` of reports/fixes.py. */
function oneLine(text) {
  return text.trim().replace(/\s+/g, " ").replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

/** What was copied or saved for authors, in sentences. */
function authorWords({ puzzles, authors }, listed, done) {
  if (puzzles === 0) return "None of these needs a change by its author.";
  const left = listed > puzzles ? ` ${numberWords(listed - puzzles)} with nothing to fix left out.` : "";
  return `${countWords(puzzles, "puzzle")} of ${countWords(authors, "author")} ${done} as text.${left}`;
}

/** Write rows to a file of a format (NON, XML); count those without a free licence, and those it can't express. */
async function puzzleFile(format, rows, { columns }, pictures) {
  const texts = [];
  const left = { unfree: 0, unsaid: 0 };
  for (const row of rows) {
    if (!columns.free.at(row)) left.unfree += 1;
    else {
      const picture = columns.contents.values[row] ? await pictures.of(row) : null;
      const text = picture?.clues && format.text(picture, (name) => columns[name].at(row));
      if (text) texts.push(text);
      else left.unsaid += 1;
    }
  }
  return { text: format.file(texts), puzzles: texts.length, ...left };
}

/** What was written to a file of puzzles and what was left out, in sentences. */
function exportWords({ puzzles, unfree, unsaid }) {
  const sentences = [`${countWords(puzzles, "puzzle")} written.`];
  if (unfree) sentences.push(`${numberWords(unfree)} left out: no licence lets them be passed on.`);
  if (unsaid) sentences.push(`${numberWords(unsaid)} left out: their clues are not in this page, or the format has no words for them.`);
  return sentences.join(" ");
}

/** The picture to export: the solution, if it is the only one. */
function goalOf(picture) {
  return picture.second ? null : picture.solution;
}

/** Text in ASCII, with character references. */
function ascii(text) {
  return text.replace(/[^\n -~]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}

/** Download a text or a blob as a file. */
function keepFile(content, name, type) {
  const link = element("a");
  Object.assign(link, { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
