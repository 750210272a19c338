// Messages of the page: problems, and what screen readers announce.

import { Refusal } from "./api.js";

/** Run an action and show its refusal, if any. */
export async function attempt(event, act) {
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

/** Announce something to screen readers. */
export function announce(words) {
  document.getElementById("said").textContent = words;
}
