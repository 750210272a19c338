// What is asked of the server: JSON, or a line that says what is wrong.

/** What the server refuses, or can't be asked: one line for people. */
class Refusal extends Error {}

/** Ask the server; `body` is a value for JSON, or a Blob. Returns its answer, or throws a Refusal. */
async function ask(method, path, body = null, options = {}) {
  const blob = body instanceof Blob;
  const headers = body === null ? {} : { "content-type": blob ? "application/octet-stream" : "application/json" };
  let reply;
  try {
    reply = await fetch(`api/${path}`, { method, headers, body: blob || body === null ? body : JSON.stringify(body), ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server can’t be reached. Does it still run?");
  }
  const answer = await reply.json().catch(() => null);
  if (reply.ok && answer !== null) return answer;
  if (answer === null) throw new Refusal(`The server’s answer can’t be read (status ${reply.status}).`);
  throw new Refusal(sentence(answer.detail ?? `The server answers with status ${reply.status}`));
}

/** A reason as a sentence. */
function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

/** Do something that may be refused; the refusal is shown. */
async function attempt(event, act) {
  event?.preventDefault();
  const problem = document.getElementById("problem");
  problem.textContent = "";
  try {
    await act();
  } catch (error) {
    problem.textContent = error instanceof Refusal ? error.message : "This browser has failed at that.";
    if (!(error instanceof Refusal)) console.error(error);
    problem.scrollIntoView({ block: "nearest" });
  }
}
