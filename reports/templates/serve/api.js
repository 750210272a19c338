// Requests to the server, which replies with JSON, or with the reason of a refusal; and its jobs, submitted and polled.

const POLL_SECONDS = 10; // for which a request waits for its job

/** A refused or failed request, with a sentence for people. */
export class Refusal extends Error {}

/** Send a request; `body` is JSON or a Blob. Returns the reply, or throws a Refusal. */
export async function request(method, path, body = null, options = {}) {
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
  throw new Refusal(asSentence(answer.detail ?? `The server answers with status ${reply.status}`));
}

/** Turn a reason into a sentence. */
export function asSentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

/** Run a job and return its result; `progress(job)` is called with its state, `signal` cancels it. Throws a Refusal. */
export async function runJob(path, body, progress, signal) {
  let job = await request("POST", `${path}?wait=0.2`, { ...body, attached: true });
  const leave = () => fetch(`api/jobs/${job.id}`, { method: "DELETE", keepalive: true }).catch(() => null);
  signal.addEventListener("abort", leave);
  addEventListener("pagehide", leave);
  try {
    while (["queued", "running", "compiling"].includes(job.state)) {
      progress(job);
      job = await request("GET", `jobs/${job.id}?wait=${job.state === "running" ? POLL_SECONDS : 1}`, null, { signal });
    }
  } finally {
    signal.removeEventListener("abort", leave);
    removeEventListener("pagehide", leave);
  }
  if (job.state !== "done") throw new Refusal(asSentence(job.error ?? "It was cancelled"));
  return job.result;
}
