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
  throw new Refusal(sentence(answer?.detail ?? `The server answers with status ${reply.status}`));
}

/** A reason as a sentence. */
function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

const PATIENCE = 10; // seconds that a request waits for its job

/** What comes of a job; `progress(job)` is told how it stands, `signal` cancels it. Throws a Refusal. */
async function answerOf(path, request, progress, signal) {
  let job = await ask("POST", `${path}?wait=0.2`, { ...request, attached: true });
  const leave = () => fetch(`api/jobs/${job.id}`, { method: "DELETE", keepalive: true }).catch(() => null);
  signal.addEventListener("abort", leave);
  addEventListener("pagehide", leave);
  try {
    while (["queued", "running", "compiling"].includes(job.state)) {
      progress(job);
      job = await ask("GET", `jobs/${job.id}?wait=${job.state === "running" ? PATIENCE : 1}`, null, { signal });
    }
  } finally {
    signal.removeEventListener("abort", leave);
    removeEventListener("pagehide", leave);
  }
  if (job.state !== "done") throw new Refusal(sentence(job.error ?? "It was cancelled"));
  return job.result;
}
