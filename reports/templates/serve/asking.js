// Requests to the server, which replies with JSON, or with the reason of a refusal.

/** A refused or failed request, with a sentence for people. */
class Refusal extends Error {}

/** Send a request; `body` is JSON or a Blob. Returns the reply, or throws a Refusal. */
async function ask(method, path, body = null, options = {}) {
  const blob = body instanceof Blob;
  const headers = body === null ? {} : { "content-type": blob ? "application/octet-stream" : "application/json" };
  let reply;
  try {
    reply = await fetch(`api/${path}`, { method, headers, body: blob || body === null ? body : JSON.stringify(body), ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server can’t be reached. Is it still running?");
  }
  const answer = await reply.json().catch(() => null);
  if (reply.ok && answer !== null) return answer;
  if (answer === null) throw new Refusal(`The server’s answer can’t be read (status ${reply.status}).`);
  throw new Refusal(sentence(answer.detail ?? `The server answers with status ${reply.status}`));
}

/** Turn a reason into a sentence. */
function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

/** Run an action and show its refusal, if any. */
async function attempt(event, act) {
  event?.preventDefault();
  const problem = document.getElementById("problem");
  problem.textContent = "";
  try {
    await act();
  } catch (error) {
    problem.textContent = error instanceof Refusal ? error.message : "Something went wrong in this browser; its console has details.";
    if (!(error instanceof Refusal)) console.error(error);
    problem.scrollIntoView({ block: "nearest" });
  }
}
