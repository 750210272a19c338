// What takes the server a while: asked for, and waited for.

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
