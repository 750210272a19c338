// Jobs on the server: submitted and polled.

const POLL_SECONDS = 10; // for which a request waits for its job

/** Run a job and return its result; `progress(job)` is called with its state, `signal` cancels it. Throws a Refusal. */
async function answerOf(path, request, progress, signal) {
  let job = await ask("POST", `${path}?wait=0.2`, { ...request, attached: true });
  const leave = () => fetch(`api/jobs/${job.id}`, { method: "DELETE", keepalive: true }).catch(() => null);
  signal.addEventListener("abort", leave);
  addEventListener("pagehide", leave);
  try {
    while (["queued", "running", "compiling"].includes(job.state)) {
      progress(job);
      job = await ask("GET", `jobs/${job.id}?wait=${job.state === "running" ? POLL_SECONDS : 1}`, null, { signal });
    }
  } finally {
    signal.removeEventListener("abort", leave);
    removeEventListener("pagehide", leave);
  }
  if (job.state !== "done") throw new Refusal(sentence(job.error ?? "It was cancelled"));
  return job.result;
}
