// What this browser keeps of a study: who somebody is here, what the server has not confirmed yet, and which tab is at work.

const PERSON = "nonocensus:study"; // {secret, participant, done}: done is how many puzzles have ended
const UNSENT = "nonocensus:study:unsent"; // {secret, number, first, acts}: see sending.js
const TAB = "nonocensus:study:tab"; // the last tab that has begun: others step aside

let present = null; // the person, also where the browser keeps nothing

/** The person who has agreed in this browser, or null. */
function recall() {
  const found = read(PERSON);
  return /^[0-9a-f]{32}$/.test(found?.secret) ? { ...found, done: Number(found.done) || 0 } : present;
}

function remember(person) {
  present = person;
  write(PERSON, person);
}

/** What the server has not confirmed of a person's acts: {secret, number, first, acts}, or null. */
function unsentOf(secret) {
  const left = read(UNSENT);
  return left?.secret === secret && Array.isArray(left.acts) ? left : null;
}

/** Forget the person, and all that is theirs. */
function forget() {
  present = null;
  write(PERSON, null);
  write(UNSENT, null);
}

/** Be the tab that is at work; returns a function that says whether it still is. */
function claim() {
  const mine = `${Date.now()} ${Math.random()}`;
  write(TAB, mine);
  return () => (read(TAB) ?? mine) === mine;
}

/** Keep a value, or null for none; where the browser has no room, or allows none, it is not kept. */
function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch (problem) {
    console.warn(problem);
  }
}
